package worst

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/engine"
)

func add(c *Counter, n int, domain string, verdict engine.Verdict, reason engine.Reason) {
	for range n {
		c.Add(engine.Result{Domain: domain, Verdict: verdict}, reason)
	}
}

func TestDomains(t *testing.T) {
	c := NewCounter()
	add(c, 9, "fine.example", engine.VerdictDeliverable, engine.ReasonRecipientAccepted)
	add(c, 9, "all.example", engine.VerdictAcceptAll, engine.ReasonCatchAll)
	add(c, 3, "bad.example", engine.VerdictUndeliverable, engine.ReasonMailboxNotFound)
	add(c, 1, "grey.example", engine.VerdictUndeliverable, engine.ReasonMailboxNotFound)
	add(c, 4, "grey.example", engine.VerdictUnknown, engine.ReasonGreylisted)
	add(c, 7, "", engine.VerdictUndeliverable, engine.ReasonInvalidSyntax)
	want := []Domain{
		{"grey.example", 5, []engine.Reason{engine.ReasonGreylisted, engine.ReasonMailboxNotFound}},
		{"bad.example", 3, []engine.Reason{engine.ReasonMailboxNotFound}},
	}
	if diff := cmp.Diff(want, c.Domains()); diff != "" {
		t.Error(diff)
	}
	var none *Counter
	add(none, 1, "bad.example", engine.VerdictUnknown, engine.ReasonGreylisted)
}

// TestWorstOfMany: the worst domains are found among more than are counted, and
// no more are counted than that.
func TestWorstOfMany(t *testing.T) {
	const domains = 25_000
	c := NewCounter()
	for i := range domains {
		add(c, 1, fmt.Sprintf("domain%d.example", i), engine.VerdictUndeliverable, engine.ReasonMailboxNotFound)
		if i%10 == 0 {
			add(c, 1, "worst.example", engine.VerdictUndeliverable, engine.ReasonMailboxNotFound)
		}
		if len(c.bad) > counted {
			t.Fatalf("%d are counted", len(c.bad))
		}
	}
	got := c.Domains()
	want := Domain{"worst.example", domains / 10, []engine.Reason{engine.ReasonMailboxNotFound}}
	if len(got) != named || !cmp.Equal(got[0], want) {
		t.Errorf("%+v, want first %+v", got, want)
	}
}
