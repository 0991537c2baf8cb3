package list

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestFormulas: cells that a spreadsheet would take for a formula are made
// harmless; addresses, numbers and telephone numbers are as they were.
func TestFormulas(t *testing.T) {
	for cell, want := range map[string]string{
		"=cmd|'/C calc'!A0":      "'=cmd|'/C calc'!A0",
		"@SUM(A1:A9)":            "'@SUM(A1:A9)",
		"+cmd|'/C calc'!A0":      "'+cmd|'/C calc'!A0",
		"-HYPERLINK(A1)":         "'-HYPERLINK(A1)",
		"\t=1+1":                 "'\t=1+1",
		"\r=1+1":                 "'\r=1+1",
		" =1+1":                  "' =1+1",
		"\u00a0=1+1":             "'\u00a0=1+1",
		"＝1+1":                   "'＝1+1",
		"-2+3+cmd|' /C calc'!A0": "'-2+3+cmd|' /C calc'!A0",
		"=x(1)@acme.example":     "'=x(1)@acme.example", // no address: parentheses
		"=cmd|' /C calc'!A0@b.c": "'=cmd|' /C calc'!A0@b.c",
		"@acme.example":          "'@acme.example",
		"+49 (0)30 1234-56/7":    "+49 (0)30 1234-56/7",
		" +49 30":                " +49 30",
		"-12.5":                  "-12.5",
		"-1e5":                   "-1e5",
		"-":                      "-",
		"\t":                     "\t",
		"=a+b@acme.example":      "=a+b@acme.example",
		"+tag@acme.example":      "+tag@acme.example",
		"-bob@acme.example":      "-bob@acme.example",
		"alice":                  "alice",
		"'=1+1":                  "'=1+1",
		"a=b":                    "a=b",
		"":                       "",
		"\xff=1":                 "\xff=1",
	} {
		if got := (Output{}).guarded([]string{cell})[0]; got != want {
			t.Errorf("%q became %q, want %q", cell, got, want)
		}
		if got := (Output{Raw: true}).guarded([]string{cell})[0]; got != cell {
			t.Errorf("raw %q became %q", cell, got)
		}
	}
}

// TestFormulasInLists: in each form of list, quoted or not, in data and names
// of columns; and nothing else in the row changes.
func TestFormulasInLists(t *testing.T) {
	for _, c := range []struct {
		format          Format
		list, want, raw string
	}{
		{CSV, "=A1,email,tel\r\n\"=1,2\",a@b.example,+49 30\r\n x ,=B2, \"y\" \r\n",
			"'=A1,email,tel,@\r\n\"'=1,2\",a@b.example,+49 30,#\r\n x ,'=B2, \"y\" ,#\r\n", "=A1,email,tel,@\r\n\"=1,2\",a@b.example,+49 30,#\r\n x ,=B2, \"y\" ,#\r\n"},
		{CSV, "email,\"=\"\"x\"\"\"\na@b.example,\"\t=1\"\n", "email,\"'=\"\"x\"\"\",@\na@b.example,'\t=1,#\n", "email,\"=\"\"x\"\"\",@\na@b.example,\"\t=1\",#\n"},
		{Lines, "=1+1\n=a@b.example\n", "email,@\n'=1+1,#\n=a@b.example,#\n", "email,@\n=1+1,#\n=a@b.example,#\n"},
		{JSONLines, `{"email":"a@b.example","=k":"=v","n":-1e5}` + "\n", "\ufeffemail,'=k,n,@,rcpt_other\na@b.example,'=v,-1e5,#,\n", "\ufeffemail,=k,n,@,rcpt_other\na@b.example,=v,-1e5,#,\n"},
	} {
		for raw, want := range map[bool]string{false: c.want, true: c.raw} {
			if diff := cmp.Diff(want, written(t, c.list, Options{Format: c.format}, Output{Format: CSV, Raw: raw})); diff != "" {
				t.Errorf("raw %t:\n%s", raw, diff)
			}
		}
	}
}

// endless repeats its text for ever.
type endless struct{ text string }

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(e.text) <= len(p) {
		n += copy(p[n:], e.text)
	}
	if n == 0 {
		n = copy(p, e.text)
	}
	return n, nil
}

// TestBombs: what never ends is an error that names its line and the limit.
func TestBombs(t *testing.T) {
	for name, c := range map[string]struct {
		format            Format
		begin, more, want string
	}{
		"field":          {CSV, "id,email\n1,a@b.example\n2,", "x", "line 3, column 2: the row is longer than 1048576 octets"},
		"quoted field":   {CSV, "id,email\n1,a@b.example\n2,\"", "x\n", "line 3, column 2: the row is longer than 1048576 octets; a quote is not closed, or the file is cut off"},
		"columns":        {CSV, "id,email\n1,a@b.example\n2", ",", "line 3: the row has more than 16384 columns"},
		"first row":      {CSV, "", "column,", "line 1: the first row is longer than 65536 octets, so its columns cannot be found"},
		"line":           {Lines, "a@b.example\n", "x", "line 2: the row is longer than 1048576 octets"},
		"JSON string":    {JSONLines, "{\"email\":\"a@b.example\"}\n{\"email\":\"", "x", "line 2: the row is longer than 1048576 octets"},
		"NUL":            {CSV, "", "\x00", "line 1: it has many NUL octets"},
		"broken objects": {JSONLines, "", "{\n", "its first lines are not JSON objects"},
	} {
		r, err := NewReader(io.MultiReader(strings.NewReader(c.begin), endless{c.more}), Options{Format: c.format})
		for err == nil {
			_, err = r.Next()
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestLongSecondRow: the first row is enough to find the columns if the second
// is too long to be looked at before it is read.
func TestLongSecondRow(t *testing.T) {
	row := "1,a@b.example," + strings.Repeat("x", 100_000) + "\n"
	if out := written(t, "id,email,note\n"+row, Options{Format: CSV}, Output{Format: CSV}); !strings.Contains(out, strings.TrimSuffix(row, "\n")) {
		t.Errorf("%.200s", out)
	}
}

// TestCostlyRows: rows that are within the limits cost no more than their size,
// by the measure of what harmless ones cost on this machine now.
func TestCostlyRows(t *testing.T) {
	started := time.Now()
	written(t, "a,email\n"+strings.Repeat("1,a@b.example\n", 2_000), Options{Format: CSV}, Output{Format: JSONLines})
	harmless := time.Since(started)
	started = time.Now()
	wide := "a,email\n" + strings.Repeat("1,a@b.example"+strings.Repeat(",", MaxColumns-2)+"\n", 5)
	if out := written(t, wide, Options{Format: CSV}, Output{Format: JSONLines}); strings.Count(out, "\n") != 5 {
		t.Errorf("%d rows", strings.Count(out, "\n"))
	}
	alike := "email" + strings.Repeat(",a", MaxColumns-2) + "\na@b.example\n"
	if out := written(t, alike, Options{Format: CSV}, Output{Format: JSONLines}); strings.Count(out, "\n") != 1 {
		t.Errorf("%d rows", strings.Count(out, "\n"))
	}
	var object strings.Builder
	object.WriteString(`{"email":"a@b.example"}` + "\n" + `{"email":"a@b.example","rcpt":0`)
	for i := range 50_000 {
		object.WriteString(`,"` + numbered("rcpt", i+1) + `":0`)
	}
	object.WriteString("}\n")
	for _, format := range []Format{CSV, JSONLines} {
		written(t, object.String(), Options{Format: JSONLines}, Output{Format: format})
	}
	if took := time.Since(started); took > 20*time.Second+100*harmless { // it is some 50 times harmless; minutes more where one is quadratic
		t.Errorf("it took %v, harmless rows %v", took, harmless)
	}
}

// TestAmbiguousObjects: an object with two addresses has none.
func TestAmbiguousObjects(t *testing.T) {
	r, err := NewReader(strings.NewReader(`{"email":"a@b.example"}`+"\n"+`{"email":"a@b.example","email":"c@d.example"}`+"\n"), Options{Format: JSONLines})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	row, err := r.Next()
	if err != nil || row.Addresses[0] != "" || row.Err == nil || row.Err.Error() != `line 2: the JSON object has more than one "email"` {
		t.Errorf("%+v, %v", row, err)
	}
	if out := written(t, `{"email":"a@b.example","n":1,"n":2}`, Options{Format: JSONLines}, Output{Format: CSV}); !strings.Contains(out, `,"{""n"":2}"`) {
		t.Errorf("a field that is there twice is lost: %s", out)
	}
}

// TestOtherFormats: what is no list is called by its name, whatever the name of
// its file.
func TestOtherFormats(t *testing.T) {
	for begin, want := range map[string]string{
		"PK\x03\x04": "a ZIP archive", "PK\x05\x06": "an empty ZIP archive", "BZh91AY": "bzip2", "\xfd7zXZ\x00": "xz",
		"7z\xbc\xaf\x27\x1c": "7-Zip", "Rar!\x1a\x07": "RAR", "%PDF-1.7": "PDF", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ".xls", "SQLite format 3": "SQLite",
		"\x89PNG\r\n\x1a\n": "a picture (PNG)", "\xff\xd8\xff\xe0\x00\x10JFIF": "a picture (JPEG)", "GIF89a": "a picture (GIF)",
		"RIFF\x24\x10\x00\x00WEBPVP8 ": "a picture (WebP)", "\x00\x00\x00\x18ftypheic": "a picture (HEIC)", "\x00\x00\x00\x20ftypisom": "a film",
		"BM\x36\x00\x0c\x00": "a picture (BMP)", "MZ\x90\x00": "a program", "\x7fELF\x02": "a program", "PGDMP\x01": "PostgreSQL", "PAR1": "Parquet",
		"list.csv" + strings.Repeat("\x00", 249) + "ustar": "a tar archive", "\x00\x01\x00\x00Standard ACE DB": "Access",
		"{\\rtf1\\ansi": ".rtf", "\ufeff{\\rtf1": ".rtf", "BEGIN:VCALENDAR\r\n": "a calendar", "-- MySQL dump 10.13\n": "an SQL dump",
		"-- PostgreSQL database dump\n": "an SQL dump", "\n/*!40101 SET NAMES utf8 */;\nINSERT INTO `users` VALUES (1,'a@b.example');\n": "an SQL dump",
		"# users\ncreate table users (id int);\n": "an SQL dump", "COPY public.users (id, email) FROM stdin;\n1\ta@b.example\n": "an SQL dump",
		"From MAILER-DAEMON Fri Jul  8 12:08:34 2011\nFrom: a@b.example\n":                                    "a mailbox",
		"Received: from mx.b.example\n\tby mx.a.example; Thu, 1 Jan 2026 10:00:00 +0000\nFrom: a@b.example\n": "a mail",
		"From: a@b.example\r\nTo: c@d.example\r\nSubject: hello\r\n\r\na@b.example\r\n":                       "a mail",
		"MIME-Version: 1.0\r\nX-Document-Type: Workbook\r\n":                                                  "a web page in one file",
	} {
		_, err := NewReader(strings.NewReader(begin+"\x00,a@b.example\n"), Options{Format: CSV})
		var wrong *FormatError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", begin, err, want)
		}
	}
}

// TestNotMistaken: lists that begin as other formats do.
func TestNotMistaken(t *testing.T) {
	for _, text := range []string{
		"MZ,email\n1,a@b.example\n", "BM@b.example\nc@d.example\n", "id,name,WEBP,email\n1,x,y,a@b.example\n", "abcdftypheic@b.example\n",
		"To: a@b.example\nCc: c@d.example\n", "From: a@b.example\nc@d.example\n", "From,Email\nx,a@b.example\n", "date:,subject:,email\n1,2,a@b.example\n",
		"-- our customers\na@b.example\n", "# comment\nEmail\na@b.example\n", "insert,email\n1,a@b.example\n", "From a@b.example\nFrom c@d.example\n",
		"set,names,email\n1,2,a@b.example\n", "{\\a@b.example\n", "Subject: none a@b.example\n", "update@b.example\nselect@b.example\n",
	} {
		r, err := NewReader(strings.NewReader(text), Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got, _ := readAll(t, r); !strings.Contains(strings.Join(got, " "), "b.example") {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestManySheets: the notices about a page with thousands of tables take their
// names once, not once for each table.
func TestManySheets(t *testing.T) {
	page := strings.Repeat("<table>", 9999) + "<tr><td>a@acme.example"
	r, err := NewReader(strings.NewReader(page), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if allocated := testing.AllocsPerRun(1, func() { r.Notices() }); allocated > 200_000 {
		t.Errorf("%.0f allocations", allocated)
	}
}

// TestManyAddresses: a contact with many addresses has each of them once.
func TestManyAddresses(t *testing.T) {
	var card strings.Builder
	card.WriteString("BEGIN:VCARD\nFN:x\n")
	for i := range 40_000 {
		fmt.Fprintf(&card, "EMAIL:u%d@acme.example\n", i%20_000)
	}
	card.WriteString("END:VCARD\n")
	r, err := NewReader(strings.NewReader(card.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows := 0
	for ; err == nil; rows++ {
		_, err = r.Next()
	}
	if rows-1 != 20_000 {
		t.Errorf("%d rows", rows-1)
	}
}
