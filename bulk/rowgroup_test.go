package bulk_test

import (
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

// TestRowGroup: the first address of a row decides which group the row is in,
// but a row is not bad while another of its addresses may be good.
func TestRowGroup(t *testing.T) {
	good, trap := rcpt.Result{Verdict: rcpt.VerdictDeliverable}, rcpt.Result{Verdict: rcpt.VerdictUnknown, SpamTrap: true}
	bad, empty := rcpt.Result{Verdict: rcpt.VerdictUndeliverable}, rcpt.Result{Verdict: rcpt.VerdictUnknown, Reason: rcpt.ReasonNoAddress}
	all, later := rcpt.Result{Verdict: rcpt.VerdictAcceptAll}, rcpt.Result{Verdict: rcpt.VerdictUnknown, Reason: rcpt.ReasonGreylisted, Details: &rcpt.Details{}}
	for _, c := range []struct {
		results []rcpt.Result
		want    bulk.Group
	}{
		{[]rcpt.Result{good}, bulk.GroupSafe},
		{[]rcpt.Result{bad}, bulk.GroupBad},
		{[]rcpt.Result{empty}, bulk.GroupNone},
		{[]rcpt.Result{good, bad}, bulk.GroupSafe},
		{[]rcpt.Result{later, good}, bulk.GroupRetry},
		{[]rcpt.Result{empty, good}, bulk.GroupSafe},
		{[]rcpt.Result{empty, empty, all}, bulk.GroupRisky},
		{[]rcpt.Result{bad, good}, bulk.GroupRisky},
		{[]rcpt.Result{bad, empty, later}, bulk.GroupRisky},
		{[]rcpt.Result{bad, empty}, bulk.GroupBad},
		{[]rcpt.Result{bad, trap}, bulk.GroupBad},
		{[]rcpt.Result{empty, empty}, bulk.GroupNone},
	} {
		if got := bulk.RowGroup(c.results); got != c.want {
			t.Errorf("%v: %s, want %s", c.results, got, c.want)
		}
	}
}
