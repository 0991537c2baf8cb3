package address

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

var refusals = []struct {
	in   string
	want Reason
	pos  int
}{
	{"", ReasonEmpty, 0},
	{"example.com", ReasonMissingAt, 11},
	{`"a@example.com"`, ReasonMissingAt, 15},
	{"a@b@example.com", ReasonSecondAt, 3},
	{"@example.com", ReasonEmptyLocal, 0},
	{"user@", ReasonEmptyDomain, 5},
	{"<user@example.com>", ReasonAngleBracket, 0},
	{"user@example.com>", ReasonAngleBracket, 16},
	{"@relay.example:user@example.com", ReasonSourceRoute, 0},
	{"<@relay.example:user@example.com>", ReasonSourceRoute, 0},
	{"Joe User <user@example.com>", ReasonDisplayName, 0},
	{"Joe<user@example.com>", ReasonDisplayName, 0},
	{`"Joe User" <user@example.com>`, ReasonDisplayName, 0},
	{"user(comment)@example.com", ReasonHeaderComment, 4},
	{"user@example.com (comment)", ReasonSpace, 16},
	{"mailto:user@example.com", ReasonURIScheme, 0},

	{"us\xffer@example.com", ReasonIllFormedUTF8, 2},
	{"\ufffd\xed\xa0\x80@example.com", ReasonIllFormedUTF8, 3},
	{"user\r\n@example.com", ReasonLineBreak, 4},
	{"user@example.com\r\nRCPT TO:<x@example.net>", ReasonLineBreak, 16},
	{"user@example.com\n", ReasonLineBreak, 16},
	{"\"a\nb\"@example.com", ReasonLineBreak, 2},
	{"\"a\"\r\n@example.com", ReasonLineBreak, 3},
	{"us\u2028er@example.com", ReasonLineBreak, 2},
	{"us\x00er@example.com", ReasonControl, 2},
	{"\"\x7f\"@example.com", ReasonControl, 1},
	{"us\u0085er@example.com", ReasonControl, 2},
	{"user@exa\x1bmple.com", ReasonControl, 8},
	{"us\u202eer@example.com", ReasonBidiControl, 2},
	{"\"\u2066\"@example.com", ReasonBidiControl, 1},
	{"us\u200ber@example.com", ReasonInvisible, 2},
	{"us\u00ader@example.com", ReasonInvisible, 2},
	{"\ufeffuser@example.com", ReasonInvisible, 0},
	{"\"\u3164\"@example.com", ReasonInvisible, 1},
	{"us\u200der@example.com", ReasonInvisible, 2},
	{"می\u200c@example.com", ReasonInvisible, 4},
	{"😀\u200dx@example.com", ReasonInvisible, 4},
	{"😀\u200c😀@example.com", ReasonInvisible, 4},
	{"user\ufe0f@example.com", ReasonInvisible, 4},
	{"\ufe0f@example.com", ReasonInvisible, 0},
	{"1\ufe0f@example.com", ReasonInvisible, 1},
	{"a\ufe0f\u20e3@example.com", ReasonInvisible, 1},
	{"\U000e0041@example.com", ReasonInvisible, 0},
	{"us\ufffeer@example.com", ReasonNoncharacter, 2},
	{"\U0010ffff@example.com", ReasonNoncharacter, 0},
	{"\ufdd0@example.com", ReasonNoncharacter, 0},
	{"us\ufffder@example.com", ReasonReplacement, 2},
	{"us\ufffcer@example.com", ReasonReplacement, 2},
	{" user@example.com", ReasonSpace, 0},
	{"\u00a0user@example.com", ReasonSpace, 0},
	{"user@example.com ", ReasonSpace, 16},
	{"user @example.com", ReasonSpace, 4},
	{"user@ example.com", ReasonSpace, 5},
	{"us\ter@example.com", ReasonSpace, 2},
	{"us er<b@example.com", ReasonSpace, 2},
	{"\"\t\"@example.com", ReasonSpace, 1},
	{"\"\u3000\"@example.com", ReasonSpace, 1},

	{"a,b@example.com", ReasonLocalCharacter, 1},
	{`a\@b@example.com`, ReasonLocalCharacter, 1},
	{"[a]@example.com", ReasonLocalCharacter, 0},
	{".user@example.com", ReasonLocalDot, 0},
	{"user.@example.com", ReasonLocalDot, 4},
	{"a..b@example.com", ReasonLocalDot, 2},
	{`"user@example.com`, ReasonQuoting, 0},
	{`"a"b@example.com`, ReasonQuoting, 3},
	{`a."b"@example.com`, ReasonQuoting, 2},
	{"\"a\\\r\"@example.com", ReasonQuotedPair, 2},
	{`"\é"@example.com`, ReasonQuotedPair, 1},
	{`@"\`, ReasonEmptyLocal, 0},
	{`"@\`, ReasonQuotedPair, 2},

	{"user@exa_mple.com", ReasonDomainCharacter, 8},
	{"a@example.com,b@example.com", ReasonDomainCharacter, 13},
	{"user@.com", ReasonEmptyLabel, 5},
	{"user@example..com", ReasonEmptyLabel, 13},
	{"user@example.com.", ReasonTrailingDot, 16},
	{"user@-a.com", ReasonLabelHyphen, 5},
	{"user@éb--c.com", ReasonReservedLabel, 5},
	{"user@xn--a.com", ReasonInvalidALabel, 5},
	{"user@a\u200db.com", ReasonInvalidULabel, 5},
	{"user@0a.א", ReasonBidiRule, 5},
	{"user@localhost", ReasonDotless, 5},
	{"user@192.0.2.1", ReasonNumericTLD, 13},
	{"user@[192.0.2.1]", ReasonAddressLiteral, 5},
	{"user@[localhost]", ReasonMalformedLiteral, 6},

	{strings.Repeat("a", 65) + "@example.com", ReasonLocalTooLong, 0},
	{"user@" + strings.Repeat("a", 64) + ".com", ReasonLabelTooLong, 5},
	{"user@" + strings.Repeat("abc.", 63) + "com", ReasonDomainTooLong, 5},
	{"user@" + strings.Repeat("abc.", 61) + "museum", ReasonAddressTooLong, 0},
	{strings.Repeat("<", maxInput+1), ReasonAddressTooLong, maxMailbox},
}

func TestParseRefuses(t *testing.T) {
	for _, c := range refusals {
		a, err := Parse(c.in)
		checkRefusal(t, c.in, a.Mailbox(), err, c.want, c.pos)
	}
}

func TestErrorNamesThePlace(t *testing.T) {
	for in, want := range map[string]string{
		"  user@example.com": "there is a space before the address",
		"user@example.com ":  "there is a space after the address",
		"us er@example.com":  "there is a space in the local-part",
		"user@exam ple.com":  "there is a space in the domain",
		"a..b@example.com":   "local-part has two dots in a row",
		"a@example..com":     "domain has two dots in a row",
		"user@a\u2024com":    "U+2024 may not stand in a domain",
		"user@a.xn--0.com":   `label begins with "xn--" but is not a valid A-label`,

		"\ufeffuser@example.com":      "there is an invisible character (U+FEFF) before the address",
		"user@example.com\u202c":      "there is a character that turns the direction of writing (U+202C) after the address",
		"user@example.com\n":          "there is a line break (U+000A) after the address",
		"\x00user@example.com":        "there is a control character (U+0000) before the address",
		"us\u200ber@example.com":      "there is an invisible character (U+200B)",
		"a@example.com;b@example.com": `there is more than one address, with ";" between them; give each by itself`,
		"user@example,com":            `"," may not stand in a domain`,
		"user\uff20example.com":       `there is no "@", only a wide one (U+FF20 or U+FE6B), which is another character`,
		"user%40example.com":          `there is no "@", only "%40", which stands for it in links`,
	} {
		if _, err := Parse(in); err == nil || err.Error() != want {
			t.Errorf("%+q: %q, want %q", in, err, want)
		}
	}
}

func TestEveryReasonIsReached(t *testing.T) {
	reached := map[Reason]bool{}
	for _, c := range refusals {
		reached[c.want] = true
	}
	for _, reason := range declaredReasons(t) {
		if !reached[reason] {
			t.Errorf("no refusal in the table has the reason %q", reason)
		}
	}
}

// declaredReasons reads the values of the constants in error.go.
func declaredReasons(t *testing.T) []Reason {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "error.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var reasons []Reason
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			reasons = append(reasons, Reason(value))
		}
		return true
	})
	if len(reasons) < 30 {
		t.Fatalf("found only %d constants", len(reasons))
	}
	return reasons
}

func checkRefusal(t *testing.T, in, got string, err error, want Reason, pos int) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%+.80q: accepted as %q, want %s", in, got, want)
		return
	}
	if e.Reason != want || e.Pos != pos {
		t.Errorf("%+.80q: %s at %d (%s), want %s at %d", in, e.Reason, e.Pos, e, want, pos)
	}
}

func reasonOf(err error) Reason {
	var e *Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return ""
}
