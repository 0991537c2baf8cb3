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
	{"", Empty, 0},
	{"example.com", MissingAt, 11},
	{`"a@example.com"`, MissingAt, 15},
	{"a@b@example.com", SecondAt, 3},
	{"@example.com", EmptyLocal, 0},
	{"user@", EmptyDomain, 5},
	{"<user@example.com>", AngleBracket, 0},
	{"user@example.com>", AngleBracket, 16},
	{"@relay.example:user@example.com", SourceRoute, 0},
	{"<@relay.example:user@example.com>", SourceRoute, 0},
	{"Joe User <user@example.com>", DisplayName, 0},
	{"Joe<user@example.com>", DisplayName, 0},
	{`"Joe User" <user@example.com>`, DisplayName, 0},
	{"user(comment)@example.com", HeaderComment, 4},
	{"user@example.com (comment)", Space, 16},
	{"mailto:user@example.com", URIScheme, 0},

	{"us\xffer@example.com", IllFormedUTF8, 2},
	{"\ufffd\xed\xa0\x80@example.com", IllFormedUTF8, 3},
	{"user\r\n@example.com", LineBreak, 4},
	{"user@example.com\r\nRCPT TO:<x@example.net>", LineBreak, 16},
	{"user@example.com\n", LineBreak, 16},
	{"\"a\nb\"@example.com", LineBreak, 2},
	{"\"a\"\r\n@example.com", LineBreak, 3},
	{"us\u2028er@example.com", LineBreak, 2},
	{"us\x00er@example.com", Control, 2},
	{"\"\x7f\"@example.com", Control, 1},
	{"us\u0085er@example.com", Control, 2},
	{"user@exa\x1bmple.com", Control, 8},
	{"us\u202eer@example.com", BidiControl, 2},
	{"\"\u2066\"@example.com", BidiControl, 1},
	{"us\u200ber@example.com", Invisible, 2},
	{"us\u00ader@example.com", Invisible, 2},
	{"\ufeffuser@example.com", Invisible, 0},
	{"\"\u3164\"@example.com", Invisible, 1},
	{"us\u200der@example.com", Invisible, 2},
	{"می\u200c@example.com", Invisible, 4},
	{"😀\u200dx@example.com", Invisible, 4},
	{"😀\u200c😀@example.com", Invisible, 4},
	{"user\ufe0f@example.com", Invisible, 4},
	{"\ufe0f@example.com", Invisible, 0},
	{"1\ufe0f@example.com", Invisible, 1},
	{"a\ufe0f\u20e3@example.com", Invisible, 1},
	{"\U000e0041@example.com", Invisible, 0},
	{"us\ufffeer@example.com", Noncharacter, 2},
	{"\U0010ffff@example.com", Noncharacter, 0},
	{"\ufdd0@example.com", Noncharacter, 0},
	{"us\ufffder@example.com", Replacement, 2},
	{"us\ufffcer@example.com", Replacement, 2},
	{" user@example.com", Space, 0},
	{"\u00a0user@example.com", Space, 0},
	{"user@example.com ", Space, 16},
	{"user @example.com", Space, 4},
	{"user@ example.com", Space, 5},
	{"us\ter@example.com", Space, 2},
	{"us er<b@example.com", Space, 2},
	{"\"\t\"@example.com", Space, 1},
	{"\"\u3000\"@example.com", Space, 1},

	{"a,b@example.com", LocalCharacter, 1},
	{`a\@b@example.com`, LocalCharacter, 1},
	{"[a]@example.com", LocalCharacter, 0},
	{".user@example.com", LocalDot, 0},
	{"user.@example.com", LocalDot, 4},
	{"a..b@example.com", LocalDot, 2},
	{`"user@example.com`, Quoting, 0},
	{`"a"b@example.com`, Quoting, 3},
	{`a."b"@example.com`, Quoting, 2},
	{"\"a\\\r\"@example.com", QuotedPair, 2},
	{`"\é"@example.com`, QuotedPair, 1},
	{`@"\`, EmptyLocal, 0},
	{`"@\`, QuotedPair, 2},

	{"user@exa_mple.com", DomainCharacter, 8},
	{"a@example.com,b@example.com", DomainCharacter, 13},
	{"user@.com", EmptyLabel, 5},
	{"user@example..com", EmptyLabel, 13},
	{"user@example.com.", TrailingDot, 16},
	{"user@-a.com", LabelHyphen, 5},
	{"user@éb--c.com", ReservedLabel, 5},
	{"user@xn--a.com", InvalidALabel, 5},
	{"user@a\u200db.com", InvalidULabel, 5},
	{"user@0a.א", BidiRule, 5},
	{"user@localhost", Dotless, 5},
	{"user@192.0.2.1", NumericTLD, 13},
	{"user@[192.0.2.1]", AddressLiteral, 5},
	{"user@[localhost]", MalformedLiteral, 6},

	{strings.Repeat("a", 65) + "@example.com", LocalTooLong, 0},
	{"user@" + strings.Repeat("a", 64) + ".com", LabelTooLong, 5},
	{"user@" + strings.Repeat("abc.", 63) + "com", DomainTooLong, 5},
	{"user@" + strings.Repeat("abc.", 61) + "museum", AddressTooLong, 0},
	{strings.Repeat("<", maxInput+1), AddressTooLong, maxMailbox},
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
