package engine

import (
	"strings"
	"testing"
	"testing/synctest"
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

// TestWaitOfARememberedResult: RetryAt is a time, and stays. RetryAfter counts
// from the look-up, as the answer of the mail host is older.
func TestWaitOfARememberedResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(2)
		checked := time.Now()
		m.keep("a@b.example", rcpt.Result{
			Verdict: rcpt.VerdictUnknown, Reason: rcpt.ReasonGreylisted, CheckedAt: checked,
			RetryAt: checked.Add(2*time.Second + 5*time.Minute), Details: &rcpt.Details{Duration: 2 * time.Second},
		})
		time.Sleep(2*time.Second + 2*time.Minute)
		r, ok := m.recall("a@b.example")
		if !ok {
			t.Fatal("it is not remembered")
		}
		if !r.RetryAt.Equal(checked.Add(2*time.Second+5*time.Minute)) || r.RetryAfter() != 3*time.Minute || r.Details.Age != 2*time.Minute {
			t.Errorf("retry at %v, after %v, age %v", r.RetryAt, r.RetryAfter(), r.Details.Age)
		}
		time.Sleep(3 * time.Minute)
		if _, ok := m.recall("a@b.example"); ok {
			t.Error("it is remembered when it is time to ask again")
		}
	})
}
