package file

import (
	"strings"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/list"
)

// TestItems: the address in a cell, and the known result of a cell that does
// not hold one address.
func TestItems(t *testing.T) {
	in := &Input{}
	for _, c := range []struct {
		cell, email string
		want        rcpt.Reason // of a cell that needs no verification
	}{
		{"a@b.example", "a@b.example", ""},
		{" Jane <a@b.example>\u200b", "a@b.example", ""},
		{"jane", "jane", ""},
		{"\ufffdseveral:jane", "\ufffdseveral:jane", ""},
		{"a@b.example; c@d.example", "a@b.example; c@d.example", rcpt.ReasonSeveralAddresses},
		{"N/A", "N/A", rcpt.ReasonNoAddress},
		{"", "", rcpt.ReasonNoAddress},
	} {
		items := in.items(list.Row{Addresses: []string{c.cell, "d@e.example"}, Raw: "the row"})
		item := items[0]
		if item.Email != c.email || (item.Known == nil) != (c.want == "") || item.Known != nil && item.Known.Reason != c.want {
			t.Errorf("%q: %+v", c.cell, item)
		}
		if item.Row != nil || items[1].Email != "d@e.example" || string(items[1].Row) != "the row" {
			t.Errorf("%q: %+v", c.cell, items)
		}
	}
}

// TestUnreadableRows: a row that cannot be read has a result that says why.
func TestUnreadableRows(t *testing.T) {
	item := itemOf(list.Row{Addresses: []string{""}, Err: errDirectory}, 0)
	if r := item.Known; r == nil || !r.Reason.Failed() || !strings.Contains(r.Message, errDirectory.Error()) {
		t.Errorf("%+v", item)
	}
}
