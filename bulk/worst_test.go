package bulk

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/engine"
)

func count(c *worst, n int, domain string, verdict engine.Verdict, reason engine.Reason) {
	for range n {
		c.add(engine.Result{Domain: domain, Verdict: verdict}, reason)
	}
}

func TestWorstDomains(t *testing.T) {
	c := newWorst(10)
	count(&c, 9, "fine.example", engine.VerdictDeliverable, engine.ReasonRecipientAccepted)
	count(&c, 9, "all.example", engine.VerdictAcceptAll, engine.ReasonCatchAll)
	count(&c, 3, "bad.example", engine.VerdictUndeliverable, engine.ReasonMailboxNotFound)
	count(&c, 1, "grey.example", engine.VerdictUndeliverable, engine.ReasonMailboxNotFound)
	count(&c, 4, "grey.example", engine.VerdictUnknown, engine.ReasonGreylisted)
	count(&c, 7, "", engine.VerdictUndeliverable, engine.ReasonInvalidSyntax)
	want := []WorstDomain{
		{"grey.example", 5, []engine.Reason{engine.ReasonGreylisted, engine.ReasonMailboxNotFound}},
		{"bad.example", 3, []engine.Reason{engine.ReasonMailboxNotFound}},
	}
	if diff := cmp.Diff(want, c.domains()); diff != "" {
		t.Error(diff)
	}
	none := newWorst(0)
	if count(&none, 1, "bad.example", engine.VerdictUnknown, engine.ReasonGreylisted); len(none.bad) > 0 {
		t.Error("counted although no domain is to be named")
	}
}

// TestWorstOfMany: the worst domains are found among more than are counted, and
// no more are counted than that.
func TestWorstOfMany(t *testing.T) {
	const domains = 25_000
	c := newWorst(10)
	for i := range domains {
		count(&c, 1, fmt.Sprintf("domain%d.example", i), engine.VerdictUndeliverable, engine.ReasonMailboxNotFound)
		if i%10 == 0 {
			count(&c, 1, "worst.example", engine.VerdictUndeliverable, engine.ReasonMailboxNotFound)
		}
		if len(c.bad) > worstCounted {
			t.Fatalf("%d are counted", len(c.bad))
		}
	}
	got := c.domains()
	want := WorstDomain{"worst.example", domains / 10, []engine.Reason{engine.ReasonMailboxNotFound}}
	if len(got) != 10 || !cmp.Equal(got[0], want) {
		t.Errorf("%+v, want first %+v", got, want)
	}
}
