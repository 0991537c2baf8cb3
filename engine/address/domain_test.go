package address

import "testing"

func TestDomain(t *testing.T) {
	for in, want := range map[string]string{
		"example.com":        "example.com",
		"EXAMPLE.Com":        "example.com",
		"1and1.com":          "1and1.com",
		"a.b-c.d--e.example": "a.b-c.d--e.example",
		"123.x123":           "123.x123",

		"bücher.example":        "xn--bcher-kva.example",
		"BÜCHER.example":        "xn--bcher-kva.example",
		"bu\u0308cher.example":  "xn--bcher-kva.example",
		"xn--bcher-kva.example": "xn--bcher-kva.example",
		"XN--BCHER-KVA.Example": "xn--bcher-kva.example",
		"bücher.xn--bcher-kva":  "xn--bcher-kva.xn--bcher-kva",
		"ｅｘａｍｐｌｅ．ｃｏｍ":           "example.com",
		"ｘｎ－－bcher-kva.example": "xn--bcher-kva.example",
		"𝐞𝐱𝐚𝐦𝐩𝐥𝐞.com":           "example.com",
		"ﬁne.com":               "fine.com",
		"한국。한국":                 "xn--3e0b707e.xn--3e0b707e",
		"example｡com":           "example.com",
		"exa\u00admple.com":     "example.com",
		"exam\u200bple.com":     "example.com",

		// Deviation characters are kept.
		"faß.de":          "xn--fa-hia.de",
		"ευς.gr":          "xn--qxa0ai.gr",
		"نامه\u200cای.ir": "xn--mgba3gch31f060k.ir",
		"क्\u200dष.in":    "xn--11b2ezcw70k.in",

		// Capital letters that have been mapped to their small ones since
		// Unicode 15.1 and 16.
		"STRAẞE.de":  "xn--strae-oqa.de",
		"Ӏа.example": "xn--80a13a.example",
		"ႠႥ.example": "xn--rkjk.example",
		"Ⅎↄ.example": "xn--73g4g.example",

		// Bidi domain names that keep the rule.
		"مثال.إختبار": "xn--mgbh0fb.xn--kgbechtv",
		"a1.א":        "a1.xn--4db",

		// The hyphens are second and third, in bytes third and fourth.
		"é--x.com": "xn----x-9la.com",
	} {
		got, err := Domain(in)
		if err != nil || got != want {
			t.Errorf("%+q: got %q, error %v, want %q", in, got, err, want)
		}
	}
}

func TestDomainRefuses(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Reason
		pos  int
	}{
		{"", ReasonEmpty, 0},
		{"\u00ad", ReasonEmptyDomain, 0},
		{"a.\u00ad.com", ReasonEmptyLabel, 2},
		{"a。。com", ReasonEmptyLabel, 4},
		{"bücher.example。", ReasonTrailingDot, 8},
		{"exa mple.com", ReasonSpace, 3},
		{"exa\u00a0mple.com", ReasonSpace, 3},
		{"example\u2024com", ReasonDomainCharacter, 7},
		{"bücher.exa\u2100.com", ReasonDomainCharacter, 11},
		{"\u202eexample.com", ReasonBidiControl, 0},
		{"a.-b.com", ReasonLabelHyphen, 2},
		{"a.b-.com", ReasonLabelHyphen, 3},
		{"é-.com", ReasonLabelHyphen, 0},

		// The hyphens are third and fourth, in bytes fourth and fifth.
		{"x.éa--x.com", ReasonReservedLabel, 2},
		{"x.xn--a--x-9oa.com", ReasonReservedLabel, 2},

		{"a.xn--.com", ReasonInvalidALabel, 2},
		{"xn--a.com", ReasonInvalidALabel, 0},
		{"axn--0.xn--0.com", ReasonInvalidALabel, 7},
		{"xn--abc-.com", ReasonInvalidALabel, 0},
		{"xn--ü.com", ReasonInvalidALabel, 0},
		{"xn--99999999999.com", ReasonInvalidALabel, 0},
		{"xn--bücher-kva.com", ReasonInvalidALabel, 0}, // would decode to another name
		{"ẞ.ｘｎ－－bücher-kva.com", ReasonInvalidALabel, 4},
		{"xn--u-ccb.com", ReasonInvalidALabel, 0}, // decodes to text that is not NFC
		{"bücher.xn--ASCII-.com", ReasonInvalidALabel, 8},
		{"a.\u0301b.com", ReasonInvalidULabel, 2},
		{"a\u200db.com", ReasonInvalidULabel, 0},
		{"a\u200cb.com", ReasonInvalidULabel, 0},
		{"0a.א", ReasonBidiRule, 0},
		{"אa.com", ReasonBidiRule, 0},

		{"localhost", ReasonDotless, 0},
		{"例子", ReasonDotless, 0},
		{"192.0.2.1", ReasonNumericTLD, 8},
		{"a.１２", ReasonNumericTLD, 2},
		{"[192.0.2.1]", ReasonAddressLiteral, 0},
	} {
		got, err := Domain(c.in)
		checkRefusal(t, c.in, got, err, c.want, c.pos)
	}
}

func TestLiterals(t *testing.T) {
	for in, want := range map[string]Reason{
		"[192.0.2.1]":                ReasonAddressLiteral,
		"[IPv6:2001:db8::1]":         ReasonAddressLiteral,
		"[ipv6:::ffff:192.0.2.1]":    ReasonAddressLiteral,
		"[x-tag:content]":            ReasonMalformedLiteral,
		"[192.0.2.1":                 ReasonMalformedLiteral,
		"[":                          ReasonMalformedLiteral,
		"[]":                         ReasonMalformedLiteral,
		"[192.0.2]":                  ReasonMalformedLiteral,
		"[192.0.2.256]":              ReasonMalformedLiteral,
		"[2001:db8::1]":              ReasonMalformedLiteral,
		"[IPv6:2001:db8::1%eth0]":    ReasonMalformedLiteral,
		"[IPv6:192.0.2.1]":           ReasonMalformedLiteral,
		"[IPv6:1:2:3:4:5:6:7:8:9]":   ReasonMalformedLiteral,
		"[192.0.2.1]x":               ReasonMalformedLiteral,
		"[192.0.2.1]\r\n":            ReasonMalformedLiteral,
		"[x-tag:line\r\nRCPT TO:<>]": ReasonMalformedLiteral,
	} {
		_, err := Domain(in)
		if got := reasonOf(err); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
