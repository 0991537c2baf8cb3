package list

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/internal/list/listtest"
)

// tab is a sheet of a workbook: its rows are lines, with cells between bars.
type tab struct{ name, rows string }

// workbook is a workbook with these sheets.
func workbook(_ testing.TB, tabs ...tab) string {
	var sheets []string
	for _, tab := range tabs {
		sheets = append(sheets, tab.name, tab.rows)
	}
	return listtest.Workbook(sheets...)
}

var (
	info      = tab{"Info", "Export vom|24.11.2026\nShop|Acme\nKontakt|shop@acme.example\n\nStand|heute"}
	customers = tab{"Kunden", "Kundenexport\n\nNr|Name|E-Mail\n1|A|a@acme.example\n2|B|b@acme.example\n3|C|c@acme.example"}
	orders    = tab{"Orders", "No|Total\n1|9.50\n2|10"}
)

// TestSheets: of several sheets the one is read that holds addresses.
func TestSheets(t *testing.T) {
	for _, c := range []struct {
		name    string
		tabs    []tab
		sheet   string
		want    []Sheet
		read    string // the first row
		refused string
	}{
		{name: "the second", tabs: []tab{info, customers}, want: []Sheet{{"Info", 1, false}, {"Kunden", 3, true}}, read: "a@acme.example"},
		{name: "the third", tabs: []tab{orders, {"x", ""}, customers}, want: []Sheet{{"Orders", 0, false}, {"x", 0, false}, {"Kunden", 3, true}}, read: "a@acme.example"},
		{name: "the first of two", tabs: []tab{customers, {"Old", strings.Repeat("a|o@acme.example\n", 5)}},
			want: []Sheet{{"Kunden", 3, true}, {"Old", 5, false}}, read: "a@acme.example"},
		{name: "chosen", tabs: []tab{customers, {"Old", "old\no@acme.example"}}, sheet: "old", want: []Sheet{{"Kunden", 3, false}, {"Old", 1, true}}, read: "o@acme.example"},
		{name: "chosen without addresses", tabs: []tab{customers, orders}, sheet: "Orders",
			refused: `; for another sheet write --sheet NAME: "Kunden" (addresses in its first rows: 3)`},
		{name: "none", tabs: []tab{orders, {"More", "a|b"}}, refused: `sheet "Orders": `},
		{name: "no such sheet", tabs: []tab{customers, orders}, sheet: "Customers", refused: `it has no sheet "Customers"; the sheets are 1 "Kunden", 2 "Orders"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := NewReader(strings.NewReader(workbook(t, c.tabs...)), Options{Sheet: c.sheet})
			if c.refused != "" {
				if !errors.As(err, new(*FormatError)) || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("error %v, want %s", err, c.refused)
				}
				return
			}
			check(t, err)
			defer r.Close()
			row, err := r.Next()
			check(t, err)
			if diff := cmp.Diff(c.want, r.Sheets()); diff != "" || row.Addresses[0] != c.read {
				t.Errorf("read %q, %s", row.Addresses, diff)
			}
			if notices := strings.Join(r.Notices(), "\n"); !strings.Contains(notices, "Reading sheet ") {
				t.Errorf("notices %q", notices)
			}
		})
	}
}

// TestSheetsLooked: the sheets behind the first that are looked at have no
// count, and can be read.
func TestSheetsLooked(t *testing.T) {
	var tabs []tab
	for i := range sheetsLooked + 1 {
		tabs = append(tabs, tab{fmt.Sprint("t", i), "mail\na@acme.example"})
	}
	last := fmt.Sprint("t", sheetsLooked)
	r := open(t, workbook(t, tabs...), Options{Sheet: last})
	defer r.Close()
	if all := r.Sheets(); all[0].Held != 1 || all[sheetsLooked] != (Sheet{last, 0, true}) {
		t.Errorf("sheets %+v", all)
	}
}
