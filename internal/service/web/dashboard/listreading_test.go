package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// TestReadingOf: a path says how a list is read, and the form of that says the
// same. What was chosen of another sheet is dropped.
func TestReadingOf(t *testing.T) {
	for query, want := range map[string]jobs.Format{
		"":                            {},
		"column=2&column=5":           {Columns: []string{"2", "5"}},
		"sheet=Kunden&header_row=3":   {Sheet: "Kunden", HeaderRow: 3},
		"header_row=0":                {HeaderRow: list.NoHeader},
		"header_row=x&encoding=Big5":  {Encoding: "Big5"},
		"column=a%26b&encoding=UTF-8": {Columns: []string{"a&b"}, Encoding: "UTF-8"},
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		got := readingOf(values)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
		if values, err = url.ParseQuery(readingQuery(got)); err != nil || cmp.Diff(want, readingOf(values)) != "" {
			t.Errorf("%s: its path is %s", query, readingQuery(got))
		}
	}
	moved := url.Values{"sheet": {"Kunden"}, "shown": {"Info"}, "column": {"1"}, "header_row": {"9"}}
	if diff := cmp.Diff(jobs.Format{Sheet: "Kunden"}, readingOf(moved)); diff != "" {
		t.Errorf("another sheet: %s", diff)
	}
}

// TestSiblings: columns that are named like the one that was found are read
// with it if they hold addresses.
func TestSiblings(t *testing.T) {
	column := func(choice, name string, held int, read bool) jobs.Column {
		return jobs.Column{Name: name, Choice: choice, Held: held, Read: read}
	}
	for name, c := range map[string]struct {
		look jobs.Look
		want []string
	}{
		"Google": {jobs.Look{HeaderRow: 1, Columns: []jobs.Column{column("1", "Name", 0, false),
			column("4", "E-mail 1 - Value", 40, true), column("6", "E-mail 2 - Value", 30, false), column("8", "E-mail 3 - Value", 0, false)}},
			[]string{"4", "6"}},
		"Outlook": {jobs.Look{HeaderRow: 1, Columns: []jobs.Column{column("3", "E-mail Address", 37, true),
			column("6", "E-mail 2 Address", 13, false), column("9", "E-mail 3 Address", 1, false)}}, []string{"3", "6", "9"}},
		"of somebody else": {jobs.Look{HeaderRow: 1, Columns: []jobs.Column{column("1", "Email", 9, true), column("2", "Sales rep", 9, false)}}, nil},
		"without a header": {jobs.Look{HeaderRow: list.NoHeader, Columns: []jobs.Column{column("1", "Column 1", 9, true), column("2", "Column 2", 9, false)}}, nil},
		"not clear": {jobs.Look{HeaderRow: 1, Problem: "which?", Columns: []jobs.Column{column("1", "Name", 0, true),
			column("2", "E-mail 1", 2, false), column("3", "E-mail 2", 2, false)}}, []string{"2", "3"}},
		"not clear, and not alike": {jobs.Look{HeaderRow: 1, Problem: "which?", Columns: []jobs.Column{column("1", "Name", 0, true),
			column("2", "home", 2, false), column("3", "work", 2, false)}}, nil},
		"one": {jobs.Look{HeaderRow: 1, Columns: []jobs.Column{column("1", "Email", 9, true)}}, nil},
	} {
		if diff := cmp.Diff(c.want, withSiblings(&c.look)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestNewListReading: the page offers what can be read otherwise, and what was
// chosen is started.
func TestNewListReading(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	open := func(name, text string) string {
		t.Helper()
		w.clock.Advance(time.Millisecond) // it is the newest
		sent := w.sendFile(t, w.listToken(t), name, text)
		if sent.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s: %d\n%s", name, sent.StatusCode, sent.body)
		}
		return sent.Header.Get("Location")
	}
	shows := func(path string, all ...string) {
		t.Helper()
		page := w.get(t, path).body
		for _, want := range all {
			if !strings.Contains(page, want) {
				t.Errorf("%s: there is no %s in\n%s", path, want, page)
			}
		}
	}
	google := open("contacts.csv", "Name,E-mail 1 - Value,E-mail 2 - Value,Phone\n"+
		"Ada,ada@acme.example,ada@home.example,1\nBob,bob@acme.example,,2\nCy,,cy@home.example,3\n")
	shows(google, `value="2" checked><span>E-mail 1 - Value: 2</span>`, `value="3" checked><span>E-mail 2 - Value: 2</span>`,
		`value="4"><span>Phone</span>`, `<strong title="4">4</strong>`, `<p>Without address</p><strong title="0">`)
	at := w.post(t, google, google, "column", "3", "name", "Homes").Header.Get("Location")
	w.awaitState(t, at, store.JobDone)
	if page := w.get(t, at).body; !strings.Contains(page, `value="cy@home.example"`) || strings.Contains(page, `value="bob@acme.example"`) {
		t.Errorf("another column was read:\n%s", page)
	}

	titled := open("titled.csv", "Customers of November\n\nNo,Name,Mail\n1,Ada,ada@acme.example\n2,Bob,bob@acme.example\n")
	shows(titled, `selected>Row 3: No, Name, Mail</option>`, `>No row names them</option>`)
	if got := w.post(t, titled, titled+"/read", "header_row", "0", "name", "Mine"); got.Header.Get("Location") != titled+"?header_row=0" {
		t.Errorf("read otherwise: %d to %q", got.StatusCode, got.Header.Get("Location"))
	}
	shows(titled+"?header_row=0", `<option value="0" selected>No row names them</option>`, `value="Mine"`)

	foreign := open("clients.csv", "\xc8\xec\xff;\xcf\xee\xf7\xf2\xe0\n\xc8\xe2\xe0\xed;ivan@acme.example\n\xce\xeb\xfc\xe3\xe0;olga@acme.example\n")
	shows(foreign, `<option value="" selected>Windows-1251</option>`, "Read as Windows-1251 (guessed). Choose another if letters look wrong", "Иван")
	shows(foreign+"?encoding=Windows-1251", `<option value="Windows-1251" selected>`, "Иван", `Choose another if letters look wrong`)

	nothing := open("none.csv", "Name,City\nAda,London\nBob,Paris\n")
	shows(nothing, "Found Name, City, but no", `value="2"><span>Column 2</span>`, "<td>City</td>", "disabled>Start")
}
