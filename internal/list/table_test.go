package list

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rowsIn are the rows of a list as a person sees them, the names first. Cells
// are parted by bars, rows by slashes.
func rowsIn(t testing.TB, text string, o Options) string {
	t.Helper()
	r, err := NewReader(strings.NewReader(text), o)
	if err != nil {
		return err.Error()
	}
	defer r.Close()
	rows := []string{strings.Join(r.Names(), "|")}
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return strings.Join(rows, "/")
		}
		if err != nil {
			return strings.Join(append(rows, err.Error()), "/")
		}
		if row.Err != nil {
			rows = append(rows, row.Err.Error())
			continue
		}
		rows = append(rows, strings.Join(r.Cells(row.Raw), "|"))
	}
}

const oldBook = `<?xml version="1.0" encoding="windows-1252"?><?mso-application progid="Excel.Sheet"?>` + "\r\n" +
	`<ss:Workbook xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><ss:Worksheet ss:Name="Info"><ss:Table><ss:Row><ss:Cell><ss:Data ss:Type="String">Export</ss:Data></ss:Cell></ss:Row></ss:Table></ss:Worksheet>` +
	`<ss:Worksheet ss:Name="Kunden"><ss:Table><ss:Row><ss:Cell><ss:Data ss:Type="String">Name</ss:Data></ss:Cell><ss:Cell><ss:Data ss:Type="String">Email</ss:Data></ss:Cell><ss:Cell ss:MergeAcross="1"><ss:Data ss:Type="String">Seit</ss:Data></ss:Cell><ss:Cell><ss:Data ss:Type="String">Um</ss:Data></ss:Cell></ss:Row>` +
	`<ss:Row ss:Index="3"><ss:Cell><ss:Data ss:Type="String">J` + "\xf6" + `rg &amp; Co</ss:Data><ss:Comment><ss:Data ss:Type="String">a note</ss:Data></ss:Comment></ss:Cell><ss:Cell ss:HRef="mailto:a@acme.example"><ss:Data ss:Type="String">E-mail</ss:Data></ss:Cell>` +
	`<ss:Cell><ss:Data ss:Type="DateTime">2024-01-31T00:00:00.000</ss:Data></ss:Cell><ss:Cell ss:Index="5"><ss:Data ss:Type="DateTime">1899-12-31T09:30:00.000</ss:Data></ss:Cell></ss:Row>` +
	`<ss:Row><ss:Cell ss:Index="2"><ss:Data ss:Type="String">b@acme.example</ss:Data></ss:Cell><ss:Cell><ss:Data ss:Type="Number">4.9E3</ss:Data></ss:Cell><ss:Cell><ss:Data ss:Type="Boolean">1</ss:Data></ss:Cell></ss:Row></ss:Table></ss:Worksheet></ss:Workbook>`

// tables are texts whose rows are those of a table.
var tables = []struct{ name, text, want string }{
	{"a page of a shop", "<html xmlns:x=\"urn:schemas-microsoft-com:office:excel\"><head><meta charset=\"utf-8\"></head><body><table border=1>\n<tr><th>Name</th><th>Email</th></tr>\n" +
		"<tr><td>J\xc3\xb6rg&nbsp;</td><td>a@acme.example</td></tr><tr><td>&nbsp;</td><td> b@\n<b>acme</b>.example </td></tr></table></body></html>", "Name|Email/Jörg|a@acme.example/|b@ acme.example"},
	{"a table without ends", "<TABLE><TR><TH>Name<TH>Email<TR><TD>A<TD>a@acme.example<TR><TD>B<TD>b@acme.example", "Name|Email/A|a@acme.example/B|b@acme.example"},
	{"LibreOffice", "<!DOCTYPE html>\n<html><head>\n<meta http-equiv=\"content-type\" content=\"text/html; charset=windows-1252\"/>\n<style type=\"text/css\">\nbody,td { font-size:x-small }\n</style></head><body>\n" +
		"<table cellspacing=\"0\" border=\"0\">\n<colgroup width=\"85\"></colgroup>\n<tr>\n<td height=\"17\" align=\"left\">Name</td>\n<td align=\"left\">Email</td></tr>\n" +
		"<tr><td align=\"left\">M\xfcller, Anna</td><td align=\"left\" sdval=\"1\"><a href=\"mailto:a@acme.example\"><font color=\"#000080\">a@acme.example</font></a></td></tr></table></body></html>", "Name|Email/Müller, Anna|a@acme.example"},
	{"a link under a word", `<table><tr><td>Name</td><td>Email</td></tr><tr><td>A</td><td><a href="MAILTO:a%2Bx@acme.example?subject=hello">Send mail</a></td></tr><tr><td>B</td><td><a href="/b">profile</a></td></tr></table>`,
		"Name|Email/A|Send mail <a+x@acme.example>/B|profile"},
	{"cells of several rows and columns", `<table><tr><td colspan=3>Our members</td></tr><tr><td>Firm</td><td>Name</td><td>Email</td></tr><tr><td rowspan="2">Acme</td><td>A</td><td>a@acme.example</td></tr><tr><td>B</td><td>b@acme.example</td></tr><tr><td>C</td><td>c</td><td>c@acme.example</td></tr></table>`,
		"Firm|Name|Email/Acme|A|a@acme.example/|B|b@acme.example/C|c|c@acme.example"},
	{"a layout of tables", `<table><tr><td><table><tr><td>Menu</td></tr></table></td><td><table><tbody><tr><td>Name</td><td>Email</td></tr><tr><td>A<table><tr><td>x</td></tr></table></td><td>a@acme.example</td></tr></tbody></table></td></tr></table>`,
		"Name|Email/A|a@acme.example"},
	{"tables that are not closed", "<table><tr><td>Email</td></tr><tr><td>a@acme.example</td></tr><table><tr><td>Email</td></tr><tr><td>b@acme.example</td></tr></table>", "Email/a@acme.example"},
	{"lines, scripts and comments", "<!-- made by x -->\n<div><table><tr><th>Email</th></tr><tr><td><p>a@acme.example</p><!-- c@acme.example --><script>'b@acme.example'</script></td></tr><tr><td>x<br/>y</td></tr></table></div>", "Email/a@acme.example/x\ny"},
	{"XHTML", `<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x"><html><table><tr><td>Naïve</td></tr></table><table><tr><td>Email</td></tr><tr><td>a@acme.example</td></tr></table></html>`, "Email/a@acme.example"},
	{"UTF-16", "\xff\xfe" + utf16("LE", "<table><tr><td>Email</td></tr><tr><td>a@acme.example</td></tr></table>"), "Email/a@acme.example"},
	{"no table", "<html><body><p>a@acme.example</p></body></html>", "it is a page of HTML without a table: save the list as CSV"},
	{"frames", "<html><frameset><frame src=\"list_files/sheet001.htm\"></frameset></html>", "it is a web page whose tables are in other files: save it as .xlsx, or use the file of the table, such as sheet001.htm in the folder beside it"},

	{"Excel 2003", oldBook, "Name|Email|Seit|Column 4|Um/Jörg & Co|E-mail <a@acme.example>|2024-01-31||09:30:00/|b@acme.example|4900|TRUE"},
	{"Excel 2003, cut off", oldBook[:len(oldBook)-60], "Name|Email|Seit|Column 4|Um/Jörg & Co|E-mail <a@acme.example>|2024-01-31||09:30:00/row 4: XML syntax error on line 2: unexpected EOF"},

	{"vCard 3", "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Doe;Jane;;;\r\nFN:Jane Doe\r\nitem1.EMAIL;type=INTERNET;type=pref:jane@acme.example\r\nitem1.X-ABLabel:work\r\nEMAIL;TYPE=HOME:jane.home@acm\r\n e.example\r\nORG:Acme\\, Inc.;Sales\r\n" +
		"PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ\r\n SkZJRg==\r\nNOTE:x@acme.example\r\nEND:VCARD\r\nBEGIN:VCARD\r\nVERSION:3.0\r\nFN:No Mail\r\nEND:VCARD\r\n",
		"name|email|organization/Jane Doe|jane@acme.example|Acme, Inc./Jane Doe|jane.home@acme.example|Acme, Inc./No Mail||"},
	{"vCard 2.1 of Outlook", "BEGIN:VCARD\nVERSION:2.1\nN;LANGUAGE=de;CHARSET=Windows-1252:M\xfcller;J\xf6rg\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg =\nM=C3=BCller\nEMAIL;PREF;INTERNET:joerg@acme.example\nREV:20260101T000000Z\nEND:VCARD\n",
		"name|email|organization/Jörg Müller|joerg@acme.example|"},
	{"vCard 4", "begin:vcard\nversion:4.0\nfn:A B\nemail;pid=1.1;type=\"home:x\":a@acme.example\nEMAIL:a@acme.example\nEMAIL:\nEND:VCARD\n", "name|email|organization/A B|a@acme.example|"},
	{"vCards of old Macs, cut off", "BEGIN:VCARD\rVERSION:3.0\rN:Doe;Jane\rEMAIL:a@acme.example\rEND:VCARD\rBEGIN:VCARD\rORG:Acme\rEMAIL:b@acme.example", "name|email|organization/Jane Doe|a@acme.example|/Acme|b@acme.example|Acme"},

	{"LDIF of Thunderbird", "dn: cn=Jane Doe,mail=alice@acme.example\nobjectclass: top\ngivenName: Jane\nsn: Doe\ncn: Jane Doe\nmail: alice@acme.example\nmozillaSecondEmail: second@acme.example\n\ndn:: Y249R2hvc3Q=\ncn:: R2jDtnN0\nmail:: Z2hvc3RA\n YWNtZS5leGFtcGxl\n\n",
		"name|email|organization/Jane Doe|alice@acme.example|/Jane Doe|second@acme.example|/Ghöst|ghost@acme.example|"},
	{"LDIF of a directory", "# extended LDIF\n#\n# LDAPv3, base <dc=acme> with\n scope subtree\n\nversion: 1\n\n# people\ndn: ou=people,dc=acme\nobjectClass: organizationalUnit\nou: people\n\ndn: uid=a,ou=people,dc=acme\ngivenName: A\nsn;lang-en: B\nmail: a@acme.example\nmail: a2@acme.example\njpegPhoto:< file:x\n\n\n# numResponses: 2",
		"name|email|organization/A B|a@acme.example|/A B|a2@acme.example|"},

	{"arrays", "[\"Email Address\",\"First Name\",\"Rating\",\"x\"]\n[\"a@acme.example\",\"A\",2,null]\n[\"b@acme.example\",\"B\",true,{\"y\":[1]}]\n", "Email Address|First Name|Rating|x/a@acme.example|A|2/b@acme.example|B|TRUE|{\"y\":[1]}"},
	{"an array of arrays", "[ [\"Email\",\"n\"],\n [\"a@acme.example\",1.5] ]", "Email|n/a@acme.example|1.5"},
	{"an array of arrays, cut off", "[[\"Email\"],[\"a@acme.example\"],[\"b@ac", "Email/a@acme.example/row 3 is no JSON array: unexpected EOF"},
	{"arrays and an object", "[[\"Email\"],[\"a@acme.example\"],{\"x\":1}]", "Email/a@acme.example/row 3 is no JSON array: json: cannot unmarshal object into Go value of type []interface {}"},
	{"an array of strings in lines", "[\"a@acme.example\",\n\"b@acme.example\"]", "email/a@acme.example/b@acme.example"},
}

// TestTables: the rows of a text with a table, whatever the name of its file
// says.
func TestTables(t *testing.T) {
	for _, c := range tables {
		for _, f := range []Format{"", CSV, HTML} {
			if got := rowsIn(t, c.text, Options{Format: f, Folder: t.TempDir()}); got != c.want {
				t.Errorf("%s: %s", c.name, cmp.Diff(strings.Split(c.want, "/"), strings.Split(got, "/")))
			}
		}
	}
}

// answers are lists in JSON as APIs send them.
var answers = []struct{ name, text, want string }{
	{"members", `{"members":[{"email_address":"a@acme.example","n":1},{"email_address":"b@acme.example","tags":[{"x":"c@acme.example"}]}],"total_items":2,"_links":[{"rel":"self"}]}`,
		`email_address|n|tags/a@acme.example|1|/b@acme.example||[{"x":"c@acme.example"}]`},
	{"objects within", `{"results":[{"id":"1","properties":{"email":"a@acme.example","n":"A"}},{"id":"2","properties":{"email":"b@acme.example"}}],"paging":{"next":null}}`,
		`id|properties/1|{"email":"a@acme.example","n":"A"}/2|{"email":"b@acme.example"}`},
	{"deep", `{"data":{"page":1,"list":{"items":[{"mail":"a@acme.example"}]}}}`, "mail/a@acme.example"},
	{"pages", "{\"data\":[{\"email\":\"a@acme.example\"}],\"next\":2}\n{\"data\":[],\"next\":3}\n{\"next\":null,\"data\":[{\"email\":\"b@acme.example\"}]}\n", "email/a@acme.example/b@acme.example"},
	{"several lines", "{\n  \"data\": [\n    {\n \"email\": \"a@acme.example\"\n}\n  ]\n}\n", "email/a@acme.example"},
	{"strings", `{"count":2,"emails":["a@acme.example","b@acme.example"]}`, "email/a@acme.example/b@acme.example"},
	{"phpMyAdmin", `[{"type":"header","version":"5.2"},{"type":"database","name":"x"},{"type":"table","name":"users","data":[{"id":"1","email":"a@acme.example"},{"id":"2","email":"b@acme.example"}]}]`, "id|email/1|a@acme.example/2|b@acme.example"},
	{"arrays of addresses", `{"connections":[{"names":[{"displayName":"A"}],"emailAddresses":[{"value":"a@acme.example"},{"value":"a2@acme.example"}]},{"emailAddresses":[{"value":"b@acme.example"}]}]}`,
		"value/a@acme.example/a2@acme.example/b@acme.example"},
	{"an address beside", `{"owner":"o@acme.example","members":[{"email":"a@acme.example"}]}`, "email/a@acme.example"},
	{"two arrays", `{"subscribed":[{"email":"a@acme.example"}],"cleaned":[{"email":"b@acme.example"}]}`,
		"the addresses are in several arrays, such as .subscribed[] and .cleaned[]: choose one with jq -c '.subscribed[]' FILE | rcpt bulk -"},
	{"another array later", `{"members":[{"email":"a@acme.example"}],"x":"` + strings.Repeat("x", 70<<10) + `","cleaned":[{"email":"b@acme.example"}]}`,
		`email/a@acme.example/behind element 1 there are addresses outside of .members[], such as "b@acme.example": choose with jq what is read`},
	{"cut off", `{"members":[{"email":"a@acme.example"},{"email":"` + strings.Repeat("b", 70<<10), "email/a@acme.example/element 2: not JSON: unexpected EOF"},

	{"records with arrays", "{\"email\":\"a@acme.example\",\"friends\":[{\"email\":\"x@acme.example\"}]}\n", `email|friends/a@acme.example|[{"email":"x@acme.example"}]`},
	{"records with two fields", "{\"to\":\"a@acme.example\",\"cc\":[\"x@acme.example\"]}\n{\"to\":\"b@acme.example\",\"cc\":[]}\n", `to|cc/a@acme.example|["x@acme.example"]/b@acme.example|[]`},
	{"records without an address at first", "{\"email\":null,\"friends\":[{\"email\":\"a@acme.example\"}]}\n{\"email\":\"a@acme.example\"}\n", `email|friends/|[{"email":"a@acme.example"}]/a@acme.example|`},
	{"objects in records", "{\"id\":1,\"contact\":{\"email\":\"a@acme.example\"}}\n{\"id\":2,\"contact\":{\"email\":\"b@acme.example\"}}\n", `id|contact/1|{"email":"a@acme.example"}/2|{"email":"b@acme.example"}`},
}

// TestAnswers: the array with the list is read, whatever is around it.
func TestAnswers(t *testing.T) {
	for _, c := range answers {
		for _, f := range []Format{"", JSON, JSONLines, CSV} {
			if got := rowsIn(t, c.text, Options{Format: f}); got != c.want {
				t.Errorf("%s as %q: %s", c.name, f, got)
			}
		}
		if r, err := NewReader(strings.NewReader(c.text), Options{}); err == nil {
			if row, err := r.Next(); err != nil || row.Err != nil || row.Addresses[0] != "a@acme.example" && row.Addresses[0] != "" {
				t.Errorf("%s: the first address is %q, %v, %v", c.name, row.Addresses, row.Err, err)
			}
		}
	}
	hub := open(t, answers[1].text, Options{Columns: []string{"properties.email"}})
	if got, _ := readAll(t, hub); !cmp.Equal(got, []string{"a@acme.example", "b@acme.example"}) {
		t.Errorf("a field that is named: %q", got)
	}
	if got, want := written(t, `{"data":[{"email":"a@acme.example"}]}`, Options{}, Output{Format: JSONLines}), `{"email":"a@acme.example","rcpt":{#}}`+"\n"; got != want {
		t.Error(got)
	}
}

// TestNoTables: lists that begin as other formats do.
func TestNoTables(t *testing.T) {
	for text, want := range map[string]string{
		"<a@acme.example>\n<b@acme.example>\n":                                "email/<a@acme.example>/<b@acme.example>",
		"<a href=\"mailto:a@acme.example\">A</a>\n<b@acme.example>\n":         "email/<a href=\"mailto:a@acme.example\">A</a>/<b@acme.example>",
		"BEGIN:VCARD@acme.example\n":                                          "email/BEGIN:VCARD@acme.example",
		"dn,email\n1,a@acme.example\n":                                        "dn|email/1|a@acme.example",
		"table,email\n<table>,a@acme.example\n":                               "table|email/<table>|a@acme.example",
		"[a@acme.example]\n[b@acme.example]\n":                                "email/[a@acme.example]/[b@acme.example]",
		"<contacts><contact><mail>a@acme.example</mail></contact></contacts>": "it is an XML document: save the list as CSV",
		"<?xml version=\"1.0\"?>\n<office:document xmlns:office=\"x\">":       "it is an OpenDocument spreadsheet (.fods): save the list as .xlsx or CSV",
	} {
		if got := rowsIn(t, text, Options{}); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestTablesAreWritten: what is read from a table becomes CSV, JSON and a
// spreadsheet.
func TestTablesAreWritten(t *testing.T) {
	for to, want := range map[Format]string{
		CSV:       "\ufeffName,Email,@\nA,a@acme.example,#\n007,b@acme.example,#\n",
		JSONLines: `{"Name":"A","Email":"a@acme.example","rcpt":{#}}` + "\n" + `{"Name":"007","Email":"b@acme.example","rcpt":{#}}` + "\n",
	} {
		if got := written(t, "<table><tr><td>Name</td><td>Email</td></tr><tr><td>A</td><td>a@acme.example</td></tr><tr><td>007</td><td>b@acme.example</td></tr></table>", Options{}, Output{Format: to}); got != want {
			t.Errorf("%s: %s", to, cmp.Diff(want, got))
		}
	}
}

// formulaBook is a workbook as a library writes it, with rows of cells.
func formulaBook(t testing.TB, rows ...string) string {
	t.Helper()
	return archive(t, "_rels/.rels", `<Relationships><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml", `<workbook><sheets><sheet name="a" r:id="s"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="s" Type="x/worksheet" Target="s.xml"/></Relationships>`,
		"xl/s.xml", "<worksheet><sheetData><row>"+strings.Join(rows, "</row><row>")+"</row></sheetData></worksheet>")
}

func textCell(text string) string { return `<c t="inlineStr"><is><t>` + text + `</t></is></c>` }

// TestUncalculated: a formula without a result is for a person to decide, not
// an empty cell; a list of such is refused. A link says the address.
func TestUncalculated(t *testing.T) {
	const formula = `<c><f>A2&amp;"@acme.example, x"</f></c>`
	head, address := textCell("name")+textCell("email"), textCell("b@acme.example")
	for _, c := range []struct{ name, book, want string }{
		{"one row", formulaBook(t, head, textCell("a")+formula, textCell("b")+address),
			"name|email/row 2, column B: a formula that was never calculated; open and save the file in a spreadsheet program/b|b@acme.example"},
		{"most rows", formulaBook(t, head, textCell("a")+formula, textCell("c")+formula, textCell("b")+address),
			"most cells of column B hold a formula that was never calculated; open and save the file in a spreadsheet program"},
		{"all rows, without a header", formulaBook(t, textCell("a")+formula, textCell("c")+formula),
			"most cells of column B hold a formula that was never calculated; open and save the file in a spreadsheet program"},
		{"another column", formulaBook(t, head+textCell("sum"), textCell("a")+address+formula), `name|email|sum/a|b@acme.example|=A2&"@acme.example, x"`},
		{"a text that looks like one", formulaBook(t, head, textCell("a")+textCell(`="a@acme.example"`)), `name|email/a|="a@acme.example"`},
		{"links", formulaBook(t, head, textCell("a")+`<c><f>HYPERLINK("mailto:a@acme.example","Doe, Jane")</f></c>`), `name|email/a|"Doe, Jane" <a@acme.example>`},
	} {
		if got := rowsIn(t, c.book, Options{}); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	r := open(t, formulaBook(t, head, textCell("a")+formula, textCell("b")+address), Options{})
	row, err := r.Next()
	check(t, err)
	if kind, _ := row.Held(0); kind != Unreadable {
		t.Errorf("the cell is of kind %d", kind)
	}
	two := open(t, formulaBook(t, head+textCell("second"), textCell("a")+formula+address, textCell("b")+address+address), Options{Columns: []string{"email", "second"}})
	row, err = two.Next()
	check(t, err)
	first, _ := row.Held(0)
	if second, text := row.Held(1); first != Unclear || second != Address || text != "b@acme.example" {
		t.Errorf("beside a formula is %q", text)
	}
	for to, want := range map[Format]string{
		CSV:       "\ufeffname,email,@\na,\"'=A2&\"\"@acme.example, x\"\"\",#\nb,b@acme.example,#\n",
		JSONLines: `{"name":"a","email":"=A2&\"@acme.example, x\"","rcpt":{#}}` + "\n" + `{"name":"b","email":"b@acme.example","rcpt":{#}}` + "\n",
	} {
		if got := written(t, formulaBook(t, head, textCell("a")+formula, textCell("b")+address), Options{}, Output{Format: to}); got != want {
			t.Errorf("%s: %s", to, cmp.Diff(want, got))
		}
	}
	for link, want := range map[string]string{
		"mailto:a%2Bb@acme.example?cc=x": "Jane <a+b@acme.example>", "mailto:": "Jane", "https://x@acme.example": "Jane", "mailto:?bcc=a@acme.example": "Jane",
	} {
		if got := linked("Jane", link); got != want {
			t.Errorf("%s: %s", link, got)
		}
	}
}

// archive is a ZIP archive of files by their names.
func archive(t testing.TB, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		part, err := w.Create(files[i])
		if err == nil {
			_, err = io.WriteString(part, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestArchive: the one list in an archive is read, and the files of others are
// named.
func TestArchive(t *testing.T) {
	const csv = "email;n\r\na@acme.example;1\r\n"
	for _, c := range []struct{ name, archive, want string }{
		{"one file", archive(t, "lists/", "", "lists/members.csv", csv, "__MACOSX/._members.csv", "x", "lists/.DS_Store", "x"), "email|n/a@acme.example|1"},
		{"a workbook", archive(t, "b.xlsx", string(sheetOf(t, csv, Options{}))), "email|n|" + strings.ReplaceAll(headerTail, ",", "|") + "/a@acme.example|1|unknown||0|0|0|0|0|=1+1||review|risky|x@acme.example"},
		{"a page", archive(t, "b.xls", "<table><tr><td>email</td></tr><tr><td>a@acme.example</td></tr></table>"), "email/a@acme.example"},
		{"several files", archive(t, "README", "x", "subscribed.csv", csv, "cleaned.csv", csv),
			`it is a ZIP archive of 3 files: unpack it and choose one, such as with unzip -p FILE "subscribed.csv" | rcpt bulk -; the files are 1 "README", 2 "subscribed.csv", 3 "cleaned.csv"`},
		{"nothing", archive(t, "lists/", ""), "it is a ZIP archive without a file: choose another file"},
		{"an archive", archive(t, "a.zip", archive(t, "a.csv", csv)), "it is an archive in an archive: unpack it first"},
		{"gzip", archive(t, "a.csv.gz", string(packTo(t, Gzip, strings.NewReader(csv)))), "it is compressed twice: unpack it first"},
		{"cut off", archive(t, "a.csv", csv)[:60], "it is a ZIP archive, or a spreadsheet (.xlsx), that is damaged or cut off (zip: not a valid zip file): save the list as .xlsx or CSV"},
		{"a picture", archive(t, "a.png", "\x89PNG\r\n\x1a\n"), "it is a picture (PNG): type the list, or export it as CSV"},
		{"OpenDocument", archive(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", "x"), "it is an OpenDocument spreadsheet (.ods): save the list as .xlsx or CSV"},
	} {
		if got := rowsIn(t, c.archive, Options{Folder: t.TempDir()}); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	if got := written(t, archive(t, "a.csv", csv), Options{}, Output{Format: CSV}); got != "email;n;@\r\na@acme.example;1;#\r\n" {
		t.Errorf("the list in an archive became %q", got)
	}
	locked := strings.Replace(archive(t, "a.csv", csv), "PK\x01\x02\x14\x00\x14\x00\x08\x00", "PK\x01\x02\x14\x00\x14\x00\x09\x00", 1)
	if got := rowsIn(t, locked, Options{}); got != "it is a ZIP archive with a password: unpack it first" {
		t.Error(got)
	}
}

// TestArchiveBomb: a small archive with an endless file is given up.
func TestArchiveBomb(t *testing.T) {
	bomb := archive(t, "a.csv", "email\n"+strings.Repeat(strings.Repeat(" ", 1<<19)+"\n", 140))
	if got := rowsIn(t, bomb, Options{Folder: t.TempDir()}); !strings.Contains(got, ErrExpands.Error()) {
		t.Error(got)
	}
}

// TestHostileTables: texts that would fill the memory, or that are damaged.
func TestHostileTables(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"tables in tables", strings.Repeat("<table><tr><td>", 300) + "a@acme.example", "more than 256 tables within tables"},
		{"wide cells", "<table><tr>" + strings.Repeat("<td colspan=99999999>x", 17) + "<tr><td>a@acme.example", "more than 16384 columns"},
		{"a long cell", "<table><tr><td>email<tr><td>" + strings.Repeat("a ", MaxRow), "more than 1048576 octets"},
		{"a long cell of XML", `<Workbook xmlns="` + oldSpace + `"><Worksheet><Row><Cell><Data>email</Data></Cell></Row><Row><Cell><Data>` + strings.Repeat("x", 3*MaxRow), "longer than"},
		{"a long array", `["email","x"]` + "\n" + `["a@acme.example","` + strings.Repeat("x", 3*MaxRow), "longer than"},
		{"a long line of a card", "BEGIN:VCARD\nEMAIL:a@acme.example\nPHOTO:" + strings.Repeat("x", 2*MaxRow), "longer than"},
		{"a long value beside the list", `{"data":[{"email":"a@acme.example"}],"x":"` + strings.Repeat("x", 3*MaxRow), "longer than"},
	} {
		if got := rowsIn(t, c.text, Options{Folder: t.TempDir()}); !strings.Contains(got, c.want) {
			t.Errorf("%s: %.200s, want %s", c.name, got[max(0, len(got)-200):], c.want)
		}
	}
}
