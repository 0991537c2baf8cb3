package mention_test

import (
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/mention"
)

func TestIn(t *testing.T) {
	s, err := mention.Of([]string{"Ann.Lee@Bücher.example", "o'neil@b.example", `"two words"@c.example`, "neil@d.example"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		strings.Repeat("#", 4<<20) + "ann.lee@bücher.example":      true,
		"ann.lee@xn--bcher-kva.example":                            true,
		"ANN.LEE@BÜCHER.EXAMPLE":                                   true,
		"Ann Lee <ann.lee@bücher.example>, sales":                  true,
		"https://h.example/?to=ann.lee%40b%C3%BCcher.example&x=1":  true,
		"https://h.example/?to=ann.lee@bücher.example&x=1":         true,
		"https://h.example/ann.lee@xn--bcher-kva.example/settings": true,
		`{"a":"ann.lee\u0040b\u00fccher.example"}`:                 true,
		"mailto:ann.lee@xn--bcher-kva.example?subject=x":           true,
		"ask 'ann.lee@xn--bcher-kva.example'.":                     true,
		"连系ann.lee@xn--bcher-kva.example，谢谢":                       false, // letters stand before it
		"to：ann.lee@xn--bcher-kva.example，谢谢":                      true,
		"o'neil@b.example":                                         true,
		`"two words"@c.example`:                                    true,
		"ann.lee@bücher.example.csv.gz":                            true,
		"joann.lee@xn--bcher-kva.example":                          false,
		"lee@xn--bcher-kva.example":                                false,
		"ann.lee@xn--bcher-kva.example.org":                        false,
		"ann.lee@sub.xn--bcher-kva.example":                        false,
		"ann.lee+tag@xn--bcher-kva.example":                        false,
		"annlee@xn--bcher-kva.example":                             false,
		"o'neil@d.example":                                         false,
		"d'neil@d.example":                                         false,
		"":                                                         false,
		"@":                                                        false,
		`"@`:                                                       false,
		"@[":                                                       false,
	} {
		if got := s.In(text); got != want {
			t.Errorf("In(%.200q) = %v", text, got)
		}
	}
}

func TestMask(t *testing.T) {
	s, err := mention.Of([]string{"ann@a.example"})
	if err != nil {
		t.Fatal(err)
	}
	const text = "Ann@a.example, ben@a.example;joann@a.example ?to=ann@A.EXAMPLE"
	const want = "xxx@x.xxxxxxx, ben@a.example;joann@a.example ?to=xxx@x.xxxxxxx"
	if got := s.Mask(text); got != want {
		t.Errorf("got %q", got)
	}
}
