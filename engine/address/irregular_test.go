package address

import (
	"slices"
	"strings"
	"testing"
)

// TestRead has addresses that the grammar forbids and mail hosts may serve: the
// form in which they are put to a host, and what is noted about them.
func TestRead(t *testing.T) {
	rep := strings.Repeat
	for _, c := range []struct {
		in, mailbox string
		noted       []Reason
	}{
		{"jane@example.com", "jane@example.com", nil},
		{`"a..b"@example.com`, `"a..b"@example.com`, nil},

		{rep("a", 65) + "@example.com", rep("a", 65) + "@example.com", []Reason{ReasonLocalTooLong}},
		{rep("a", 242) + "@example.com", rep("a", 242) + "@example.com", []Reason{ReasonLocalTooLong}},
		{`"` + rep(`\a`, 242) + `"@example.com`, rep("a", 242) + "@example.com", []Reason{ReasonLocalTooLong}},
		{rep("é", 33) + "@example.com", rep("é", 33) + "@example.com", []Reason{ReasonLocalTooLong}},

		{"a..b@docomo.ne.jp", `"a..b"@docomo.ne.jp`, []Reason{ReasonLocalDot}},
		{"a.@Docomo.ne.jp", `"a."@docomo.ne.jp`, []Reason{ReasonLocalDot}},
		{".a@ezweb.ne.jp", `".a"@ezweb.ne.jp`, []Reason{ReasonLocalDot}},
		{"a...b.@biz.ezweb.ne.jp", `"a...b."@biz.ezweb.ne.jp`, []Reason{ReasonLocalDot}},
		{rep("a.", 33) + "@docomo.ne.jp", `"` + rep("a.", 33) + `"@docomo.ne.jp`, []Reason{ReasonLocalDot, ReasonLocalTooLong}},

		{"a[b@example.com", `"a[b"@example.com`, []Reason{ReasonLocalCharacter}},
		{`corp\jane[1]@example.com`, `"corp\\jane[1]"@example.com`, []Reason{ReasonLocalCharacter}},

		{"jane@client_name.vendor.example", "jane@client_name.vendor.example", []Reason{ReasonDomainCharacter}},
		{"jane@_a_.Bücher.example", "jane@_a_.xn--bcher-kva.example", []Reason{ReasonDomainCharacter}},
		{"jane@bü_cher.example", "jane@xn--b_cher-3ya.example", []Reason{ReasonDomainCharacter}},
		{"jane@-a.b-.example", "jane@-a.b-.example", []Reason{ReasonLabelHyphen}},
		{"jane@example.com.", "jane@example.com", []Reason{ReasonTrailingDot}},
		{"jane@bücher.example。", "jane@xn--bcher-kva.example", []Reason{ReasonTrailingDot}},
		{"jane@a_b.example.", "jane@a_b.example", []Reason{ReasonDomainCharacter, ReasonTrailingDot}},

		{"jane@XN--ABC-.example", "jane@xn--abc-.example", []Reason{ReasonInvalidALabel}},
		{"jane@éa--x.example", "jane@xn--a--x-9oa.example", []Reason{ReasonReservedLabel}},
		{"jane@👩\u200d💻.ws", "jane@xn--1ug1855pcha.ws", []Reason{ReasonInvalidULabel}},
		{"jane@אa.example", "jane@xn--a-zhc.example", []Reason{ReasonBidiRule}},
		{"jane@\U000c0000.ws", "jane@xn--3455d.ws", []Reason{ReasonDomainCharacter}}, // no version of Unicode has it
	} {
		a, err := Read(c.in)
		if err != nil {
			t.Errorf("%.40q: %v", c.in, err)
			continue
		}
		var noted []Reason
		for _, e := range a.Irregular() {
			noted = append(noted, e.Reason)
			checkError(t, c.in, &e)
		}
		if a.Mailbox() != c.mailbox || !slices.Equal(noted, c.noted) {
			t.Errorf("%.40q: mailbox %q, noted %v; want %q, %v", c.in, a.Mailbox(), noted, c.mailbox, c.noted)
		}
		if _, err := Parse(c.in); (err == nil) != (c.noted == nil) || err != nil && reasonOf(err) != c.noted[0] {
			t.Errorf("%.40q: Parse says %v; Read noted %v", c.in, err, noted)
		}
	}
}

// TestReadRefuses has what can be put to no mail host, or is not one address.
func TestReadRefuses(t *testing.T) {
	rep := strings.Repeat
	for in, want := range map[string]Reason{
		"":              ReasonEmpty,
		"example.com":   ReasonMissingAt,
		"@example.com":  ReasonEmptyLocal,
		"jane@":         ReasonEmptyDomain,
		"a@b@c.example": ReasonSecondAt,
		"jane@@x.com":   ReasonSecondAt,

		"jane\r\nRCPT TO:<x@y.example>@example.com": ReasonLineBreak,
		"jane\x00@example.com":                      ReasonControl,
		"jane\u0085@example.com":                    ReasonControl,
		"jane@exam\nple.com":                        ReasonLineBreak,
		"\"a\nb\"@example.com":                      ReasonLineBreak,
		"ja\u200bne@example.com":                    ReasonInvisible,
		"jane doe@example.com":                      ReasonSpace,
		"jane@docomo.ne.jp SIZE=1":                  ReasonSpace,
		"jane> SIZE=1 <@example.com":                ReasonAngleBracket,
		"a>b@docomo.ne.jp":                          ReasonAngleBracket,
		"<jane@example.com":                         ReasonAngleBracket,
		"a,b@example.com":                           ReasonLocalCharacter,
		"a;b@example.com":                           ReasonLocalCharacter,
		"a(b)@example.com":                          ReasonHeaderComment,
		"sip:jane@example.com":                      ReasonLocalCharacter,
		`a"b@example.com`:                           ReasonQuoting,
		`"a@example.com`:                            ReasonQuoting,
		`a\"b@example.com`:                          ReasonQuoting,

		"a..b@example.com":              ReasonLocalDot,
		".a@gmail.com":                  ReasonLocalDot,
		"a.@docomo.ne.jp.example.com":   ReasonLocalDot,
		"a..b@xdocomo.ne.jp":            ReasonLocalDot,
		"a..b@ne.jp":                    ReasonLocalDot,
		"jane@exa mple.com":             ReasonSpace,
		"jane@gmail,com":                ReasonDomainCharacter,
		"jane@example/com.example":      ReasonDomainCharacter,
		"jane@b..example.com":           ReasonEmptyLabel,
		"jane@.example.com":             ReasonEmptyLabel,
		"jane@example.com..":            ReasonTrailingDot,
		"jane@a_b..example":             ReasonEmptyLabel,
		"jane@a_b":                      ReasonDotless,
		"jane@com.":                     ReasonDotless,
		"jane@a_b.123":                  ReasonNumericTLD,
		"jane@192.0.2.1":                ReasonNumericTLD,
		"jane@[192.0.2.1]":              ReasonAddressLiteral,
		"jane@exam\ue000ple.com":        ReasonDomainCharacter,
		"jane@a\u2024b.example":         ReasonDomainCharacter,
		"jane@xn--bücher-kva.example":   ReasonInvalidALabel,
		"jane@example.com”":             ReasonDomainCharacter,
		"jane@a_b.example”":             ReasonDomainCharacter,
		"jane@" + rep("a", 64) + ".x.y": ReasonLabelTooLong,
		"jane@" + rep("_", 64) + ".x.y": ReasonLabelTooLong,
		"jane@" + rep("אa", 32) + ".xy": ReasonLabelTooLong,

		rep("a", 243) + "@example.com":        ReasonAddressTooLong,
		rep("a", 4000) + "@example.com":       ReasonAddressTooLong,
		`"` + rep(" ", 241) + `"@example.com`: ReasonAddressTooLong,
		rep("a.", 120) + "@docomo.ne.jp":      ReasonAddressTooLong, // with its quotes
		"j@" + rep("a_b.", 62) + "museum":     ReasonDomainTooLong,
		"j@" + rep("_.", 127) + "א":           ReasonDomainTooLong,
		"ja@" + rep("a_b.", 62) + "info":      ReasonAddressTooLong,
	} {
		if a, err := Read(in); reasonOf(err) != want {
			t.Errorf("%.60q: %q, %v; want %s", in, a.Mailbox(), err, want)
		}
	}
}

// TestDots checks the data of dots.txt: each domain is in the form in which the
// DNS knows it, and has a source.
func TestDots(t *testing.T) {
	for line := range strings.Lines(dotsList) {
		domain, source, found := strings.Cut(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if d, err := Domain(domain); err != nil || d != domain || !found || source == "" || !issuesDots(domain) {
			t.Errorf("%q: %q, %v", line, d, err)
		}
	}
	if issuesDots("ne.jp") || issuesDots("") || !issuesDots("biz.ezweb.ne.jp") {
		t.Error("a domain stands for itself and those below it")
	}
}
