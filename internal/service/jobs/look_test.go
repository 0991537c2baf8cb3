//go:build unix

package jobs

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/list/listtest"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// TestLook: what is found in a list before it is started.
func TestLook(t *testing.T) {
	n := alone(t, &hosts{})
	const two = "home,work\na@a.example,b@a.example\n"
	column := func(name, choice string, filled, held int, read bool) Column {
		return Column{name, choice, filled, held, read}
	}
	for name, c := range map[string]struct {
		list string
		as   Format
		want Look
	}{
		"a header": {"n,email\n1,a@a.example\n2,b@a.example\n3,c@a.example\n", Format{}, Look{
			Columns: []Column{column("n", "1", 3, 0, false), column("email", "2", 3, 3, true)}, HeaderRow: 1,
			First: []list.LookRow{{Number: 1, Cells: []string{"n", "email"}}, {Number: 2, Cells: []string{"1", "a@a.example"}}, {Number: 3, Cells: []string{"2", "b@a.example"}}},
			Rows:  [][]string{{"1", "a@a.example"}, {"2", "b@a.example"}}}},
		"a title": {"Export\n\nn,email\n1,a@a.example\n", Format{}, Look{
			Columns: []Column{column("n", "1", 1, 0, false), column("email", "2", 1, 1, true)}, HeaderRow: 3,
			First: []list.LookRow{{Number: 1, Cells: []string{"Export"}}, {Number: 3, Cells: []string{"n", "email"}}, {Number: 4, Cells: []string{"1", "a@a.example"}}},
			Rows:  [][]string{{"1", "a@a.example"}}}},
		"no header": {"n,email\n1,a@a.example\n", Format{HeaderRow: list.NoHeader, Columns: []string{"2"}}, Look{
			Columns: []Column{column("Column 1", "1", 2, 0, false), column("Column 2", "2", 2, 1, true)}, HeaderRow: list.NoHeader,
			First: []list.LookRow{{Number: 1, Cells: []string{"n", "email"}}, {Number: 2, Cells: []string{"1", "a@a.example"}}},
			Rows:  [][]string{{"n", "email"}, {"1", "a@a.example"}}}},
		"not clear": {two, Format{}, Look{
			Columns: []Column{column("home", "1", 1, 1, false), column("work", "2", 1, 1, false)}, HeaderRow: 1,
			First:   []list.LookRow{{Number: 1, Cells: []string{"home", "work"}}, {Number: 2, Cells: []string{"a@a.example", "b@a.example"}}},
			Rows:    [][]string{{"a@a.example", "b@a.example"}},
			Problem: "More than one column may hold the addresses: choose those to verify."}},
		"several columns": {two, Format{Columns: []string{"2", "home"}}, Look{
			Columns: []Column{column("home", "1", 1, 1, true), column("work", "2", 1, 1, true)}, HeaderRow: 1,
			First: []list.LookRow{{Number: 1, Cells: []string{"home", "work"}}, {Number: 2, Cells: []string{"a@a.example", "b@a.example"}}},
			Rows:  [][]string{{"a@a.example", "b@a.example"}}}},
		"no such column": {two, Format{Columns: []string{"mail"}}, Look{
			Columns: []Column{column("home", "1", 1, 1, false), column("work", "2", 1, 1, false)}, HeaderRow: 1,
			First:   []list.LookRow{{Number: 1, Cells: []string{"home", "work"}}, {Number: 2, Cells: []string{"a@a.example", "b@a.example"}}},
			Rows:    [][]string{{"a@a.example", "b@a.example"}},
			Problem: `There is no column "mail"; the columns are 1 "home", 2 "work".`}},
		"no addresses": {"Name,City\nAnn,Rome\nBob,Bonn\n", Format{}, Look{
			Columns: []Column{column("Column 1", "1", 3, 0, false), column("Column 2", "2", 3, 0, false)}, HeaderRow: list.NoHeader,
			First:   []list.LookRow{{Number: 1, Cells: []string{"Name", "City"}}, {Number: 2, Cells: []string{"Ann", "Rome"}}},
			Rows:    [][]string{{"Name", "City"}, {"Ann", "Rome"}},
			Problem: "Found Name, City, but no e-mail addresses: are they in another column?"}},
		"lines": {"a@a.example\n", Format{}, Look{
			Columns: []Column{column("email", "email", 1, 1, true)}, HeaderRow: list.NoHeader,
			First: []list.LookRow{{Number: 1, Cells: []string{"a@a.example"}}}, Rows: [][]string{{"a@a.example"}}}},
		"JSON": {`{"n":1,"mail":"a@a.example"}` + "\n", Format{}, Look{
			Columns: []Column{column("n", "n", 1, 0, false), column("mail", "mail", 1, 1, true)},
			First:   []list.LookRow{{Number: 1, Cells: []string{"1", "a@a.example"}}}, Rows: [][]string{{"1", "a@a.example"}}}},
	} {
		got, err := n.Look(n.receive(c.list), c.as, 2)
		check(t, err)
		if c.want.Encoding == "" {
			c.want.Encoding = list.UTF8
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if _, err := n.Look(n.receive("Jane\nJoe\nJim\n"), Format{}, 2); err == nil {
		t.Error("names are a list")
	}
}

// TestEncodingIsChosen: a text is read in the encoding that is named, to the
// output.
func TestEncodingIsChosen(t *testing.T) {
	n := alone(t, &hosts{})
	const text = "\xc8\xec\xff;\xcf\xee\xf7\xf2\xe0\n\xc8\xe2\xe0\xed;a@a.example\n" // Имя;Почта, Иван
	f := Format{Encoding: "cp1251"}
	look, err := n.Look(n.receive(text), f, 1)
	check(t, err)
	if look.Columns[0].Name != "Имя" || look.Rows[0][0] != "Иван" || look.Encoding != "Windows-1251" || look.EncodingGuessed {
		t.Errorf("%+v", look)
	}
	j := n.untilDone(n.create(text, Request{Format: f}).ID)
	if out := n.output(j.ID, Output{Format: list.JSONLines}); !strings.HasPrefix(out, `{"Имя":"Иван","Почта":"a@a.example",`) {
		t.Error(out)
	}
	if found := FoundIn(j); found.Encoding != "Windows-1251" || found.EncodingGuessed || found.Columns[0] != "Почта" {
		t.Errorf("%+v", found)
	}
}

var (
	aboutSheet  = "Export|of today\nKontakt|shop@a.example"
	peopleSheet = "Kunden\n\nNr|E-Mail\n1|a@a.example\n2|b@a.example\n3|c@a.example"
)

// TestSheetIsChosen: the sheet with the addresses is read, or the one that is
// chosen, also of a draft, and again and again.
func TestSheetIsChosen(t *testing.T) {
	n := alone(t, &hosts{})
	book := listtest.Workbook("Info", aboutSheet, "Kunden", peopleSheet)
	id, err := n.KeepDraft(t.Context(), "ada", "people", n.receive(book))
	check(t, err)
	draft, err := n.Draft(t.Context(), id, "ada")
	check(t, err)
	s, err := n.OpenDraft(t.Context(), draft)
	check(t, err)
	t.Cleanup(s.Close)
	for _, c := range []struct {
		sheet, read string
		header      int
		addresses   int64
	}{{"", "Kunden", 3, 3}, {"info", "Info", 1, 1}, {"", "Kunden", 3, 3}, {"Kunden", "Kunden", 3, 3}, {"Info", "Info", 1, 1}} {
		look, err := n.Look(s, Format{Sheet: c.sheet}, 1)
		check(t, err)
		want := []list.Sheet{{Name: "Info", Held: 1, Read: c.read == "Info"}, {Name: "Kunden", Held: 3, Read: c.read == "Kunden"}}
		if diff := cmp.Diff(want, look.Sheets); diff != "" || look.HeaderRow != c.header && c.read != "Info" {
			t.Errorf("%q: header %d, %s", c.sheet, look.HeaderRow, diff)
		}
		plan, err := n.Plan(t.Context(), s, Request{Format: Format{Sheet: c.sheet}})
		if check(t, err); plan.Addresses != c.addresses {
			t.Errorf("%q: %+v", c.sheet, plan)
		}
	}
	if _, err := n.Look(s, Format{Sheet: "None"}, 1); err == nil || !strings.Contains(err.Error(), `1 "Info", 2 "Kunden"`) {
		t.Errorf("a sheet that is not there: %v", err)
	}
	j, err := n.StartDraft(t.Context(), draft, s, Request{By: rows.ByCommand("test"), Owner: "ada"})
	check(t, err)
	j = n.untilDone(j.ID)
	want := &Found{
		Format: list.XLSX, Sheet: "Kunden", Columns: []string{"E-Mail"}, HeaderRow: 3,
		Encoding: list.UTF8, Written: list.UTF8, OtherSheets: []string{"Info"},
	}
	if diff := cmp.Diff(want, FoundIn(j)); diff != "" || j.Addresses != 3 {
		t.Errorf("%d addresses: %s", j.Addresses, diff)
	}
	_, table, _ := strings.Cut(n.output(j.ID, Output{}), "\n\n")
	if got := column(table, 1); !cmp.Equal(got, []string{"E-Mail", "a@a.example", "b@a.example", "c@a.example"}) {
		t.Errorf("%q", got)
	}
}

// TestSheetWithoutAddresses: the page has the other sheets, and an error names
// them.
func TestSheetWithoutAddresses(t *testing.T) {
	n := alone(t, &hosts{})
	s := n.receive(listtest.Workbook("Notes", "one\ntwo\nthree\nfour", "Orders", "No|Total\n1|9.50\n2|10\n3|7"))
	look, err := n.Look(s, Format{}, 2)
	check(t, err)
	if len(look.Sheets) != 2 || look.Problem == "" || strings.Contains(look.Problem, "--") {
		t.Errorf("%+v", look)
	}
	_, err = n.Plan(t.Context(), s, Request{})
	if !errors.As(err, new(*ListError)) || !strings.Contains(err.Error(), "Orders") {
		t.Error(err)
	}
}

// TestFoundIsStored: what was found of a list is how it is read later.
func TestFoundIsStored(t *testing.T) {
	n := alone(t, &hosts{})
	for name, c := range map[string]struct {
		list   string
		as     Format
		stored string // a part of the format
	}{
		"found":           {"Kunden\n\nn;mail\n1;a@a.example\n", Format{}, `"columns":["2"],"header":3`},
		"without header":  {"1;a@a.example\n2;b@a.example\n", Format{}, `"columns":["2"],"header":-1`},
		"given":           {"n;mail;x\n1;a@a.example;b@a.example\n", Format{Columns: []string{"x"}}, `"columns":["3"],"header":1`},
		"name is a place": {"2,mail,1\nc@a.example,a@a.example,b@a.example\n", Format{Columns: []string{"2"}}, `"columns":["2"]`},
		"lines":           {"a@a.example\n", Format{}, `{"format":"lines","found":`},
		"JSON":            {`{"mail":"a@a.example"}`, Format{}, `{"found":`},
	} {
		j := n.create(c.list, Request{Format: c.as})
		if !strings.Contains(j.Format, c.stored) {
			t.Errorf("%s: %s", name, j.Format)
		}
	}
	if found := FoundIn(rows.Job{Format: `{"format":"CSV","column":"2"}`}); found != nil {
		t.Errorf("of an earlier version: %+v", found)
	}
}
