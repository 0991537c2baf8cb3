package list

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/address"
)

// lists are small files as people have them. Want is what is verified of each
// row, or "several" or "empty"; of several columns with a bar between them.
var lists = []struct {
	name, file, list string
	columns          []string
	want             []string
	read, others     string // what is said of the columns
	refused          string // why the file is not read
	changes          bool   // CSV does not come out as it went in
}{
	{name: "export of an address book", file: "a.csv", list: "Name,E-Mail\nJane,Jane Doe <jane@a.example>\nBob,\"\"\"Doe, Bob\"\" <bob@a.example>\"\n",
		want: []string{"jane@a.example", "bob@a.example"}, read: `2 "E-Mail"`},
	{name: "address book without header", file: "a.csv", list: "\"Jane Doe\" <jane@a.example>\n<bob@a.example>\n", want: []string{"jane@a.example", "bob@a.example"}, changes: true},
	{name: "names with commas, one a line", file: "a.txt", list: "Doe, Jane <jane@a.example>\nDoe, Bob <bob@a.example>\n", want: []string{"jane@a.example", "bob@a.example"}},
	{name: "semicolons", file: "a.csv", list: "Name;Mail;Ort\nA, B;jane@a.example;Köln\n;bob@a.example;\n", want: []string{"jane@a.example", "bob@a.example"}, read: `2 "Mail"`},
	{name: "tabs in .txt", file: "a.txt", list: "id\tName\tEmail\n1\tJane\tjane@a.example\n2\tBob\tbob@a.example\n", want: []string{"jane@a.example", "bob@a.example"}, read: `3 "Email"`},
	{name: "commas in .txt", file: "a.txt", list: "1,jane@a.example\n2,bob@a.example\n", want: []string{"jane@a.example", "bob@a.example"}, read: "2"},
	{name: "semicolons in .txt", file: "a.txt", list: "Email;Name\njane@a.example;Jane\n", want: []string{"jane@a.example"}, read: `1 "Email"`},
	{name: "Unicode Text of Excel", file: "a.txt", list: "\xff\xfe" + utf16("LE", "Name\tE-Mail\r\nJürgen\tjane@a.example\r\n"), want: []string{"jane@a.example"}, read: `2 "E-Mail"`},
	{name: "UTF-16, one a line", file: "a.txt", list: "\xfe\xff" + utf16("BE", "jane@a.example\r\nbob@a.example\r\n"), want: []string{"jane@a.example", "bob@a.example"}},
	{name: "byte order mark", file: "a.csv", list: "\ufeffemail,name\r\njane@a.example,Jane\r\n", want: []string{"jane@a.example"}, read: `1 "email"`},
	{name: "one a line, comments and blanks", file: "a.txt", list: "# old customers, please check\n\n jane@a.example \n#bob@a.example\n# eve@a.example\n\u00a0\u200beve@a.example\n",
		want: []string{"empty", "jane@a.example", "#bob@a.example", "empty", "eve@a.example"}},
	{name: "one a line, some with two", file: "a.txt", list: "jane@a.example\nbob@a.example, eve@a.example\njoe@a.example;\n", want: []string{"jane@a.example", "several", "joe@a.example"}},
	{name: "table with some rows that are one address", file: "a.txt", list: "jane@a.example;Jane\nbob@a.example;\neve@a.example;Eve\n",
		want: []string{"jane@a.example", "bob@a.example", "eve@a.example"}, read: "1"},
	{name: "one column with a name", file: "a.txt", list: "E-Mail\njane@a.example\n", want: []string{"jane@a.example"}},
	{name: "JSON array of strings", file: "a.json", list: `["jane@a.example", "Bob <bob@a.example>", ""]`, want: []string{"jane@a.example", "bob@a.example", "empty"}},
	{name: "JSON array of objects", file: "a.json", list: "[\n  {\n    \"email\": \"jane@a.example\",\n    \"id\": 1.0\n  },\n  {\"email\": null}\n]\n", want: []string{"jane@a.example", "empty"}},
	{name: "one JSON object over several lines", file: "a.json", list: "{\n \"id\": 1,\n \"email\": \"jane@a.example\"\n}\n", want: []string{"jane@a.example"}},
	{name: "JSON array called .jsonl", file: "a.jsonl", list: `[{"email":"jane@a.example"}]`, want: []string{"jane@a.example"}},
	{name: "JSON array without a name", file: "-", list: ` [ "jane@a.example" ]`, want: []string{"jane@a.example"}},
	{name: "JSON fields", file: "a.jsonl", list: `{"Mail":"jane@a.example","mail2":"bob@a.example"}` + "\n" + `{"Mail":"eve@a.example"}` + "\n{}\n",
		columns: []string{"Mail", "mail2"}, want: []string{"jane@a.example|bob@a.example", "eve@a.example|empty", `!line 3: the JSON object has no string "Mail"`}},
	{name: "JSON array that breaks off", file: "a.json", list: `["jane@a.example", "bob`, refused: "element 2: not JSON: unexpected EOF"},
	{name: "JSON with another field", file: "a.json", list: `[{"id":1,"E-Mail":"jane@a.example"}]`, want: []string{"jane@a.example"}},
	{name: "JSON with one field of addresses", file: "a.json", list: `[{"id":1,"to":"jane@a.example"}]`, want: []string{"jane@a.example"}},
	{name: "JSON with two fields of addresses", file: "a.json", list: `[{"to":"jane@a.example","by":"bob@a.example"}]`, refused: `write --column FIELD: the fields are "to", "by"`},
	{name: "several columns", file: "a.csv", list: "Name,Email,Email 2,Work\nJane,jane@a.example,j@b.example,w@c.example\nBob,,bob@b.example,\n", columns: []string{"Email", "Email 2"},
		want: []string{"jane@a.example|j@b.example", "empty|bob@b.example"}, read: `2 "Email", 3 "Email 2"`, others: `4 "Work" (1 of 2 rows)`},
	{name: "others that hold addresses", file: "a.csv", list: "Name,Email,Email 2,Work\nJane,jane@a.example,j@b.example,w@c.example\n",
		want: []string{"jane@a.example"}, read: `2 "Email"`, others: `3 "Email 2" (1 of 1 row), 4 "Work" (1 of 1 row)`},
	{name: "column given twice", file: "a.csv", list: "a,b\nx@a.example,y@a.example\n", columns: []string{"a", "1"}, refused: `column 1 "a" is given twice`},
	{name: "stray quote", file: "a.csv", list: "Email,Note\njane@a.example,\"so\nbob@a.example,\"x\"\neve@a.example,y\n", want: []string{"jane@a.example merged 2-3", "eve@a.example"},
		read: `1 "Email"`, changes: true},
	{name: "stray quote that takes the address in", file: "a.csv", list: "Note,Email\n\"so,jane@a.example\nx,bob@a.example,\"y\"\nz,eve@a.example\n", want: []string{"!rows 2–3 seem to be merged merged 2-3", "eve@a.example"},
		read: `2 "Email"`, changes: true},
	{name: "line breaks in quotes", file: "a.csv", list: "Note,Email\n\"so\nand, so\",jane@a.example\n", want: []string{"jane@a.example"}, read: `2 "Email"`},
	{name: "trailing blanks and dots", file: "a.csv", list: "id,email\n1,jane@a.example \n2,bob@a.example.\n3,eve@a.example;\t\n", want: []string{"jane@a.example", "bob@a.example", "eve@a.example"}, read: `2 "email"`},
	{name: "zero-width", file: "a.csv", list: "id,email\n1,\u200bjane@a.example\n2,bo\u200bb@a.example\n", want: []string{"jane@a.example", "bob@a.example"}, read: `2 "email"`},
	{name: "full-width", file: "a.csv", list: "id,メール\n1,ｊａｎｅ＠ａ．ｅｘａｍｐｌｅ\n", want: []string{"jane@a.example"}, read: `2 "メール"`},
	{name: "full-width in a column without a known name", file: "a.csv", list: "id,x\n1,ｊａｎｅ＠ａ．ｅｘａｍｐｌｅ\n", want: []string{"jane@a.example"}, read: `2 "x"`},
	{name: "two addresses in a cell", file: "a.csv", list: "id,email\n1,\"jane@a.example, bob@a.example\"\n2,jane@a.example / bob@a.example\n3,jane@a.example;jane@a.example\n",
		want: []string{"several", "several", "jane@a.example"}, read: `2 "email"`},
	{name: "empty cells and words for them", file: "a.csv", list: "id,email\n1,\n2,N/A\n3,-\n4,null\n5,#N/A\n6\n7,jane@a.example\n",
		want: []string{"empty", "empty", "empty", "empty", "empty", "empty", "jane@a.example"}, read: `2 "email"`},
	{name: "columns of an earlier run", file: "a.csv", list: "email,rcpt_result,rcpt_reason,rcpt_suggestion,n\njane@a.example,undeliverable,x,j@b.example,1\n",
		want: []string{"jane@a.example"}, read: `1 "email"`, changes: true},
	{name: "header alone", file: "a.csv", list: "id,email\n", read: `2 "email"`},
	{name: "nothing", file: "a.csv", list: ""},
	{name: "no header", file: "a.csv", list: "Jane,jane@a.example,1\nBob,bob@a.example,2\n", want: []string{"jane@a.example", "bob@a.example"}, read: "2"},
	{name: "CRLF and none at the end", file: "a.csv", list: "id,email\r\n1,jane@a.example\r\n2,bob@a.example", want: []string{"jane@a.example", "bob@a.example"}, read: `2 "email"`},
	{name: "sep=;", file: "a.csv", list: "sep=;\r\nemail;name\r\njane@a.example;Jane\r\n", want: []string{"jane@a.example"}, read: `1 "email"`},
	{name: "sep=; in .txt", file: "a.txt", list: "sep=;\nemail;name\njane@a.example;Jane\n", want: []string{"jane@a.example"}, read: `1 "email"`},
	{name: "Windows-1252", file: "a.csv", list: "name;email\nK\xe4the;k\xe4the@a.example\n", want: []string{"käthe@a.example"}, read: `2 "email"`},
	{name: "bad addresses", file: "a.txt", list: "a..b@a.example\n@a.example\njane@\njane@@a.example\njoe@a.example\n", want: []string{"a..b@a.example", "@a.example", "jane@", "jane@@a.example", "joe@a.example"}},
	{name: "only bad addresses", file: "a.txt", list: "a@a[dot]example\n@a.example\njane@\n", refused: `the list holds no valid address: its first lines are "a@a[dot]example", "@a.example", "jane@": correct them first`},
	{name: "two bad addresses", file: "a.txt", list: "jane@\nbob@@a.example\n", want: []string{"jane@", "bob@@a.example"}},
	{name: "colons", file: "a.txt", list: "jane@a.example:Jane\nbob@a.example:Bob\n", want: []string{"jane@a.example", "bob@a.example"}, read: "1"},
	{name: "signs that part columns now and then", file: "a.txt", list: "jane@a.example!Jane\nbob@a.example!Bob\n",
		refused: `the list has '!' beside the addresses: its first lines are "jane@a.example!Jane", "bob@a.example!Bob": if it parts columns, write sep=! into a line above`},
	{name: "colons that are named", file: "a.txt", list: "sep=:\njane@a.example:Jane\nbob@a.example:Bob\n", want: []string{"jane@a.example", "bob@a.example"}, read: "1"},
	{name: "a delimiter alone", file: "a.csv", list: "sep=;\n"},
	{name: "the field To", file: "a.txt", list: "jane@a.example; bob@a.example;\n", want: []string{"jane@a.example", "bob@a.example"}},
	{name: "the field To with names", file: "-", list: `"Doe, Jane" <jane@a.example>, Doe, Bob <bob@a.example>; Eve <eve@a.example>`, want: []string{"jane@a.example", "bob@a.example", "eve@a.example"}},
	{name: "the field To with blanks", file: "a.csv", list: "jane@a.example bob@a.example", want: []string{"jane@a.example", "bob@a.example"}, changes: true},
	{name: "one row of columns", file: "a.csv", list: "jane@a.example,bob@a.example\n", want: []string{"jane@a.example", "bob@a.example"}, changes: true},
	{name: "one line with other words", file: "a.txt", list: "jane@a.example; Bob; bob@a.example x\n", want: []string{"several"}},
	{name: "an at sign in the header alone", file: "a.csv", list: "Name,Email,org@home\n", refused: "row 1 names the columns and no row is below it"},
	{name: "tildes below a header", file: "a.csv", list: "Email~Name\njane@a.example~Jane\nbob@a.example~Bob\n",
		want: []string{"jane@a.example", "bob@a.example"}, read: `1 "Email"`},
	{name: "rows in quotes", file: "a.csv", list: "\"name,email\"\n\"Jane,jane@a.example\"\n\"Bob,bob@a.example\"\n",
		want: []string{"jane@a.example", "bob@a.example"}, read: `2 "email"`},
	{name: "blanks between columns", file: "a.txt", list: "Name   Email\nJane   jane@a.example\nBob    bob@a.example\nEve    eve@a.example\n", refused: `the list has other words beside the addresses`},
	{name: "labels", file: "a.txt", list: "privat: jane@a.example\nbüro: bob@a.example\n", want: []string{"privat: jane@a.example", "büro: bob@a.example"}},
	{name: "bad addresses in a column with a known name", file: "a.csv", list: "id,email\n1,jane\n2,bob\n3,eve@\n4,x\n", want: []string{"jane", "bob", "eve@", "x"}, read: `2 "email"`},
	{name: "two cells say nothing of a column", file: "a.csv", list: "id,email\n1,jane\n2,bob\n3,\n", want: []string{"jane", "bob", "empty"}, read: `2 "email"`},
	{name: "hashes in a column with a known name", file: "a.csv", list: "id,email\n1,5f4dcc3b\n2,7c6a180b\n3,e10adc39\n",
		refused: `column 2 "email" holds no addresses: its first cells are "5f4dcc3b", "7c6a180b", "e10adc39"; the columns are 1 "id", 2 "email"`},
	{name: "list of names", file: "a.txt", list: "Jane\nBob\nEve\n", refused: `the list holds no addresses: its first lines are "Jane", "Bob", "Eve"`},
	{name: "names before addresses", file: "a.txt", list: "Jane Doe jane@a.example\n\nBob bob@a.example (Bob)\nEve eve@a.example Paris\n",
		refused: `the list has other words beside the addresses: its first lines are "Jane Doe jane@a.example", "Bob bob@a.example (Bob)", "Eve eve@a.example Paris": put`},
	{name: "names before addresses in a column", file: "a.csv", list: "id,email\n1,Jane jane@a.example\n2,Bob bob@a.example\n3,\n4,Eve eve@a.example\n",
		refused: `column 2 "email" has other words beside the addresses: its first cells are "Jane jane@a.example", "Bob bob@a.example", "Eve eve@a.example": put`},
	{name: "names before addresses in JSON", file: "a.json", list: `["Jane jane@a.example", "Bob bob@a.example", null, "Eve eve@a.example"]`,
		refused: `the field "email" has other words beside the addresses: its first texts are "Jane jane@a.example", "Bob bob@a.example", "Eve eve@a.example": put`},
	{name: "hashes in JSON", file: "a.jsonl", list: `{"id":1,"email":"5f4dcc3b"}` + "\n" + `{"id":2,"email":"7c6a180b"}` + "\n" + `{"id":3,"email":"e10adc39"}` + "\n",
		refused: `the field "email" holds no addresses: its first texts are "5f4dcc3b", "7c6a180b", "e10adc39"; the fields are "id", "email"`},
	{name: "names before some addresses", file: "a.txt", list: "Jane jane@a.example\nBob bob@a.example\nEve eve@a.example\njoe@a.example\n",
		want: []string{"Jane jane@a.example", "Bob bob@a.example", "Eve eve@a.example", "joe@a.example"}},
	{name: "table without addresses", file: "a.csv", list: "name,city\nJane,Köln\n", refused: `found the columns 1 "name", 2 "city"; none holds addresses`},
	{name: "table without addresses in .txt", file: "a.txt", list: "name\tcity\nJane\tKöln\n", refused: `found the columns 1 "name", 2 "city"; none holds addresses`},
	{name: "wrong column", file: "a.csv", list: "name,email\nJane,jane@a.example\nBob,b@a.example\nEve,e@a.example\n", columns: []string{"name"},
		refused: `column 1 "name" holds no addresses: its first cells are "Jane", "Bob", "Eve"; the columns are 1 "name", 2 "email"`},
}

func TestLists(t *testing.T) {
	for _, c := range lists {
		t.Run(c.name, func(t *testing.T) {
			r, err := NewReader(strings.NewReader(c.list), Options{Format: FormatOf(c.file), Columns: c.columns})
			if c.refused != "" {
				var wrong *FormatError
				if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.refused) {
					t.Fatalf("error %v, want %s", err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			read, others := r.Columns()
			if got := strings.Join(read, ", "); got != c.read {
				t.Errorf("reads %s, want %s", got, c.read)
			}
			if got := strings.Join(others, ", "); got != c.others {
				t.Errorf("others are %s, want %s", got, c.others)
			}
			if diff := cmp.Diff(c.want, verifiedOf(t, r, c.changes)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// verifiedOf is what is verified of each row of a list. Unless it changes, CSV
// comes out as it went in, with a cell added to each row.
func verifiedOf(t *testing.T, r *Reader, changes bool) []string {
	t.Helper()
	w, err := NewWriter(r, Output{Format: CSV})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, meant(row))
		if body, _ := cutLineEnd(row.Raw); r.Format() == CSV && !changes {
			out := string(w.Append(nil, row.Raw, make([]rcpt.Result, len(row.Addresses))...))
			if !strings.HasPrefix(out, body+string(w.Delimiter)) {
				t.Errorf("%q came out as %q", row.Raw, out)
			}
		}
	}
}

func meant(row Row) string {
	var each []string
	for _, cell := range row.Addresses {
		switch cleaned := address.Clean(cell); {
		case cleaned.Several:
			each = append(each, "several")
		case cleaned.Address == "":
			each = append(each, "empty")
		default:
			each = append(each, cleaned.Address)
		}
	}
	text := strings.Join(each, "|")
	if row.Err != nil {
		first, _, _ := strings.Cut(row.Err.Error(), " by ")
		text = "!" + first
	}
	if row.Merged {
		text += " merged " + itoa(row.Line) + "-" + itoa(row.LastLine)
	}
	return text
}

func itoa(n int) string { return strings.TrimPrefix(numbered("", n), "_") }

// TestSecondRun: a list that has been through once comes out of a second run as
// out of the first.
func TestSecondRun(t *testing.T) {
	for _, c := range lists {
		if c.refused != "" {
			continue
		}
		for _, to := range []Output{{Format: CSV}, {Format: CSV, Details: true}, {Format: JSONLines}} {
			first := rewritten(t, c.list, Options{Format: FormatOf(c.file), Columns: c.columns}, to)
			if strings.Contains(first, otherColumn) {
				continue // what is in it is the user's, and stays in front
			}
			if to.Format == JSONLines && !strings.Contains(first, `"`+recordKey+`"`) {
				continue // of one address a line: the record is the line, and no column of it
			}
			again := Options{Format: to.Format, Columns: c.columns}
			second := rewritten(t, first, again, to)
			if diff := cmp.Diff(first, second); diff != "" {
				t.Errorf("%s to %s:\n%s", c.name, to.Format, diff)
			}
		}
	}
}

// rewritten is a list with the same result in all rows.
func rewritten(t *testing.T, list string, o Options, to Output) string {
	t.Helper()
	r := open(t, list, o)
	w, err := NewWriter(r, to)
	if err != nil {
		t.Fatal(err)
	}
	out := w.Head()
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return string(out)
		}
		if err != nil {
			t.Fatal(err)
		}
		results := make([]rcpt.Result, len(row.Addresses))
		for i := range results {
			results[i] = rcpt.Result{Email: "x@acme.example", Verdict: rcpt.VerdictDeliverable, Message: "=1", Details: &rcpt.Details{}}
		}
		out = w.Append(out, row.Raw, results...)
	}
}
