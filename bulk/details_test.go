package bulk_test

import (
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

// TestDecisionsWithoutDetails: what a program decides does not depend on the
// details, which are for people, whatever the reason and the flags are.
func TestDecisionsWithoutDetails(t *testing.T) {
	now := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	rules := bulk.NewRetryRules(time.Hour)
	for _, reason := range rcpt.Reasons() {
		for flags := range 8 {
			whole := rcpt.Result{
				Email: "jane@example.com", Local: "jane", Domain: "example.com",
				Verdict: reason.Verdict(), Reason: reason, CheckedAt: now, RetryAt: now.Add(20 * time.Minute),
				Disposable: flags&1 > 0, Role: flags&2 > 0, SpamTrap: flags&4 > 0, Details: &rcpt.Details{CatchAll: rcpt.CatchAllNo},
			}
			short := whole.WithoutDetails()
			if short.Details != nil {
				t.Fatal("it has details")
			}
			wholeDue, _, wholeAgain := rules.Next(bulk.Tries{}, whole, now)
			shortDue, _, shortAgain := rules.Next(bulk.Tries{}, short, now)
			for decision, differs := range map[string]bool{
				"action":  whole.Action() != short.Action(),
				"group":   bulk.GroupFor(whole) != bulk.GroupFor(short),
				"retry":   !wholeDue.Equal(shortDue) || wholeAgain != shortAgain,
				"expiry":  !whole.Expires().Equal(short.Expires()),
				"blame":   whole.Reason.About() != short.Reason.About(),
				"RetryAt": !whole.RetryAt.Equal(short.RetryAt),
			} {
				if differs {
					t.Errorf("%s, flags %03b: another %s without details", reason, flags, decision)
				}
			}
		}
	}
}
