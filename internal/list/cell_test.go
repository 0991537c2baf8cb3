package list

import (
	"errors"
	"testing"

	"github.com/rcpt/rcpt"
)

// TestHeld: what a cell holds is asked about, or has a result that is never a
// reason to remove what nobody understood.
func TestHeld(t *testing.T) {
	for _, c := range []struct {
		cell    string
		err     error
		kind    Kind
		text    string
		verdict rcpt.Verdict
	}{
		{"Jane <jane@acme.example>", nil, Address, "jane@acme.example", ""},
		{"Jane Doe", nil, Address, "Jane Doe", ""},
		{"a@acme.example, b@acme.example", nil, Several, "a@acme.example, b@acme.example", rcpt.VerdictUnknown},
		{" N/A ", nil, Empty, " N/A ", rcpt.VerdictUnknown},
		{"", errors.New("line 3: not JSON"), Unreadable, "line 3: not JSON", rcpt.VerdictUnknown},
	} {
		kind, text := Row{Addresses: []string{c.cell}, Err: c.err}.Held(0)
		result, without := kind.Result(text)
		if kind != c.kind || text != c.text || without != (kind != Address) || result.Verdict != c.verdict {
			t.Errorf("%q: kind %d, %q, %+v", c.cell, kind, text, result)
		}
		if without && (result.Details == nil || result.CheckedAt.IsZero()) {
			t.Errorf("%q: nobody knows when", c.cell)
		}
	}
}
