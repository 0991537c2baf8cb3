package jobs

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestOutcomeHasEveryField: a row of a list keeps a result but for most of its
// details.
func TestOutcomeHasEveryField(t *testing.T) {
	var want rcpt.Result
	testkit.Fill(&want)
	want.Email, want.Local, want.Domain = "ada@acme.example", "ada", "acme.example"
	want.Details = &rcpt.Details{CatchAll: rcpt.CatchAllYes}
	want.CheckedAt = time.Time{}
	want.RetryAt = time.Time{}.Add(7 * time.Minute)
	if diff := cmp.Diff(want, outcomeOf(want).result(want.Email)); diff != "" {
		t.Errorf("-result +outcome:\n%s", diff)
	}
}

// TestOutcomeOfAnEarlierList: a result that was found before the job, and need
// not be asked about again, has no time for that.
func TestOutcomeOfAnEarlierList(t *testing.T) {
	o := outcomeOf(rcpt.Result{Verdict: rcpt.VerdictUnknown, Reason: rcpt.ReasonNotAsked})
	o.found = time.Now().Unix()
	if r := o.result("ada@acme.example"); !r.RetryAt.IsZero() || bulk.GroupFor(r) != bulk.GroupRisky {
		t.Errorf("asked again at %v, and %s", r.RetryAt, bulk.GroupFor(r))
	}
}
