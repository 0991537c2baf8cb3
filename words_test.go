package rcpt_test

import (
	"testing"

	"github.com/rcpt/rcpt"
)

// TestReadWords: what an earlier version stored about a cell without one
// address is no verdict about a mailbox, and never was.
func TestReadWords(t *testing.T) {
	type words struct {
		verdict rcpt.Verdict
		reason  rcpt.Reason
	}
	for stored, want := range map[[2]string]words{
		{"several", "several_addresses"}:         {rcpt.VerdictUnknown, rcpt.ReasonSeveralAddresses},
		{"several", ""}:                          {rcpt.VerdictUnknown, rcpt.ReasonSeveralAddresses},
		{"empty", "no_address"}:                  {rcpt.VerdictUnknown, rcpt.ReasonNoAddress},
		{"empty", ""}:                            {rcpt.VerdictUnknown, rcpt.ReasonNoAddress},
		{"unknown", "smtp_skipped"}:              {rcpt.VerdictUnknown, rcpt.ReasonLevelReached},
		{"undeliverable", "mailbox_not_found"}:   {rcpt.VerdictUndeliverable, rcpt.ReasonMailboxNotFound},
		{"deliverable", ""}:                      {rcpt.VerdictDeliverable, ""},
		{"unknown", "a reason of a later build"}: {rcpt.VerdictUnknown, "a reason of a later build"},
	} {
		if verdict, reason := rcpt.ReadWords(stored[0], stored[1]); verdict != want.verdict || reason != want.reason {
			t.Errorf("%q: %s, %s", stored, verdict, reason)
		}
	}
}
