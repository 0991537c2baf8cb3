package list

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// headers are lists with something above the table, or without a header. Want
// is the CSV output as of [written].
var headers = []struct {
	name, list string
	o          Options
	row        int // that names the columns
	read       string
	want       string
	refused    string
}{
	{name: "title", list: "Kundenexport 24.11.2026\n\nName;Mail\nA;a@acme.example\n", row: 3, read: `2 "Mail"`,
		want: "Kundenexport 24.11.2026\n\nName;Mail;@\nA;a@acme.example;#\n"},
	{name: "title of a spreadsheet's CSV", list: "Mitglieder;;\n;;\nNr;Name;Kontakt\n1;A;a@acme.example\n2;B;b@acme.example\n", row: 3, read: `3 "Kontakt"`,
		want: "Mitglieder;;\n;;\nNr;Name;Kontakt;@\n1;A;a@acme.example;#\n2;B;b@acme.example;#\n"},
	{name: "four lines above an unknown name", list: "Report,Customers\nDate,2026-11-24\nBy,Jane Doe\n\nNo,Name,Contact\n1,A,a@acme.example\n", row: 5, read: `3 "Contact"`,
		want: "Report,Customers\nDate,2026-11-24\nBy,Jane Doe\n\nNo,Name,Contact,@\n1,A,a@acme.example,#\n"},
	{name: "an address above", list: "By,jane@acme.example\n\nNo,Name,E-Mail\n1,A,a@acme.example\n", row: 3, read: `3 "E-Mail"`,
		want: "By,jane@acme.example\n\nNo,Name,E-Mail,@\n1,A,a@acme.example,#\n"},
	{name: "an address above a name with a word", list: "Export\nVon;admin@acme.example;;\nNr;Name;Kunden-E-Mail;Umsatz\n1;A;a@acme.example;2\n", row: 3, read: `3 "Kunden-E-Mail"`,
		want: "Export\nVon;admin@acme.example;;\nNr;Name;Kunden-E-Mail;Umsatz;@\n1;A;a@acme.example;2;#\n"},
	{name: "an address above an unknown name", list: "Von;admin@acme.example;;\nNr;Name;Kontakt;Umsatz\n1;A;a@acme.example;2\n2;B;b@acme.example;2\n", row: 2, read: `3 "Kontakt"`,
		want: "Von;admin@acme.example;;\nNr;Name;Kontakt;Umsatz;@\n1;A;a@acme.example;2;#\n2;B;b@acme.example;2;#\n"},
	{name: "no e-mail in the second row", list: "Müller;m@acme.example\nMeier;keine E-Mail;Notiz\nSchmidt;s@acme.example\n", row: NoHeader, read: "2",
		want: "Müller;m@acme.example;;#\nMeier;keine E-Mail;Notiz;#\nSchmidt;s@acme.example;;#\n"},
	{name: "two columns of addresses without header", list: "1,,p@acme.example\n2,b@acme.example,\n3,c@acme.example,\n", row: NoHeader, read: "2",
		want: "1,,p@acme.example,#\n2,b@acme.example,,#\n3,c@acme.example,,#\n"},
	{name: "a formula above", list: "=1+1|2\nemail,n\na@acme.example,1\n", row: 2, read: `1 "email"`,
		want: "'=1+1|2\nemail,n,@\na@acme.example,1,#\n"},
	{name: "a title of two lines in a cell", list: "\"Kunden\nNovember\"\nName,Mail\nA,a@acme.example\n", row: 2, read: `2 "Mail"`,
		want: "\"Kunden\nNovember\"\nName,Mail,@\nA,a@acme.example,#\n"},
	{name: "delimiter and title", list: "sep=;\nKunden\nName;Mail\nA;a@acme.example\n", row: 3, read: `2 "Mail"`,
		want: "sep=;\nKunden\nName;Mail;@\nA;a@acme.example;#\n"},
	{name: "title above a list without header", list: "Kunden\nA,a@acme.example\nB,b@acme.example\n", row: NoHeader, read: "2",
		want: "Kunden\nA,a@acme.example,#\nB,b@acme.example,#\n"},
	{name: "title above a header alone", list: "Kunden\n\nName,Mail\n", row: 3, read: `2 "Mail"`, want: "Kunden\n\nName,Mail,@\n"},
	{name: "an earlier run", list: "Kunden\n\nName,Kontakt,rcpt_result\nA,a@acme.example,unknown\n", row: 3, read: `2 "Kontakt"`,
		want: "Kunden\n\nName,Kontakt,@\nA,a@acme.example,#\n"},
	{name: "known name beside an at sign", list: "Name,Email,org@home\nA,a@acme.example,x\n", row: 1, read: `2 "Email"`,
		want: "Name,Email,org@home,@\nA,a@acme.example,x,#\n"},
	{name: "known name beside an address", list: "Name,Email,course@acme.example\nA,a@acme.example,x\n", row: 1, read: `2 "Email"`,
		want: "Name,Email,course@acme.example,@\nA,a@acme.example,x,#\n"},
	{name: "known name as a value", list: "a@acme.example,Email\nb@acme.example,Phone\n", row: NoHeader, read: "1",
		want: "a@acme.example,Email,#\nb@acme.example,Phone,#\n"},
	{name: "known name as a value below", list: "Kunde,Kanal,Adresse\nA,Telefon,\nB,Email,\nC,Email,c@acme.example\n", row: 1, read: `3 "Adresse"`,
		want: "Kunde,Kanal,Adresse,@\nA,Telefon,,#\nB,Email,,#\nC,Email,c@acme.example,#\n"},
	{name: "a header in the middle", list: "A,a@acme.example\nB,b@acme.example\nName,Email\nC,c@acme.example\n", row: NoHeader, read: "2",
		want: "A,a@acme.example,#\nB,b@acme.example,#\nName,Email,#\nC,c@acme.example,#\n"},
	{name: "the first addresses are missing", list: "id,mail,city\n1,,X\n2,,Y\n3,c@acme.example,Z\n", row: 1, read: `2 "mail"`,
		want: "id,mail,city,@\n1,,X,#\n2,,Y,#\n3,c@acme.example,Z,#\n"},
	{name: "given", list: "a,b\nc,d\nx,a@acme.example\n", o: Options{HeaderRow: 2}, row: 2, read: `2 "d"`,
		want: "a,b\nc,d,@\nx,a@acme.example,#\n"},
	{name: "none", list: "name,email\nx,a@acme.example\ny,b@acme.example\n", o: Options{HeaderRow: NoHeader}, row: NoHeader, read: "2",
		want: "name,email,#\nx,a@acme.example,#\ny,b@acme.example,#\n"},
	{name: "none behind the delimiter", list: "sep=;\nx;a@acme.example\n", o: Options{HeaderRow: NoHeader}, row: NoHeader, read: "2",
		want: "sep=;\nx;a@acme.example;#\n"},
	{name: "the column that is wanted", list: "List of\nx,y\nKontakt,z\na@acme.example,b@acme.example\n", o: Options{Columns: []string{"kontakt"}}, row: 3, read: `1 "Kontakt"`,
		want: "List of\nx,y\nKontakt,z,@\na@acme.example,b@acme.example,#\n"},
	{name: "blank row", list: "a,b\n\nx,a@acme.example\n", o: Options{HeaderRow: 2}, refused: "row 2 cannot name the columns"},
	{name: "no such row", list: "a,b\nx,a@acme.example\n", o: Options{HeaderRow: 9}, refused: "row 9 cannot name the columns"},
	{name: "of JSON", list: `{"email":"a@acme.example"}`, o: Options{Format: JSON, HeaderRow: 1}, refused: "leave --header-row out"},
}

// TestHeaderRow: the header is found below a title, and what is above it stays
// as it is.
func TestHeaderRow(t *testing.T) {
	for _, c := range headers {
		t.Run(c.name, func(t *testing.T) {
			if c.o.Format == "" {
				c.o.Format = CSV
			}
			r, err := NewReader(strings.NewReader(c.list), c.o)
			if c.refused != "" {
				if !errors.As(err, new(*FormatError)) || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("error %v, want %s", err, c.refused)
				}
				return
			}
			check(t, err)
			read, _ := r.Columns()
			if got := strings.Join(read, ", "); got != c.read || r.HeaderRow() != c.row {
				t.Errorf("reads %s below row %d, want %s below %d", got, r.HeaderRow(), c.read, c.row)
			}
			if diff := cmp.Diff(c.want, written(t, c.list, c.o, Output{Format: CSV})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAboveHeader: an output of another format has only the table.
func TestAboveHeader(t *testing.T) {
	const list = "Kunden\n\nName,Mail\nA,a@acme.example\n"
	if got, want := written(t, list, Options{}, Output{Format: JSONLines}), `{"Name":"A","Mail":"a@acme.example","rcpt":{#}}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	r := open(t, list, Options{})
	row, err := r.Next()
	check(t, err)
	if row.Line != 4 {
		t.Errorf("line %d", row.Line)
	}
	if got := r.Notices(); !cmp.Equal(got, []string{"Row 3 names the columns; what is above it stays as it is"}) {
		t.Errorf("notices %q", got)
	}
	if got := open(t, "Kunden\n\nA,a@acme.example\nB,b@acme.example\n", Options{}).Notices(); !cmp.Equal(got, []string{"Row 3 is the first of the list; what is above it stays as it is"}) {
		t.Errorf("notices %q", got)
	}
	if got := open(t, "sep=;\nemail;n\na@acme.example;1\n", Options{}).Notices(); got != nil {
		t.Errorf("notices %q", got)
	}
}

// FuzzTable: each row of a list is above the table, its header, or read.
func FuzzTable(f *testing.F) {
	for _, c := range headers {
		f.Add(c.list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		r, err := NewReader(strings.NewReader(list), Options{Format: CSV})
		if err != nil || r.Format() != CSV || r.description.Encoding != UTF8 {
			return
		}
		d := &r.description
		head := string(r.shape.csvHead(nil, Output{Raw: true}))
		above := strings.TrimPrefix(head, byteOrderMark)
		if d.HeaderRow != NoHeader {
			above = d.Head
		}
		if !strings.Contains(list, above) {
			t.Errorf("%q is above, and not in %q", above, list)
		}
		got := len(firstRows([]byte(above), true, d.Delimiter, d.cellText()))
		if d.HeaderRow != NoHeader {
			got++
		}
		for ; err == nil; got++ {
			_, err = r.Next()
		}
		if got--; !errors.Is(err, io.EOF) {
			return // the rest of the list is not read
		}
		all := rowReader{text: bufio.NewReader(strings.NewReader(strings.TrimLeft(list, byteOrderMark))), delimiter: d.Delimiter}
		for want := 0; ; want++ {
			if _, err := all.read(); err != nil {
				if got != want && errors.Is(err, io.EOF) {
					t.Errorf("%d rows of %d: %q above, header row %d of %q", got, want, above, d.HeaderRow, list)
				}
				return
			}
		}
	})
}
