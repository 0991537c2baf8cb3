package exchange

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

// FuzzParameters checks that a query is read as net/url reads it, but for what
// the plus signs of an address mean.
func FuzzParameters(f *testing.F) {
	for _, seed := range []string{
		"", "&", "=", "email", "email=a@b.example&details=1", "email=a+b@c.example", "email=a+b%40c.example", "name=a+b@c", "em%61il=a+b@c.example",
		"x=%4", "%zz=1&y=2", "a;b=1&c=2", "email=a;b@c", "email=1&email=2&email=3", "a=b=c", "a+b=c+d", "%00=%ff", "=a&=b", "email=%40+@%2B",
		"email=+a@b.example", "email=a@b.example+", "email=%22a+b%22%40c.example", `email="a+b"@c.example`, "email=a+b@c,+d+e%40f+", "email=%zz+@",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if len(raw) > maxQuery {
			t.Skip()
		}
		want, err := url.ParseQuery(raw)
		got := readQuery(raw)
		if ambiguous(raw) {
			if got.Err == nil {
				t.Errorf("%q: no error", raw)
			}
			return
		}
		if (got.Err != nil) != (err != nil) {
			t.Errorf("%q: error %v, net/url has %v", raw, got.Err, err)
		}
		total := 0
		for name, values := range want {
			value, times := got.Find(name)
			if withoutPlus(name, value) != withoutPlus(name, values[0]) || times != len(values) {
				t.Errorf("%q: %q is %q, given %d times, want %q", raw, name, value, times, values)
			}
			total += len(values)
		}
		if len(got.parameters) != total {
			t.Errorf("%q: %d parameters, want %d", raw, len(got.parameters), total)
		}
	})
}

// ambiguous reports whether an address begins with a plus sign.
func ambiguous(raw string) bool {
	for pair := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if _, err := readAddress(value); name == "email" && errors.Is(err, errPlus) {
			return true
		}
	}
	return false
}

// withoutPlus makes addresses equal that differ in what a plus sign was read
// as.
func withoutPlus(name, value string) string {
	if name == "email" {
		return strings.ReplaceAll(value, "+", " ")
	}
	return value
}

// TestPlus checks what "+" is read as.
func TestPlus(t *testing.T) {
	for value, want := range map[string]string{
		"alice@acme.example":                      "alice@acme.example",
		"alice%2Bnews%40acme.example":             "alice+news@acme.example",
		"alice+news%40acme.example":               "alice+news@acme.example",
		"alice+news@acme.example":                 "alice+news@acme.example",
		"a+b+c@acme.example":                      "a+b+c@acme.example",
		"alice+@acme.example":                     "alice+@acme.example",
		"jos%C3%A9+news%40acme.example":           "josé+news@acme.example",
		"josé+news@acme.example":                  "josé+news@acme.example",
		"%24+news%40acme.example":                 "$+news@acme.example",
		"alice@acme.example+":                     "alice@acme.example ",
		"alice+news%40acme.example+++":            "alice+news@acme.example   ",
		"%22alice+x%22%40acme.example":            `"alice x"@acme.example`,
		`"alice+x"@acme.example`:                  `"alice+x"@acme.example`,
		"Jane+Doe+%3Cjane+news%40acme.example%3E": "Jane Doe <jane+news@acme.example>",
		"Jane+Doe+<+jane@acme.example+>":          "Jane Doe < jane@acme.example >",
		"a+b@acme.example,+c+d@acme.example":      "a+b@acme.example, c+d@acme.example",
		"+%22alice%22%40acme.example":             ` "alice"@acme.example`,
		"+":                                       " ",
		"no+address":                              "no address",
	} {
		if got, err := readAddress(value); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", value, got, err, want)
		}
	}
	for _, value := range []string{"+alice@acme.example", "++alice%40acme.example", "%20+alice@acme.example", "+@acme.example", "+alice+news@acme.example+"} {
		if got, err := readAddress(value); !errors.Is(err, errPlus) {
			t.Errorf("%s: %q, %v, want an error", value, got, err)
		}
	}
}
