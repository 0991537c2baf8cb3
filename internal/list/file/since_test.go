package file

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/list"
)

// TestOpenSince: the newest settled result of an address that is not too old.
func TestOpenSince(t *testing.T) {
	old := filepath.Join(t.TempDir(), "old.csv")
	check(t, os.WriteFile(old, []byte(strings.Join([]string{
		"email,rcpt_result,rcpt_reason,rcpt_checked_at",
		"a@acme.example,deliverable,recipient_accepted,2026-01-01T00:00:00Z",
		"a@acme.example,undeliverable,mailbox_not_found,2026-03-01T00:00:00Z",
		"a@acme.example,deliverable,recipient_accepted,2026-02-01T00:00:00Z",
		"b@acme.example,unknown,greylisted,2026-03-01T00:00:00Z",
		"Jane <c@ACME.example>,deliverable,recipient_accepted,2026-01-01T00:00:00Z",
		"D@acme.example,deliverable,recipient_accepted,",
		"nonsense,undeliverable,invalid_syntax,2026-03-01T00:00:00Z",
	}, "\n")), 0o600))
	written := time.Date(2026, 2, 15, 0, 0, 0, 0, time.UTC)
	check(t, os.Chtimes(old, written, written))
	for _, c := range []struct {
		address string
		oldest  time.Time
		want    rcpt.Verdict
		at      time.Time
	}{
		{"a@acme.example", written, rcpt.VerdictUndeliverable, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
		{"a@acme.example", written.AddDate(0, 1, 0), "", time.Time{}},
		{"b@acme.example", written.AddDate(-1, 0, 0), "", time.Time{}},
		{"c@acme.example", written, "", time.Time{}},
		{"c@acme.example", written.AddDate(0, -2, 0), rcpt.VerdictDeliverable, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"D@acme.example", written, rcpt.VerdictDeliverable, written},
		{"D@acme.example", written.Add(time.Second), "", time.Time{}},
		{"d@acme.example", written, "", time.Time{}},
		{"nonsense", written.AddDate(-1, 0, 0), "", time.Time{}},
		{"", written, "", time.Time{}},
	} {
		e, err := OpenSince(old, nil, c.oldest, Ages{})
		check(t, err)
		found := e.resultsFor(list.Row{Addresses: []string{c.address}})[0]
		switch {
		case c.want == "" && found != nil:
			t.Errorf("%s from %s on: %+v", c.address, c.oldest, found)
		case c.want != "" && (found == nil || found.Verdict != c.want || !found.CheckedAt.Equal(c.at)):
			t.Errorf("%s from %s on: %+v, want %s of %s", c.address, c.oldest, found, c.want, c.at)
		}
		e.Close()
	}
}
