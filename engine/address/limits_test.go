package address

import (
	"math"
	"runtime"
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	rep := strings.Repeat
	for _, c := range []struct {
		name string
		in   string
		want Reason // "" when the address is right
	}{
		{"local-part of 64", rep("a", 64) + "@example.com", ""},
		{"local-part of 65", rep("a", 65) + "@example.com", ReasonLocalTooLong},
		{"local-part of 64 octets in UTF-8", rep("é", 32) + "@example.com", ""},
		{"local-part of 66 octets in UTF-8", rep("é", 33) + "@example.com", ReasonLocalTooLong},
		{"64 without needless quotes", `"` + rep(`\a`, 64) + `"@example.com`, ""},
		{"65 without needless quotes", `"` + rep(`\a`, 65) + `"@example.com`, ReasonLocalTooLong},
		{"64 with quotes", `"` + rep(" ", 62) + `"@example.com`, ""},
		{"65 with quotes", `"` + rep(" ", 63) + `"@example.com`, ReasonLocalTooLong},
		{"64 with backslashes", `"` + rep(`\"`, 31) + `"@example.com`, ""},
		{"66 with backslashes", `"` + rep(`\"`, 32) + `"@example.com`, ReasonLocalTooLong},

		{"label of 63", "user@" + rep("a", 63) + ".com", ""},
		{"label of 64", "user@" + rep("a", 64) + ".com", ReasonLabelTooLong},
		{"A-label of 63", "user@ü" + rep("a", 55) + ".com", ""},
		{"A-label of 64", "user@ü" + rep("a", 56) + ".com", ReasonLabelTooLong},
		{"label of 63 full-width letters", "user@" + rep("ａ", 63) + ".com", ""},
		{"label of 64 full-width letters", "user@" + rep("ａ", 64) + ".com", ReasonLabelTooLong},

		{"address of 254", "u@" + rep("abc.", 62) + "info", ""},
		{"address of 255", "us@" + rep("abc.", 62) + "info", ReasonAddressTooLong},
		{"address of 254 in full-width letters", "u@" + rep("ａｂｃ．", 62) + "ｉｎｆｏ", ""},
		{"domain of 254", "u@" + rep("abc.", 62) + "museum", ReasonDomainTooLong},
	} {
		_, err := Parse(c.in)
		if got := reasonOf(err); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestDomainLimit(t *testing.T) {
	longest := strings.Repeat("abc.", 62) + "infos"
	if d, err := Domain(longest); err != nil || len(d) != maxDomain {
		t.Errorf("%d octets: %v", len(longest), err)
	}
	if _, err := Domain(longest + "x"); reasonOf(err) != ReasonDomainTooLong {
		t.Errorf("%d octets: %v", len(longest)+1, err)
	}
}

// floods are texts that cost much when they are many.
var floods = map[string]string{
	"letters":         "a",
	"dots":            ".",
	"at":              "@",
	"spaces":          " ",
	"quotes":          `"`,
	"backslashes":     `\`,
	"hyphens":         "-",
	"angle brackets":  "<",
	"comments":        "(",
	"brackets":        "[",
	"line breaks":     "\r\n",
	"zeros":           "\x00",
	"ill-formed":      "\xff",
	"surrogates":      "\xed\xa0\x80",
	"labels":          "a.",
	"A-labels":        "xn--a.",
	"A-label letters": "xn--a-",
	"umlauts":         "ü",
	"wide dots":       "。",
	"ignorable":       "\u00ad",
	"joiners":         "\u200d",
	"joined":          "ب\u200cب",
	"marks":           "\u0301\u0323",
	"right to left":   "א.",
	"ligatures":       "\ufdfa",
	"emoji":           "😀",
	"bidi controls":   "\u202e",
}

// Nothing is timed here: what is allocated bounds what is worked on.
func TestFloods(t *testing.T) {
	for name, text := range floods {
		for place, around := range map[string][2]string{
			"all":        {"", ""},
			"local-part": {"", "@example.com"},
			"quotes":     {`"`, `"@example.com`},
			"domain":     {"user@", ".com"},
			"one label":  {"user@xn--ü", ".com"},
		} {
			for _, size := range []int{maxInput, 1 << 20} {
				n := (size - len(around[0]) - len(around[1])) / len(text)
				in := around[0] + strings.Repeat(text, n) + around[1]
				if _, err := Parse(in); err == nil {
					t.Errorf("%d bytes of %s in %s: accepted", len(in), name, place)
				}
				// Since Unicode 17 (Go 1.27), U+FDFA becomes
				// eighteen characters. x/net/idna decodes them
				// in four bytes each.
				if got, most := allocatedBy(func() { _, _ = Parse(in) }), uint64(256*maxInput); got > most {
					t.Errorf("%d bytes of %s in %s: %d bytes allocated, want at most %d", len(in), name, place, got, most)
				}
			}
		}
	}
}

// A domain is measured before it is encoded, which would take a time that grows
// with the square of its length.
func TestLongLabelsAreNotEncoded(t *testing.T) {
	in := "user@" + distinct(maxInput-len("user@")-len(".com")) + ".com"
	_, err := Parse(in)
	if reasonOf(err) != ReasonLabelTooLong {
		t.Fatalf("error %v", err)
	}
	if got := allocatedBy(func() { _, _ = Parse(in) }); got >= uint64(len(in)) {
		t.Errorf("%d bytes allocated: the domain was copied or encoded", got)
	}
}

// allocatedBy returns how many bytes f allocates. The runtime, which counts all
// that the process allocates, sometimes allocates some itself meanwhile, as for
// a collection of garbage: the least of a few runs is without that.
func allocatedBy(f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}
