package bulk

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
)

func count(c *worst, n int, domain string, verdict rcpt.Verdict, reason rcpt.Reason) {
	for range n {
		c.add(rcpt.Result{Domain: domain, Verdict: verdict, Reason: reason})
	}
}

func TestWorstDomains(t *testing.T) {
	c := newWorst(10)
	count(&c, 9, "fine.example", rcpt.VerdictDeliverable, rcpt.ReasonRecipientAccepted)
	count(&c, 9, "all.example", rcpt.VerdictAcceptAll, rcpt.ReasonCatchAll)
	count(&c, 3, "bad.example", rcpt.VerdictUndeliverable, rcpt.ReasonMailboxNotFound)
	count(&c, 1, "grey.example", rcpt.VerdictUndeliverable, rcpt.ReasonMailboxNotFound)
	count(&c, 4, "grey.example", rcpt.VerdictUnknown, rcpt.ReasonGreylisted)
	count(&c, 7, "", rcpt.VerdictUndeliverable, rcpt.ReasonInvalidSyntax)
	want := []WorstDomain{
		{"grey.example", 5, []rcpt.Reason{rcpt.ReasonGreylisted, rcpt.ReasonMailboxNotFound}},
		{"bad.example", 3, []rcpt.Reason{rcpt.ReasonMailboxNotFound}},
	}
	if diff := cmp.Diff(want, c.domains()); diff != "" {
		t.Error(diff)
	}
	none := newWorst(0)
	if count(&none, 1, "bad.example", rcpt.VerdictUnknown, rcpt.ReasonGreylisted); len(none.bad) > 0 {
		t.Error("counted although no domain is to be named")
	}
}

// TestWorstOfMany: the worst domains are found among more than are counted, and
// no more are counted than that.
func TestWorstOfMany(t *testing.T) {
	const domains = 25_000
	c := newWorst(10)
	for i := range domains {
		count(&c, 1, fmt.Sprintf("domain%d.example", i), rcpt.VerdictUndeliverable, rcpt.ReasonMailboxNotFound)
		if i%10 == 0 {
			count(&c, 1, "worst.example", rcpt.VerdictUndeliverable, rcpt.ReasonMailboxNotFound)
		}
		if len(c.bad) > worstCounted {
			t.Fatalf("%d are counted", len(c.bad))
		}
	}
	got := c.domains()
	want := WorstDomain{"worst.example", domains / 10, []rcpt.Reason{rcpt.ReasonMailboxNotFound}}
	if len(got) != 10 || !cmp.Equal(got[0], want) {
		t.Errorf("%+v, want first %+v", got, want)
	}
}
