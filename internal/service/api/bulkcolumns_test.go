package api_test

import (
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/list/listtest"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// formOf is a form with a file of CSV and some fields, each a name and a value.
func formOf(file string, fields ...string) string {
	var form strings.Builder
	for i := 0; i < len(fields); i += 2 {
		form.WriteString("--b\r\nContent-Disposition: form-data; name=" + fields[i] + "\r\n\r\n" + fields[i+1] + "\r\n")
	}
	form.WriteString("--b\r\nContent-Disposition: form-data; name=file; filename=people.csv\r\n\r\n" + file + "\r\n--b--\r\n")
	return form.String()
}

const formType = "multipart/form-data; boundary=b"

// TestSeveralColumns: column can be given again and again, in a query or a
// form, and each one has its own results.
func TestSeveralColumns(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key := l.key(store.Key{})
	const list = "name,E-mail 1,E-mail 2\nAnn,a@a.example,b@b.example\nBob,,c@c.example\n"
	for name, c := range map[string]struct{ target, body, mediaType string }{
		"query":            {"?column=E-mail%201&column=3", list, csvType},
		"form":             {"", formOf(list, "column", "2", "column", "e-mail 2"), formType},
		"the same in both": {"?column=2&column=3", formOf(list, "column", "2", "column", "3"), formType},
		"an empty one":     {"", formOf(list, "column", "", "column", "2", "column", "3"), formType},
	} {
		got := l.send("POST", "/api/v1/bulk"+c.target, key, c.body, "Content-Type", c.mediaType)
		j := l.done(key, l.want(got, 202).ID)
		out := l.send("GET", "/api/v1/bulk/"+j.ID+"/results", key, "").Body.String()
		for _, says := range []string{"rcpt_result (E-mail 1)", "rcpt_result (E-mail 2)", ",a@a.example,deliverable,", ",c@c.example\n"} {
			if !strings.Contains(out, says) {
				t.Errorf("%s: %q is not in %s", name, says, out)
			}
		}
		if j.Rows != 2 || j.Addresses != 3 {
			t.Errorf("%s: %+v", name, j)
		}
	}
}

// TestContradictions: what is said in two ways is refused.
func TestContradictions(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key := l.key(store.Key{})
	const list = "a,b\na@a.example,b@b.example\n"
	for name, c := range map[string]struct{ target, body, mediaType, says string }{
		"query":   {"?column=a&name=x&name=y", list, csvType, `\"name\"`},
		"form":    {"", formOf(list, "name", "x", "name", "y", "column", "a"), formType, `\"name\"`},
		"both":    {"?name=x", formOf(list, "name", "y", "column", "a"), formType, `\"name\"`},
		"columns": {"?column=a", formOf(list, "column", "b"), formType, `\"column\"`},
	} {
		got := l.send("POST", "/api/v1/bulk"+c.target, key, c.body, "Content-Type", c.mediaType)
		l.wantCode(got, 400, "invalid_parameter")
		if !strings.Contains(got.Body.String(), c.says) {
			t.Errorf("%s: %s", name, got.Body)
		}
	}
}

// TestChoices: the sheet, the header, the encoding and the columns can be
// chosen in a query, a form or the media type, and the job says what is read.
func TestChoices(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key := l.key(store.Key{})
	book := listtest.Workbook("Info", "Kontakt|x@a.example", "Kunden", "Kunden\n\nNr|E-Mail\n1|a@a.example\n2|b@a.example")
	const cyrillic = "\xc8\xec\xff;\xcf\xee\xf7\xf2\xe0\n\xc8\xe2\xe0\xed;a@a.example\n" // Имя;Почта
	const octets = "application/octet-stream"
	named := strings.Replace(formOf(cyrillic), "filename=people.csv", "filename=people.csv\r\nContent-Type: text/csv; charset=cp1251", 1)
	for name, c := range map[string]struct{ target, body, mediaType, list string }{
		"found": {"", "n,mail\n1,a@a.example\n", csvType, `{"format":"csv","columns":["mail"],"header_row":1,"encoding":"UTF-8"}`},
		"below a title": {"", "Kunden\n\nn,mail\n1,a@a.example\n", csvType,
			`{"format":"csv","columns":["mail"],"header_row":3,"encoding":"UTF-8"}`},
		"header": {"?header_row=2", "a,b\nx,y\n1,a@a.example\n", csvType, `{"format":"csv","columns":["y"],"header_row":2,"encoding":"UTF-8"}`},
		"none":   {"?header_row=0", "a,b\n1,a@a.example\n", csvType, `{"format":"csv","columns":["Column 2"],"header_row":0,"encoding":"UTF-8"}`},
		"columns": {"?column=b&column=a", "a,b\nb@a.example,a@a.example\n", csvType,
			`{"format":"csv","columns":["b","a"],"header_row":1,"encoding":"UTF-8"}`},
		"lines":        {"", "a@a.example\n", "text/plain", `{"format":"txt","columns":["email"],"header_row":0,"encoding":"UTF-8"}`},
		"JSON":         {"?column=mail", `{"mail":"a@a.example"}`, "application/x-ndjson", `{"format":"jsonl","columns":["mail"],"encoding":"UTF-8"}`},
		"address book": {"", "BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nEMAIL:a@a.example\nEND:VCARD\n", octets, `{"format":"vcf","columns":`},
		"directory":    {"", "dn: cn=Ann,dc=a\ncn: Ann\nmail: a@a.example\n\n", octets, `{"format":"ldif","columns":`},
		"page": {"", "<html><table><tr><th>n<th>mail<tr><td>Ann<td>a@a.example<tr><td>Bo<td>b@a.example</table></html>", octets,
			`{"format":"html","sheet":`},
		"array of arrays": {"", `[["n","mail"],["Ann","a@a.example"],["Bo","b@a.example"]]`, octets, `{"format":"json","columns":`},
		"sheet that holds addresses": {"", book, octets,
			`{"format":"xlsx","sheet":"Kunden","columns":["E-Mail"],"header_row":3,"encoding":"UTF-8","other_sheets":["Info"]}`},
		"others": {"?column=2", "a,b,c,d\na@a.example,b@a.example,,x\n,,c@a.example,y\n", csvType,
			`{"format":"csv","columns":["b"],"header_row":1,"encoding":"UTF-8","other_columns":["a","c"]}`},
		"sheet": {"?sheet=info", book, octets, `{"format":"xlsx","sheet":"Info","columns":["Column 2"],"header_row":0,"encoding":"UTF-8","other_sheets":["Kunden"]}`},
		"encoding": {"?encoding=cp1251", cyrillic, csvType,
			`{"format":"csv","columns":["Почта"],"header_row":1,"encoding":"Windows-1251"}`},
		"charset": {"", cyrillic, "text/csv; charset=windows-1251",
			`{"format":"csv","columns":["Почта"],"header_row":1,"encoding":"Windows-1251"}`},
		"both": {"?encoding=cp1251", cyrillic, "text/csv; charset=Windows-1251",
			`{"format":"csv","columns":["Почта"],"header_row":1,"encoding":"Windows-1251"}`},
		"form": {"", formOf(cyrillic, "encoding", "cp1251", "header_row", "1", "column", "2"), formType,
			`{"format":"csv","columns":["Почта"],"header_row":1,"encoding":"Windows-1251"}`},
		"charset of a part": {"", named, formType, `{"format":"csv","columns":["Почта"],"header_row":1,"encoding":"Windows-1251"}`},
		"charset of any program": {"", "mail,n\na@a.example,J\xf6rg\n", "text/csv; charset=utf-8",
			`{"format":"csv","columns":["mail"],"header_row":1,`},
		"charset of MIME": {"", "mail,ü\na@a.example,ü\n", "text/csv; charset=us-ascii",
			`{"format":"csv","columns":["mail"],"header_row":1,"encoding":"UTF-8"}`},
	} {
		sent := l.send("POST", "/api/v1/bulk"+c.target, key, c.body, "Content-Type", c.mediaType)
		j := l.done(key, l.want(sent, 202).ID)
		if got := l.send("GET", "/api/v1/bulk/"+j.ID, key, "").Body.String(); !strings.Contains(got, `"list":`+c.list) {
			t.Errorf("%s: %s", name, got)
		}
		wantType := "text/csv; charset=utf-8"
		if strings.Contains(c.list, "Windows-1251") { // the rows keep their octets
			wantType = "text/csv; charset=windows-1251"
		}
		results := l.send("GET", "/api/v1/bulk/"+j.ID+"/results?format=csv", key, "").Header().Get("Content-Type")
		if results != wantType && name != "charset of any program" {
			t.Errorf("%s: the results are %q, want %q", name, results, wantType)
		}
	}
}

// TestWrongChoices: each is refused with what there is, and nothing is stored.
func TestWrongChoices(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key := l.key(store.Key{})
	book := listtest.Workbook("Info", "Kontakt|x@a.example", "Kunden", "Nr|E-Mail\n1|a@a.example")
	const csv, octets = "n,mail\n1,a@a.example\n", "application/octet-stream"
	for name, c := range map[string]struct {
		target, body, mediaType, says string
	}{
		"sheet":             {"?sheet=Orders", book, octets, `It has no sheet \"Orders\"; the sheets are 1 \"Info\", 2 \"Kunden\".`},
		"sheet of CSV":      {"?sheet=Orders", csv, csvType, "no spreadsheet and has no sheets: leave the parameter sheet out."},
		"column":            {"?column=E-Mail", csv, csvType, `the columns are 1 \"n\", 2 \"mail\".`},
		"column of a sheet": {"?column=Mail&sheet=Kunden", book, octets, `2 \"E-Mail\"`},
		"column twice":      {"?column=mail&column=2", csv, csvType, `column 2 \"mail\" is given twice`},
		"column of lines":   {"?column=mail", "a@a.example\n", "text/plain", "leave the parameter column out"},
		"header row":        {"?header_row=9", csv, csvType, "row 9 cannot name the columns"},
		"no number":         {"?header_row=first", csv, csvType, `\"header_row\" must be the number`},
		"less than none":    {"?header_row=-1", csv, csvType, `\"header_row\" must be the number`},
		"header of JSON":    {"?header_row=1", `{"email":"a@a.example"}`, "application/x-ndjson", "leave the parameter header_row out"},
		"encoding":          {"?encoding=klingon", csv, csvType, `the encoding \"klingon\" is not known: use one of UTF-8`},
		"charset":           {"", csv, "text/csv; charset=klingon", `the encoding \"klingon\" is not known`},
		"two encodings":     {"?encoding=cp1251", csv, "text/csv; charset=utf-8", `says that the list is UTF-8, and \"encoding\" that it is Windows-1251`},
		"of an object":      {"?header_row=0", `{"emails":["a@a.example"]}`, "application/json", `leave the parameter \"header_row\" out`},
		"two in a form":     {"", formOf(csv, "sheet", "a", "sheet", "b"), formType, `\"sheet\" is given with two values`},
		"query and form":    {"?header_row=1", formOf(csv, "header_row", "2"), formType, `\"header_row\" is given with two values`},
	} {
		got := l.send("POST", "/api/v1/bulk"+c.target, key, c.body, "Content-Type", c.mediaType)
		l.wantCode(got, 400, "invalid_parameter")
		if !strings.Contains(strings.ToLower(got.Body.String()), strings.ToLower(c.says)) {
			t.Errorf("%s: %s", name, got.Body)
		}
	}
	if all := l.send("GET", "/api/v1/bulk", key, ""); !strings.Contains(all.Body.String(), `"jobs":[]`) {
		t.Errorf("it is stored: %s", all.Body)
	}
}

// TestSeveralInEachRow: a list whose rows hold several addresses each says so.
func TestSeveralInEachRow(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key := l.key(store.Key{})
	for body, says := range map[string]string{
		"n,mail\n1,a@a.example; b@a.example\n2,c@a.example d@a.example\n": "alone: 2 rows hold several; write each address in a row of its own.",
		"n,mail\n1,a@a.example; b@a.example\n2,b@a.example - old\n":       "alone: 2 rows hold several, or other words beside one, or a part of one; write each address in a row of its own.",
		"n,mail\n1,a@a.example - old\n2,\n":                               "alone: its only row with one has other words beside one, or a part of one;",
		"n,mail\n1,a@a.example; b@a.example\n2,\n":                        "alone: its only row with addresses holds several",
		"n,mail\n1,\n": "The list has no row with an address.",
	} {
		got := l.send("POST", "/api/v1/bulk", key, body, "Content-Type", csvType)
		l.wantCode(got, 422, "no_address")
		if !strings.Contains(got.Body.String(), says) {
			t.Errorf("%q: %s", body, got.Body)
		}
	}
}
