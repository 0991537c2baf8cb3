package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
)

// TestGivenAddressIsCounted checks that what is remembered is counted with the
// spelling that it is found by, however long that is.
func TestGivenAddressIsCounted(t *testing.T) {
	m := newMemory(2)
	result := rcpt.Result{Verdict: rcpt.VerdictUndeliverable, Reason: rcpt.ReasonInvalidSyntax, CheckedAt: time.Now(), Details: &rcpt.Details{}}
	short, long := "a", strings.Repeat("x", 2*resultCost)
	for _, address := range []string{short, long} {
		m.keep(address, result)
	}
	if _, ok := m.recall(short); !ok {
		t.Error("nothing is remembered")
	}
	if _, ok := m.recall(long); ok {
		t.Error("more is remembered than there is room for")
	}
}
