package list

import (
	"fmt"
	"strings"
	"testing"
)

// beginnings are the first octets of lists, and what they say. The columns are
// written as name, cells that hold addresses of those that are not empty, and
// an asterisk for each that is read.
var beginnings = []struct {
	name, octets string
	o            Options
	cut          bool // the list goes on
	want         string
	columns      string
	refused      string
}{
	{name: "nothing", want: "UTF-8 LF lines", columns: "email 0/0 only*"},
	{name: "one address a line", octets: "a@acme.example\nb@acme.example\n", want: "UTF-8 LF lines", columns: "email 2/2 only*"},
	{name: "rows of Windows", octets: "email\r\na@acme.example\r\n", want: "UTF-8 CRLF CSV , header", columns: "email 1/1 only*"},
	{name: "rows of old Macs", octets: "email\ra@acme.example\r", want: "UTF-8 CR CSV , header", columns: "email 1/1 only*"},
	{name: "rows of old Macs and line feeds in a cell", octets: "\"email\",\"note\"\r\"a@acme.example\",\"x\ny\"\r\"b@acme.example\",\"\"\r",
		want: "UTF-8 CR CSV , header", columns: "email 2/2 named*|note 0/1"},
	{name: "rows of old Macs and a last line feed", octets: "Name,Email\rA,a@acme.example\rB,b@acme.example\n",
		want: "UTF-8 CR CSV , header", columns: "Name 0/2|Email 2/2 named*"},
	{name: "a carriage return in a cell", octets: "email,note\n\"a@acme.example\",\"x\ry\"\n", want: "UTF-8 LF CSV , header", columns: "email 1/1 named*|note 0/1"},
	{name: "byte order mark", octets: "\ufeffemail;n\na@acme.example;1\n", want: "UTF-8 marked LF CSV ; header", columns: "email 1/1 named*|n 0/1"},
	{name: "UTF-16", octets: "\xff\xfe" + utf16("LE", "email\tn\r\na@acme.example\t1\r\n"), want: "UTF-16LE marked CRLF CSV \t header", columns: "email 1/1 named*|n 0/1"},
	{name: "UTF-16 of big ends", octets: "\xfe\xff" + utf16("BE", "a@acme.example\n"), want: "UTF-16BE marked LF lines", columns: "email 1/1 only*"},
	{name: "half a character of UTF-16", octets: "\xfe\xff" + utf16("BE", "a@acme.example\nb") + "\x00", cut: true,
		want: "UTF-16BE marked LF lines", columns: "email 1/1 only*"},
	{name: "UTF-32", octets: "\xff\xfe\x00\x00e\x00\x00\x00\n\x00\x00\x00", want: "UTF-32LE marked LF CSV , header", columns: "e 0/0 given*", o: Options{Format: CSV, Columns: []string{"e"}}},
	{name: "an encoding that the caller names", octets: "email,\xc8\na@acme.example,\xe8\n", o: Options{Encoding: "cp1251"},
		want: "Windows-1251 given LF CSV , header", columns: "email 1/1 named*|И 0/1"},
	{name: "a byte order mark against the caller", octets: "\ufeffemail,И\na@acme.example,и\n", o: Options{Encoding: "cp1251"},
		want: "UTF-8 marked LF CSV , header", columns: "email 1/1 named*|И 0/1"},
	{name: "an encoding that nobody knows", octets: "email\n", o: Options{Encoding: "klingon"}, refused: "the encoding \"klingon\" is not known"},
	{name: "a line that names the delimiter", octets: "sep=|\r\nemail|n\r\na@acme.example|1\r\n", want: "UTF-8 CRLF CSV | before 1 header", columns: "email 1/1 named*|n 0/1"},
	{name: "a quoted line that names the delimiter", octets: "\"sep=#\"\nemail#n\na@acme.example#1\n", want: "UTF-8 LF CSV # before 1 header", columns: "email 1/1 named*|n 0/1"},
	{name: "ISO-2022-JP", octets: "email,\x1b$BL>A0\x1b(B\na@acme.example,\x1b$B;3ED\x1b(B\n", want: "ISO-2022-JP guessed LF CSV , header",
		columns: "email 1/1 named*|名前 0/1"},
	{name: "a line that names another delimiter", octets: "sep=^\nemail^n\na@acme.example^1\n", want: "UTF-8 LF CSV ^ before 1 header", columns: "email 1/1 named*|n 0/1"},
	{name: "colons", octets: "a@acme.example:A\nb@acme.example:B\n", want: "UTF-8 LF CSV :", columns: " 2/2 holding*| 0/2"},
	{name: "tildes", octets: "id~email\n1~a@acme.example\n2~b@acme.example\n", want: "UTF-8 LF CSV ~ header", columns: "id 0/2|email 2/2 named*"},
	{name: "octets of Hive", octets: "1\x01a@acme.example\n2\x01b@acme.example\n", want: "UTF-8 LF CSV \x01", columns: " 0/2| 2/2 holding*"},
	{name: "tildes in addresses", octets: "a~x@acme.example\nb@acme.example\n", want: "UTF-8 LF lines", columns: "email 1/2 only*"},
	{name: "rows in quotes", octets: "\"name,email\"\n\"Al,a@acme.example\"\n\"\"\"Doe, J\"\",b@acme.example\"\n",
		want: "UTF-8 LF rows quoted CSV , header", columns: "name 0/2|email 2/2 named*"},
	{name: "names in quotes", octets: "\"Doe, J <a@acme.example>\"\n\"Roe, K <b@acme.example>\"\n", want: "UTF-8 LF lines", columns: "email 2/2 only*"},
	{name: "the delimiter of the name", octets: "email|n\tm\na@acme.example|1\t2\n", o: Options{Format: CSV, Delimiter: '\t'}, refused: "found the columns 1 \"email|n\", 2 \"m\"; none holds addresses"},
	{name: "no header", octets: "1,a@acme.example\n2,b@acme.example\n", want: "UTF-8 LF CSV ,", columns: " 0/2| 2/2 holding*"},
	{name: "a chosen column", octets: "a,b\nx@acme.example,y@acme.example\n", o: Options{Columns: []string{"2"}}, want: "UTF-8 LF CSV , header", columns: "a 1/1|b 1/1 given*"},
	{name: "columns of an earlier run", octets: "email,rcpt_result,rcpt_suggestion\na@acme.example,risky,b@acme.example\n",
		want: "UTF-8 LF CSV , header", columns: "email 1/1 named*|rcpt_result 0/1 earlier|rcpt_suggestion 0/1 earlier"},
	{name: "JSON lines", octets: `{"n":1,"email":"a@acme.example"}` + "\n", want: "UTF-8 LF JSON lines", columns: "n 0/1|email 1/1 named*"},
	{name: "JSON array", octets: `["a@acme.example"]`, want: "UTF-8 LF JSON array", columns: "email 1/1 named*"},
	{name: "JSON array called lines", octets: `[{"Mail":"a@acme.example"}]`, o: Options{Format: JSONLines}, want: "UTF-8 LF JSON array", columns: "Mail 1/1 only*"},
	{name: "JSON of several lines", octets: "{\n\"email\": null\n}", want: "UTF-8 LF JSON", columns: "email 0/0 named*"},
	{name: "JSON that the sample cuts off", octets: `["a@acme.example","b`, cut: true, want: "UTF-8 LF JSON array", columns: "email 1/1 named*"},
	{name: "JSON that ends too soon", octets: `["a@acme.example","b`, refused: "element 2: not JSON"},
	{name: "gzip", octets: "\x1f\x8b\x08", want: "gzip"},
	{name: "Zstandard", octets: "\x28\xb5\x2f\xfd", want: "zstd"},
	{name: "gzip in gzip", octets: "\x1f\x8b\x08", o: Options{unpacked: true}, refused: "it is compressed twice"},
	{name: "workbook", octets: "PK\x03\x04", want: "ZIP"},
	{name: "page", octets: "\ufeff <!-- x --><TABLE border=1>", want: "table"},
	{name: "address book", octets: "BEGIN:VCARD\r\n", want: "table"},
	{name: "directory", octets: "# x\nversion: 1\n\ndn: cn=a", want: "table"},
	{name: "text of a sheet", octets: "\"email\",1\n\"a@acme.example\",2\n", o: Options{SheetText: true}, want: "UTF-8 LF spreadsheet , header", columns: "email 1/1 named*|1 0/1"},
	{name: "a name that is wrong", octets: "a@acme.example\n", o: Options{Format: XLSX}, want: "UTF-8 LF lines", columns: "email 1/1 only*"},
	{name: "sheet of a text", octets: "a@acme.example\n", o: Options{Sheet: "1"}, refused: "it is no spreadsheet"},
	{name: "old spreadsheet", octets: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", refused: "it is an old spreadsheet (.xls)"},
	{name: "a NUL", octets: "a@acme.example\nb@acme.example\x00\n", want: "UTF-8 LF lines", columns: "email 2/2 only*"},
	{name: "NULs that fill up a block", octets: "a@acme.example\n" + strings.Repeat("\x00", 100), want: "UTF-8 LF lines", columns: "email 1/1 only*"},
	{name: "many NULs", octets: "a@acme.example\n\x00\x00\x00\x00b@acme.example\n", refused: "line 2: it has many NUL octets"},
	{name: "UTF-16 without a mark", octets: utf16("LE", "email\tn\r\na@acme.example\t1\r\n"), want: "UTF-16LE guessed CRLF CSV \t header", columns: "email 1/1 named*|n 0/1"},
	{name: "UTF-16 of big ends without a mark", octets: utf16("BE", "氏名,電子郵件\n山田,a@acme.example\n"),
		want: "UTF-16BE guessed LF CSV , header", columns: "氏名 0/1|電子郵件 1/1 named*"},
	{name: "two byte order marks", octets: "\ufeff\ufeff\"Doe, name\",Email\n\"D, J\",a@acme.example\n",
		want: "UTF-8 marked LF CSV , header", columns: "Doe, name 0/1|Email 1/1 named*"},
	{name: "two columns", octets: "a,b\nx@acme.example,y@acme.example\n", refused: "more than one column may hold the addresses"},
}

// TestDescribe: what the beginning of a list says of all of it.
func TestDescribe(t *testing.T) {
	for _, c := range beginnings {
		t.Run(c.name, func(t *testing.T) {
			d, err := Describe([]byte(c.octets), !c.cut, c.o)
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("error %v, want %s", err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := shown(d); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := shownColumns(d); got != c.columns {
				t.Errorf("columns %q, want %q", got, c.columns)
			}
		})
	}
}

func shown(d Description) string {
	if d.Packing != Plain || d.Table {
		return string(d.Packing) + map[bool]string{true: "table"}[d.Table]
	}
	text := string(d.Encoding)
	for _, fact := range []struct {
		is   bool
		text string
	}{
		{d.EncodingWhy != "", string(d.EncodingWhy)},
		{true, map[RowEnd]string{LF: "LF", CRLF: "CRLF", CR: "CR"}[d.RowEnd]},
		{d.RowsQuoted, "rows quoted"},
		{true, string(d.Format)},
		{d.Array, "array"},
		{d.Delimiter != 0, string(d.Delimiter)},
		{d.Before > 0, fmt.Sprint("before ", d.Before)},
		{d.Header != "", "header"},
	} {
		if fact.is {
			text += " " + fact.text
		}
	}
	return text
}

func shownColumns(d Description) string {
	var all []string
	for i, column := range d.Columns {
		text := fmt.Sprintf("%s %d/%d", column.Name, column.Held, column.Filled)
		if column.Earlier {
			text += " earlier"
		}
		for _, choice := range d.Read {
			if choice.Column == i {
				text += " " + string(choice.Why) + "*"
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, "|")
}

// TestMediaTypes: each format that is sent or written has a media type, and
// those of results are read again.
func TestMediaTypes(t *testing.T) {
	for mediaType, want := range map[string]Format{
		"text/csv": CSV, "text/plain": "", "application/x-ndjson": JSONLines, "application/jsonl": JSONLines,
		"application/octet-stream": "", "application/gzip": "", "application/zstd": "", sheetType: XLSX,
	} {
		if got, known := FormatOfMediaType(mediaType); got != want || !known {
			t.Errorf("%s is %q, %v", mediaType, got, known)
		}
	}
	if _, known := FormatOfMediaType("image/png"); known {
		t.Error("a picture is a list")
	}
	for _, r := range Results() {
		again, known := ResultNamed(r.Name)
		mediaType, _, _ := strings.Cut(r.MediaType, ";")
		if sent, taken := FormatOfMediaType(mediaType); !known || again != r || !taken || sent != r.Format || FormatOf("x."+r.Name) != r.Format {
			t.Errorf("%+v: %+v, sent as %q", r, again, sent)
		}
	}
}
