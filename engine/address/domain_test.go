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
		{"", Empty, 0},
		{"\u00ad", EmptyDomain, 0},
		{"a.\u00ad.com", EmptyLabel, 2},
		{"a。。com", EmptyLabel, 4},
		{"bücher.example。", TrailingDot, 8},
		{"exa mple.com", Space, 3},
		{"exa\u00a0mple.com", Space, 3},
		{"example\u2024com", DomainCharacter, 7},
		{"bücher.exa\u2100.com", DomainCharacter, 11},
		{"\u202eexample.com", BidiControl, 0},
		{"a.-b.com", LabelHyphen, 2},
		{"a.b-.com", LabelHyphen, 3},
		{"é-.com", LabelHyphen, 0},

		// The hyphens are third and fourth, in bytes fourth and fifth.
		{"x.éa--x.com", ReservedLabel, 2},
		{"x.xn--a--x-9oa.com", ReservedLabel, 2},

		{"a.xn--.com", InvalidALabel, 2},
		{"xn--a.com", InvalidALabel, 0},
		{"axn--0.xn--0.com", InvalidALabel, 7},
		{"xn--abc-.com", InvalidALabel, 0},
		{"xn--ü.com", InvalidALabel, 0},
		{"xn--99999999999.com", InvalidALabel, 0},
		{"xn--bücher-kva.com", InvalidALabel, 0}, // would decode to another name
		{"ẞ.ｘｎ－－bücher-kva.com", InvalidALabel, 4},
		{"xn--u-ccb.com", InvalidALabel, 0}, // decodes to text that is not NFC
		{"bücher.xn--ASCII-.com", InvalidALabel, 8},
		{"a.\u0301b.com", InvalidULabel, 2},
		{"a\u200db.com", InvalidULabel, 0},
		{"a\u200cb.com", InvalidULabel, 0},
		{"0a.א", BidiRule, 0},
		{"אa.com", BidiRule, 0},

		{"localhost", Dotless, 0},
		{"例子", Dotless, 0},
		{"192.0.2.1", NumericTLD, 8},
		{"a.１２", NumericTLD, 2},
		{"[192.0.2.1]", AddressLiteral, 0},
	} {
		got, err := Domain(c.in)
		checkRefusal(t, c.in, got, err, c.want, c.pos)
	}
}

func TestLiterals(t *testing.T) {
	for in, want := range map[string]Reason{
		"[192.0.2.1]":                AddressLiteral,
		"[IPv6:2001:db8::1]":         AddressLiteral,
		"[ipv6:::ffff:192.0.2.1]":    AddressLiteral,
		"[x-tag:content]":            MalformedLiteral,
		"[192.0.2.1":                 MalformedLiteral,
		"[":                          MalformedLiteral,
		"[]":                         MalformedLiteral,
		"[192.0.2]":                  MalformedLiteral,
		"[192.0.2.256]":              MalformedLiteral,
		"[2001:db8::1]":              MalformedLiteral,
		"[IPv6:2001:db8::1%eth0]":    MalformedLiteral,
		"[IPv6:192.0.2.1]":           MalformedLiteral,
		"[IPv6:1:2:3:4:5:6:7:8:9]":   MalformedLiteral,
		"[192.0.2.1]x":               MalformedLiteral,
		"[192.0.2.1]\r\n":            MalformedLiteral,
		"[x-tag:line\r\nRCPT TO:<>]": MalformedLiteral,
	} {
		_, err := Domain(in)
		if got := reasonOf(err); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
