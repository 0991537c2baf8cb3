package list

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine/address"
)

// heldCells are what people and programs write round one address.
var heldCells = []struct {
	cell       string
	kind       Kind
	text       string // the address that is asked about
	suggestion string
}{
	// Programs.
	{`="bob@acme.example"`, Address, "bob@acme.example", ""},
	{`'="bob@acme.example"`, Address, "bob@acme.example", ""},
	{`=HYPERLINK("mailto:bob@acme.example","Bob ""B"" Smith")`, Address, "bob@acme.example", ""},
	{`=LIEN_HYPERTEXTE("mailto:bob@acme.example?subject=Salut"; "bob@acme.example")`, Address, "bob@acme.example", ""},
	{`=HYPERLINK("mailto:bob@acme.example","eve@acme.example")`, Several, "", ""},
	{`=HYPERLINK("mailto:"&A2,"bob@acme.example")`, Unclear, "", "bob@acme.example"},
	{`=A2&"@acme.example"`, Unclear, "", ""},
	{`=CONCATENATE("bob","@acme.example")`, Unclear, "", ""},
	{`<a href="mailto:bob@acme.example">bob@acme.example</a>`, Address, "bob@acme.example", ""},
	{`<A class=x HREF='mailto:bob@acme.example?subject=a&amp;b'><b>Mail</b></A>`, Address, "bob@acme.example", ""},
	{`<a href=mailto:bob@acme.example>Mail</a>`, Address, "bob@acme.example", ""},
	{`<a href="https://acme.example/bob">bob@acme.example</a>`, Address, "bob@acme.example", ""},
	{`<a href="mailto:bob@acme.example">eve@acme.example</a>`, Several, "", ""},
	{`<a href="mailto:bob@acme.example?subject=Hi">eve@acme.example</a>`, Several, "", ""},
	{`<a href="mailto:bob@acme.example">Bob</a> left us`, Unclear, "", "bob@acme.example"},
	{`[Bob](mailto:bob@acme.example)`, Address, "bob@acme.example", ""},
	{`&lt;bob@acme.example&gt;`, Address, "bob@acme.example", ""},
	{`Bob &lt;bob&#64;acme.example&gt;`, Address, "bob@acme.example", ""},
	{`<p>bob@acme.example<br/></p>`, Address, "bob@acme.example", ""},
	{`&nbsp;`, Empty, "", ""},
	{`mailto:bob@acme.example?subject=Hello...`, Address, "bob@acme.example", ""},
	{`https://acme.example/unsubscribe?email=bob@acme.example`, Address, "bob@acme.example", ""},
	{`https://acme.example/u?id=7&to=bob%2Bnews%40acme.example&x=y#top`, Address, "bob+news@acme.example", ""},
	{`?email=bob@acme.example`, Address, "bob@acme.example", ""},
	{`acme.example/u?email=bob@acme.example`, Address, "bob@acme.example", ""},
	{`https://acme.example/?from=bob@acme.example&to=eve@acme.example`, Several, "", ""},

	// People.
	{"bob@acme.example - bounced", Unclear, "", "bob@acme.example"},
	{"E-Mail bob@acme.example", Unclear, "", "bob@acme.example"},
	{"privat: bob@acme.example", Unclear, "", "bob@acme.example"},
	{"privat: bob @ acme.example", Unclear, "", "bob@acme.example"},
	{"alice@acme.example, n/a", Unclear, "", "alice@acme.example"},
	{"alice@acme.example; Tel. 030 123", Unclear, "", "alice@acme.example"},
	{"do not mail: bob@acme.example!", Unclear, "", "bob@acme.example"},
	{"1. bob@acme.example", Unclear, "", "bob@acme.example"},
	{"• bob@acme.example", Unclear, "", "bob@acme.example"},
	{"bob@acme.example [verified 2021]", Unclear, "", "bob@acme.example"},
	{"bob[at]acme[dot]example", Unclear, "", "bob@acme.example"},
	{"https://acme.example/people/bob@acme.example/", Unclear, "", "bob@acme.example"},
	{"'bob@acme.example", Unclear, "", "bob@acme.example"},
	{"*bob@acme.example", Unclear, "", "bob@acme.example"},
	{"Bob|bob@acme.example", Unclear, "", "bob@acme.example"},
	{"Bob/bob@acme.example", Unclear, "", "bob@acme.example"},
	{"email=bob@acme.example", Unclear, "", "bob@acme.example"},
	{"邮箱：bob@acme.example", Unclear, "", "bob@acme.example"},
	{"@bob@social.example", Unclear, "", "bob@social.example"},
	{"bob@acme.example bounced, now eve@acme.example", Several, "", ""},
	{"bob@acme.example (the old one)", Address, "bob@acme.example", ""},
	{"ghost@acme.example (alt: info@acme.example)", Several, "", ""},

	// Cut off.
	{"ghost@acme.exam...", Unclear, "", ""},
	{"ghost@acme.exam…", Unclear, "", ""},
	{"ghost@acme.exam ...", Unclear, "", ""},
	{"Ghost <ghost@acme.exam...>", Unclear, "", ""},
	{"privat: ghost@acme.exam...", Unclear, "", ""},
	{"ghost@acme.exam[...]", Unclear, "", ""},
	{"gho...@acme.example", Unclear, "", ""},
	{"gho…@acme.example", Unclear, "", ""},
	{"gho...@docomo.ne.jp", Unclear, "", ""}, // so do archives hide a part of it
	{"a...b@docomo.ne.jp", Address, "a...b@docomo.ne.jp", ""},
	{"J... Smith <j@acme.example>", Address, "j@acme.example", ""},

	// Words for "none" are nobody's address.
	{"k. A.", Empty, "", ""},
	{"Unbekannt", Empty, "", ""},
	{"no e-mail", Empty, "", ""},
	{"(aucun)", Empty, "", ""},
	{"нет", Empty, "", ""},
	{"なし", Empty, "", ""},
	{"unknown@acme.example", Address, "unknown@acme.example", ""},

	// No address, and nothing that a person could mean by it.
	{"a..b@acme.example", Address, "a..b@acme.example", ""},
	{"jane@a@b.example", Address, "jane@a@b.example", ""},
	{"@bob", Address, "@bob", ""},
	{"https://social.example/@bob", Address, "https://social.example/@bob", ""},
	{"jane", Address, "jane", ""},
	// Addresses, as odd as they look.
	{"=a+b@acme.example", Address, "=a+b@acme.example", ""},
	{"-bob@acme.example", Address, "-bob@acme.example", ""},
	{`"Bob/Sales"@acme.example`, Address, `"Bob/Sales"@acme.example`, ""},
	{`"a?b=c"@acme.example`, Address, `"a?b=c"@acme.example`, ""},
	{"o'neil@acme.example", Address, "o'neil@acme.example", ""},
	{"a&lt@acme.example", Address, "a&lt@acme.example", ""},
	{"prvs=1=bob@acme.example", Address, "prvs=1=bob@acme.example", ""},
}

// TestCells: an address that stands in a cell by itself is asked about, without
// what programs put round it. One beside other words is not: a person decides,
// and has it as the suggestion.
func TestCells(t *testing.T) {
	for _, c := range heldCells {
		kind, text := held(c.cell)
		if kind != c.kind || kind == Address && text != c.text || kind != Address && text != c.cell {
			t.Errorf("%s: kind %d, %q; want %d, %q", c.cell, kind, text, c.kind, c.text)
			continue
		}
		result, without := kind.Result(text)
		if without == (kind == Address) {
			t.Errorf("%s: kind %d has a result: %v", c.cell, kind, without)
		}
		if !without {
			continue
		}
		if result.Suggestion != c.suggestion {
			t.Errorf("%s: suggestion %q, want %q", c.cell, result.Suggestion, c.suggestion)
		}
		if group := bulk.GroupFor(result); group == bulk.GroupBad || group == bulk.GroupRetry {
			t.Errorf("%s: %s, group %s", c.cell, result.Verdict, group)
		}
		if emailCell(result) != "" {
			t.Errorf("%s: %q is said to have been verified", c.cell, emailCell(result))
		}
	}
}

// living matches what a person takes for an address.
var living = regexp.MustCompile(`[\pL\pN._%+-]+(@|%40)[\pL\pN-]+(\.[\pL\pN-]+)+`)

// TestNothingAliveIsBad: whatever program wrote a list, a row that has what
// looks like an address is not bad before somebody was asked.
func TestNothingAliveIsBad(t *testing.T) {
	files, err := filepath.Glob("testdata/lists/*")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		r, err := NewReader(file, Options{Format: FormatOf(name)})
		if err != nil {
			t.Logf("%s is refused: %v", name, err)
			continue
		}
		for row, err := r.Next(); err == nil; row, err = r.Next() {
			for i := range row.Addresses {
				kind, text := row.Held(i)
				result, without := kind.Result(text)
				_, wrong := address.Read(text)
				asked := !without && wrong == nil
				if looks := living.FindString(row.Raw); looks != "" && !asked && (!without || bulk.GroupFor(result) == bulk.GroupBad) {
					t.Errorf("%s, line %d: %q is bad, and has %s", name, row.Line, row.Raw, looks)
				}
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestDamagedRows: what is no row of the list is not asked about, and says
// nothing against anybody.
func TestDamagedRows(t *testing.T) {
	r, err := NewReader(strings.NewReader(`{"email":"alice@acme.example"}
{bad
5
["bob@acme.example"]
{"email":5}
{"email":{"work":"bob@acme.example"}}
{"email":"a@acme.example","email":"b@acme.example"}
{"email":["bob@acme.example"]}
{"email":["a@acme.example","b@acme.example"]}
{"email":[]}
`), Options{Format: JSONLines})
	if err != nil {
		t.Fatal(err)
	}
	want := []Kind{Address, Unreadable, Unreadable, Unreadable, Unreadable, Unreadable, Unreadable, Address, Several, Empty}
	for i := range want {
		row, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		kind, text := row.Held(0)
		if kind != want[i] {
			t.Errorf("%s: kind %d, want %d", row.Raw, kind, want[i])
		}
		if kind != Unreadable {
			continue
		}
		result, _ := kind.Result(text)
		if result.Reason != rcpt.ReasonInvalidRow || result.RetryAfter() != 0 || bulk.GroupFor(result) != bulk.GroupRisky {
			t.Errorf("%s: %+v", row.Raw, result)
		}
	}
}
