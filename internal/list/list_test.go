package list

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
)

// verified stands for every result in these tests. In CSV it is the cells in
// short.
var verified = rcpt.Result{Email: "x@acme.example", Verdict: rcpt.VerdictUnknown, Message: "=1+1"}

const (
	headerTail = "rcpt_result,rcpt_reason,rcpt_accept_all,rcpt_role,rcpt_free_email,rcpt_disposable,rcpt_spamtrap,rcpt_message,rcpt_suggestion,rcpt_action,rcpt_group,rcpt_email"
	cellsTail  = "unknown,,0,0,0,0,0,'=1+1,,review,risky,x@acme.example"
	record     = `{"email":"x@acme.example","user":"","domain":"","accept_all":0,"role":0,"free_email":0,"disposable":0,"spamtrap":0,"success":true,"result":"unknown","message":"=1+1","reason":"","action":"review","group":"risky"}`
)

// open reads a list, or ends the test.
func open(t *testing.T, list string, o Options) *Reader {
	t.Helper()
	r, err := NewReader(strings.NewReader(list), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readAll returns the addresses of a list and its rows.
func readAll(t *testing.T, r *Reader) (addresses, rows []string) {
	t.Helper()
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return addresses, rows
		}
		if err != nil {
			t.Fatal(err)
		}
		addresses, rows = append(addresses, row.Addresses...), append(rows, row.Raw)
	}
}

// written is a list with [verified] in every row; the columns that are added
// are cut to @ and #.
func written(t *testing.T, list string, o Options, to Output) string {
	t.Helper()
	r := open(t, list, o)
	w, err := NewWriter(r, to)
	if err != nil {
		t.Fatal(err)
	}
	out := w.Head()
	_, rows := readAll(t, r)
	for _, row := range rows {
		out = w.Append(out, row, verified)
	}
	delimiter := string(w.Delimiter)
	return strings.NewReplacer(
		strings.ReplaceAll(headerTail, ",", delimiter), "@",
		strings.ReplaceAll(cellsTail, ",", delimiter), "#",
		record, "{#}",
	).Replace(string(out))
}

// TestCSV: what goes in comes out, octet for octet, with the columns added.
func TestCSV(t *testing.T) {
	for _, c := range []struct{ name, list, want string }{
		{"comma", "id,email\n1,a@acme.example\n", "id,email,@\n1,a@acme.example,#\n"},
		{"semicolon", "id;email\n1;a@acme.example\n", "id;email;@\n1;a@acme.example;#\n"},
		{"tab", "id\temail\n1\ta@acme.example\n", "id\temail\t@\n1\ta@acme.example\t#\n"},
		{"pipe", "id|email\n1|a@acme.example\n", "id|email|@\n1|a@acme.example|#\n"},
		{"delimiter that a line names", "sep=;\nid;a,b\n1;a@acme.example\n", "sep=;\nid;a,b;@\n1;a@acme.example;#\n"},
		{"commas in semicolons", "name;email\nA, B;a@acme.example\nC, D;c@acme.example\n", "name;email;@\nA, B;a@acme.example;#\nC, D;c@acme.example;#\n"},
		{"as many commas as semicolons", "last, first;email\nA, B;a@acme.example\n", "last, first;email;@\nA, B;a@acme.example;#\n"},
		{"quotes", "\"na\"\"me\",\"email\"\n\"A,\nB\",\"a@acme.example\"\n", "\"na\"\"me\",\"email\",@\n\"A,\nB\",\"a@acme.example\",#\n"},
		{"blank behind quotes", "name,email\n\"A\" ,a@acme.example\n", "name,email,@\n\"A\" ,a@acme.example,#\n"},
		{"CRLF", "id,email\r\n1,a@acme.example\r\n", "id,email,@\r\n1,a@acme.example,#\r\n"},
		{"CRLF, none at the end", "id,email\r\n1,a@acme.example", "id,email,@\r\n1,a@acme.example,#\r\n"},
		{"mixed line ends", "id,email\n1,a@acme.example\r\n2,b@acme.example\n", "id,email,@\n1,a@acme.example,#\r\n2,b@acme.example,#\n"},
		{"line ends of old Macs", "id,email\r1,a@acme.example\r", "id,email,@\r1,a@acme.example,#\r"},
		{"line ends of all kinds", "id,email\r\n1,a@b.example\r2,c@d\n3,e@f\r\r\n4,g@h", "id,email,@\r\n1,a@b.example,#\r2,c@d,#\n3,e@f,#\r\r\n4,g@h,#\r\n"},
		{"carriage returns twice", "id,email\r\r\n1,a@b\r\r\n2,c@d", "id,email,@\r\r\n1,a@b,#\r\r\n2,c@d,#\r\r\n"},
		{"line ends of old Macs and those in cells", "id,email\r\"1\n2\r3\",a@b\r", "id,email,@\r\"1\n2\r3\",a@b,#\r"},
		{"empty lines of old Macs", "id,email\r\r1,a@b\r \r2,c@d\r", "id,email,@\r1,a@b,#\r2,c@d,#\r"},
		{"one line end of old Macs", "email\na@b\rc@d\n", "email,@\na@b,#\rc@d,#\n"},
		{"NULs", "id,email\n1,a@acme.example\n\x002\x00,b@acme.example\n3,c@acme.example\x00\n4,d@acme.example\x00\x00",
			"id,email,@\n1,a@acme.example,#\n\x002\x00,b@acme.example,#\n3,c@acme.example\x00,#\n4,d@acme.example,#\n"},
		{"NULs behind the last line", "email\na@b\nc@d\n\x00\x00", "email,@\na@b,#\nc@d,#\n"},
		{"backslashes before quotes", "n,email\n\"D \\\"J\\\", E\",a@acme.example\n\"C:\\\",b@acme.example\n\"a\\\\\\\"b\",c@acme.example\n\"x\\\",y,z\n",
			"n,email,@\n\"D \"\"J\"\", E\",a@acme.example,#\n\"C:\\\",b@acme.example,#\n\"a\\\"\"b\",c@acme.example,#\n\"x\\\",y,#,z\n"},
		{"rows in quotes", "\"name;email\"\r\n\"\"\"Doe; J\"\";a@acme.example\"\r\n\"x;b@acme.example\"", "name;email;@\r\n\"Doe; J\";a@acme.example;#\r\nx;b@acme.example;#\r\n"},
		{"no line end", "a@acme.example", "a@acme.example,#\n"},
		{"byte order mark", "\ufeffemail,id\na@acme.example,1\n", "\ufeffemail,id,@\na@acme.example,1,#\n"},
		{"no header", "1,a@acme.example\n2,b@acme.example\n", "1,a@acme.example,#\n2,b@acme.example,#\n"},
		{"one column", "email\na@acme.example\n", "email,@\na@acme.example,#\n"},
		{"short row", "id,email,city\n1,a@acme.example\n2\n", "id,email,city,@\n1,a@acme.example,,#\n2,,,#\n"},
		{"long row", "id,email\n1,a@acme.example,x,\"y\"\n", "id,email,@\n1,a@acme.example,#,x,\"y\"\n"},
		{"empty lines", "\nid,email\n\n1,a@acme.example\n\r\n  \n", "id,email,@\n1,a@acme.example,#\n"},
		{"empty cells are a row", "id,email\n,\n1,a@acme.example\n", "id,email,@\n,,#\n1,a@acme.example,#\n"},
		{"formulas of the user", "=A1,email\n+1,a@acme.example\n", "'=A1,email,@\n+1,a@acme.example,#\n"},
		{"our names are taken", "email,rcpt_role\na@acme.example,1\n", "email,rcpt_role," + strings.ReplaceAll(headerTail, ",", "_2,") + "_2\na@acme.example,1,#\n"},
		{"Windows-1252", "email,na\xefme\na@acme.example,\x80\n", "email,na\xefme,@\na@acme.example,\x80,#\n"},
		{"nothing", "", ""},
		{"header alone", "id,email\n", "id,email,@\n"},

		{"quote inside", "size,email\n5\" pipe,a@acme.example\n", "size,email,@\n5\" pipe,a@acme.example,#\n"},
		{"quotes not doubled", "name,email\n\"A \"B\" C\",a@acme.example\n", "name,email,@\n\"A \"\"B\"\" C\",a@acme.example,#\n"},
		{"quote closed too early", "size,email\n\"5\" pipe,a@acme.example\n\"6\" pipe,b@acme.example\n",
			"size,email,@\n\"5\"\" pipe\",a@acme.example,#\n\"6\"\" pipe\",b@acme.example,#\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, written(t, c.list, Options{Format: CSV}, Output{Format: CSV})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func utf16(order string, text string) string {
	var out strings.Builder
	for _, r := range text {
		if order == "LE" {
			out.WriteString(string([]byte{byte(r), byte(r >> 8)}))
		} else {
			out.WriteString(string([]byte{byte(r >> 8), byte(r)}))
		}
	}
	return out.String()
}

// TestConversions: from every format to the other.
func TestConversions(t *testing.T) {
	for _, c := range []struct {
		name, list string
		from       Format
		to         Output
		want       string
	}{
		{"CSV to JSON", "id,email\n1,a@acme.example\n", CSV, Output{Format: JSONLines}, `{"id":"1","email":"a@acme.example","rcpt":{#}}` + "\n"},
		{"without header", "1,a@acme.example\n", CSV, Output{Format: JSONLines}, `{"column_1":"1","column_2":"a@acme.example","rcpt":{#}}` + "\n"},
		{"names once each", "a,a,,email,rcpt\n1,2,3,a@acme.example,5,6\n", CSV, Output{Format: JSONLines},
			`{"a":"1","a_2":"2","column_3":"3","email":"a@acme.example","rcpt":"5","column_6":"6","rcpt_2":{#}}` + "\n"},
		{"Windows-1252", "email,n\na@acme.example,<\x80>\n", CSV, Output{Format: JSONLines}, `{"email":"a@acme.example","n":"<€>","rcpt":{#}}` + "\n"},

		{"lines to CSV", "a@acme.example\r\n b,@acme.example \n", Lines, Output{Format: CSV}, "email,@\na@acme.example,#\n\"b,@acme.example\",#\n"},
		{"lines to TSV", "a@acme.example\n", Lines, Output{Format: CSV, Delimiter: '\t'}, "email\t@\na@acme.example\t#\n"},
		{"lines to JSON", "\ufeffa@acme.example\n", Lines, Output{Format: JSONLines}, "{#}\n"},

		{"JSON to JSON", " {\"email\":\"a@acme.example\", \"n\": 1.0 } \r\n\n", JSONLines, Output{Format: JSONLines},
			`{"email":"a@acme.example", "n": 1.0 ,"rcpt":{#}}` + "\n"},
		{"field is taken", `{"rcpt":1,"email":"a@acme.example"}`, JSONLines, Output{Format: JSONLines}, `{"rcpt":1,"email":"a@acme.example","rcpt_2":{#}}` + "\n"},
		{"JSON to CSV", `{"id":7,"email":"a@acme.example"}` + "\n" + `{"email":"b@acme.example","x":null,"y":["<"]}` + "\n", JSONLines, Output{Format: CSV},
			"\ufeffid,email,x,y,@,rcpt_other\n7,a@acme.example,,,#,\n,b@acme.example,,\"[\"\"<\"\"]\",#,\n"},
		{"JSON to CSV for programs", `{"email":"a@acme.example"}`, JSONLines, Output{Format: CSV, Unmarked: true}, "email,@,rcpt_other\na@acme.example,#,\n"},
		{"short rows to JSON", "name,email\nA,a@acme.example\nB\n", CSV, Output{Format: JSONLines},
			`{"name":"A","email":"a@acme.example","rcpt":{#}}` + "\n" + `{"name":"B","email":"","rcpt":{#}}` + "\n"},
		{"broken JSON to JSON", "{\"email\":\"a@acme.example\"}\n{oops\n", JSONLines, Output{Format: JSONLines},
			`{"email":"a@acme.example","rcpt":{#}}` + "\n" + `{"line":"{oops","rcpt":{#}}` + "\n"},
		{"broken JSON to CSV", "{\"email\":\"a@acme.example\"}\n{oops\n", JSONLines, Output{Format: CSV},
			"\ufeffemail,@,rcpt_other\na@acme.example,#,\n,#,{oops\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, written(t, c.list, Options{Format: c.from}, c.to)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestFieldsThatComeLate: a field that the first lines do not have is not lost.
func TestFieldsThatComeLate(t *testing.T) {
	first := strings.Repeat(`{"email":"a@acme.example"}`+"\n", sampleRows)
	out := written(t, first+`{"email":"b@acme.example","late":[1, 2],"more":"x"}`, Options{Format: JSONLines}, Output{Format: CSV})
	if want := "b@acme.example,#,\"{\"\"late\"\":[1, 2],\"\"more\"\":\"\"x\"\"}\"\n"; !strings.HasSuffix(out, want) {
		t.Errorf("want %q at the end of %q", want, out[len(out)-100:])
	}
}

// TestAddresses: which cell is taken, and how it is read.
func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		name, list string
		o          Options
		want       []string
	}{
		{"column by name", "mail,work\na@acme.example,b@acme.example\n", Options{Format: CSV, Columns: []string{"work"}}, []string{"b@acme.example"}},
		{"name in other case", "id,Work\n1,b@acme.example\n", Options{Format: CSV, Columns: []string{"work "}}, []string{"b@acme.example"}},
		{"column by number", "a,b\na@acme.example,b@acme.example\n", Options{Format: CSV, Columns: []string{"2"}}, []string{"b@acme.example"}},
		{"a name wins over a number", "2,b\na@acme.example,b@acme.example\n", Options{Format: CSV, Columns: []string{"2"}}, []string{"a@acme.example"}},
		{"a name makes a header", "id,me@work\n1,x\n", Options{Format: CSV, Columns: []string{"me@work"}}, []string{"x"}},
		{"known name wins", "E-Mail Address;other\na@acme.example;b@acme.example\n", Options{Format: CSV}, []string{"a@acme.example"}},
		{"known name without addresses yet", "id,Courriel\n1,\n", Options{Format: CSV}, []string{""}},
		{"contents tell", "id,contact\n1,a@acme.example\n2,b@acme.example\n", Options{Format: CSV}, []string{"a@acme.example", "b@acme.example"}},
		{"most addresses", "x,y\nn@a.example,a@acme.example\n,b@acme.example\n,c@acme.example\n", Options{Format: CSV}, []string{"a@acme.example", "b@acme.example", "c@acme.example"}},
		{"blanks and quotes", "id,email\n1, a@acme.example\u00a0\n2,\" \"\"b c\"\"@acme.example\"\n", Options{Format: CSV}, []string{"a@acme.example", `"b c"@acme.example`}},
		{"Windows-1252", "email\nm\xfcller@acme.example\n", Options{Format: CSV}, []string{"müller@acme.example"}},
		{"UTF-16 LE", "\xff\xfe" + utf16("LE", "id;email\r\n1;mü@acme.example\r\n"), Options{Format: CSV}, []string{"mü@acme.example"}},
		{"UTF-16 BE", "\xfe\xff" + utf16("BE", "mü@acme.example\n"), Options{Format: Lines}, []string{"mü@acme.example"}},
		{"JSON field", `{"e":"a@acme.example"}`, Options{Format: JSONLines, Columns: []string{"e"}}, []string{"a@acme.example"}},
		{"JSON field in other case", `{"Email":" a@acme.example"}`, Options{Format: JSONLines}, []string{" a@acme.example"}},

		{"guess: lines", "a@acme.example\nb@acme.example\n", Options{}, []string{"a@acme.example", "b@acme.example"}},
		{"guess: CSV of one column", "email\na@acme.example\n", Options{}, []string{"a@acme.example"}},
		{"guess: CSV", "1,a@acme.example\n", Options{}, []string{"a@acme.example"}},
		{"guess: JSON", "\n { \"email\":\"a@acme.example\"}\n", Options{}, []string{"a@acme.example"}},
		{"guess: no JSON", "{a}@acme.example\n", Options{}, []string{"{a}@acme.example"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := readAll(t, open(t, c.list, c.o))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRefused: what cannot be guessed is said, with what to do.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, list string
		o          Options
		want       string
	}{
		{"two columns with addresses", "work,home\na@acme.example,b@acme.example\n", Options{},
			`more than one column may hold the addresses: write --column NAME or NUMBER; the columns are 1 "work", 2 "home"`},
		{"nearly as many addresses", "x,y\na@acme.example,b@acme.example\na@acme.example,b@acme.example\n,b@acme.example\n", Options{}, "more than one column may hold"},
		{"no addresses", "id,name\n1,2\n", Options{}, `found the columns 1 "id", 2 "name"; none holds addresses: write --column NAME or NUMBER, or --header-row N`},
		{"no addresses in numbered rows", "1,Jane\n2,Bob\n", Options{}, `no column holds addresses; the fullest of the first rows is 1 "1", 2 "Jane": write`},
		{"no addresses below a title", "List of 2026\n\nid,name\n1,2\n", Options{Format: CSV}, `found the columns 1 "id", 2 "name"; none holds addresses`},
		{"no addresses below a header", "id,name\n1,2\n", Options{HeaderRow: 1}, `found the columns 1 "id", 2 "name"; none holds addresses: write --column NAME or NUMBER`},
		{"no such column", "id,email\n1,a@acme.example\n", Options{Columns: []string{"mail"}}, `there is no column "mail"; the columns are 1 "id", 2 "email"`},
		{"number too high", "id,email\n1,a@acme.example\n", Options{Columns: []string{"3"}}, `there is no column "3"`},
		{"twice the name", "a,a,email\n1,2,a@acme.example\n", Options{Columns: []string{"a"}}, `more than one column is named "a": write --column NUMBER`},
		{"a column of lines", "a@acme.example\n", Options{Format: Lines, Columns: []string{"email"}}, "leave --column out"},
		{"NUL", "a\x00b\n", Options{}, "NUL octets"},
		{"spreadsheet", "PK\x03\x04xxxx", Options{}, "save the list as .xlsx or CSV"},
		{"a sheet of lines", "a@acme.example\n", Options{Sheet: "x"}, "leave --sheet out"},
		{"ten lines that are no JSON", strings.Repeat("{\"mail\":1}\n", maxBroken) + `{"email":"a@acme.example"}`, Options{Format: JSONLines},
			`not JSON objects with a string "email": the JSON object has no string "email"`},
		{"all of a few lines", "a@acme.example\n", Options{Format: JSONLines}, `not a JSON object`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := NewReader(strings.NewReader(c.list), c.o)
			var wrong *FormatError
			if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// TestDelimiterOfOutput: rows of CSV keep theirs.
func TestDelimiterOfOutput(t *testing.T) {
	var wrong *FormatError
	if _, err := NewWriter(open(t, "1;a@acme.example\n", Options{}), Output{Format: CSV, Delimiter: '\t'}); !errors.As(err, &wrong) {
		t.Errorf("error %v", err)
	}
}

// TestBrokenRows: where a row cannot be read the error names its line, and the
// rows before it have been read.
func TestBrokenRows(t *testing.T) {
	for _, c := range []struct{ name, list, want string }{
		{"quote never closed", "id,email\n1,a@acme.example\n\n2,\"b@acme.example\n3,c@acme.example\n", "line 4, column 2: a quote is never closed, or the file is cut off"},
		{"row too long", "id,email\n1,a@acme.example\n2," + strings.Repeat("x", MaxRow), "line 3, column 2: the row is longer than 1048576 octets"},
		{"quote closed too late", "id,email\n1,a@acme.example\n2,\"" + strings.Repeat("x\n", MaxRow), "line 3, column 2: the row is longer than 1048576 octets; a quote is not closed, or the file is cut off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t, c.list, Options{Format: CSV})
			first, err := r.Next()
			if err != nil || first.Addresses[0] != "a@acme.example" {
				t.Fatalf("row %+v, error %v", first, err)
			}
			if _, err := r.Next(); err == nil || err.Error() != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

// TestCutOff: a row that an error cuts off is no row.
func TestCutOff(t *testing.T) {
	broken := errors.New("broken")
	list := io.MultiReader(strings.NewReader("a@acme.example\n"), strings.NewReader(strings.Repeat("x", sampleSize)), errReader{broken})
	r, err := NewReader(list, Options{Format: Lines})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if row, err := r.Next(); !errors.Is(err, broken) {
		t.Errorf("row %+v, error %v", row, err)
	}
}

type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) { return 0, e.err }

// TestForeign: rows that are not UTF-8 say so, and every row knows its line.
func TestForeign(t *testing.T) {
	r := open(t, "id,email\n\n1,\"ü\n\"@acme.example\n2,\xfc@acme.example\n3,x@acme.example\n", Options{})
	for _, want := range []Row{{Line: 3}, {Line: 5, Foreign: true}, {Line: 6}} {
		row, err := r.Next()
		if err != nil || row.Line != want.Line || row.Foreign != want.Foreign {
			t.Errorf("%+v, error %v", row, err)
		}
	}
}

// TestAddedCells: what comes from mail hosts cannot be a formula, break the
// row, or mix encodings.
func TestAddedCells(t *testing.T) {
	for _, c := range []struct{ message, raw, want string }{
		{"=1", "", "'=1"}, {"+1", "", "'+1"}, {"-1", "", "'-1"}, {"@x", "", "'@x"}, {"\tx", "", "'\tx"}, {"\rx", "", "\"'\rx\""},
		{"a,b", "", `"a,b"`}, {"a\nb", "", "\"a\nb\""}, {`a"b`, "", `"a""b"`}, {"ü", "", "ü"}, {"ü", "\xfc", "\xfc"}, {"α", "\xfc", "?"},
	} {
		w, err := NewWriter(open(t, "", Options{Format: CSV}), Output{Format: CSV})
		if err != nil {
			t.Fatal(err)
		}
		row := string(w.Append(nil, c.raw, rcpt.Result{Message: c.message}))
		if want := ",0,0,0,0,0," + c.want + ",,review,risky,\n"; !strings.HasSuffix(row, want) {
			t.Errorf("%q: %q, want %q at the end", c.message, row, want)
		}
	}
}

// TestAddedAddresses sees that an address has the octets of its row: other
// letters would make it another address.
func TestAddedAddresses(t *testing.T) {
	for _, c := range []struct{ raw, email, suggestion, want string }{
		{"j\xf6rg@b\xfccher.example", "jörg@bücher.example", "", ",,review,risky,j\xf6rg@b\xfccher.example\n"},
		{"jörg@bücher.example", "jörg@bücher.example", "", ",,review,risky,jörg@bücher.example\n"},
		{"\xf6;a@b.example", "a@b.example", "ö@b.example", ",\xf6@b.example,review,risky,a@b.example\n"},
		{"\xf6;a@b.example", "α@b.example", "", ",,review,risky,\n"},
		{"\xf6;a@b.example", "a@α.example", "", ",,review,risky,a@xn--mxa.example\n"},
	} {
		w, err := NewWriter(open(t, "", Options{Format: CSV}), Output{Format: CSV})
		if err != nil {
			t.Fatal(err)
		}
		result := rcpt.Result{Email: c.email, Suggestion: c.suggestion, Details: &rcpt.Details{}}
		if row := string(w.Append(nil, c.raw, result)); !strings.HasSuffix(row, c.want) {
			t.Errorf("%q: %q, want %q at the end", c.raw, row, c.want)
		}
	}
}

// TestDetails: a column, or in the record.
func TestDetails(t *testing.T) {
	result := verified
	result.Reason = rcpt.ReasonGreylisted
	result.Suggestion = "b@acme.example"
	result.Details = &rcpt.Details{CatchAll: rcpt.CatchAllNo}
	for _, c := range []struct {
		to       Output
		has, not string
	}{
		{Output{Format: CSV}, "unknown,greylisted,0,0,0,0,0,'=1+1,b@acme.example,retry,retry,x@acme.example\n", "catch_all"},
		{Output{Format: CSV, Details: true}, `b@acme.example,retry,retry,x@acme.example,"{""reason"":""greylisted"",`, "\n\n"},
		{Output{Format: JSONLines}, `"message":"=1+1","reason":"greylisted","suggestion":"b@acme.example","action":"retry","group":"retry"}`, "details"},
		{Output{Format: JSONLines, Details: true}, `"details":{"reason":"greylisted",`, "\n\n"},
	} {
		w, err := NewWriter(open(t, "a@acme.example\n", Options{Format: Lines}), c.to)
		if err != nil {
			t.Fatal(err)
		}
		if row := string(w.Append(nil, "a@acme.example\n", result)); !strings.Contains(row, c.has) || strings.Contains(row, c.not) {
			t.Errorf("%+v: %s", c.to, row)
		}
	}
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]Format{"a.csv": CSV, "A.TSV": CSV, "a.txt": "", "a.json": JSON, "a.jsonl": JSONLines, "a.ndjson": JSONLines, "a.b/csv": "", "-": ""} {
		if got := FormatOf(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
