package retry_test

import (
	"testing"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/retry"
)

func temporary(domain string, seconds time.Duration) engine.Result {
	return engine.Result{Domain: domain, Success: true, Verdict: engine.VerdictUnknown, Details: &engine.Details{RetryAfter: seconds * time.Second}}
}

// TestNext: the waits grow, the retries of a domain come together, and
// they end with the window.
func TestNext(t *testing.T) {
	const window = 30 * time.Minute
	plan, first := retry.NewRules(window), time.Now()
	now, tries, last := first, retry.Tries{}, time.Duration(0)
	for {
		due, next, again := plan.Next(tries, temporary("acme.example", 5), now)
		if !again {
			break
		}
		other, _, _ := plan.Next(tries, temporary("acme.example", 5), now.Add(time.Second))
		if wait := due.Sub(now); wait < time.Minute || wait+time.Minute < last && due.Sub(first) < window || other.Sub(due).Abs() > 30*time.Second {
			t.Errorf("wait %v after %v, another one %v later", wait, last, other.Sub(due))
		} else {
			last = wait
		}
		if next.Answers != tries.Answers+1 || !next.Since.Equal(first) {
			t.Errorf("%+v after %+v", next, tries)
		}
		now, tries = due, next
	}
	if took := now.Sub(first); tries.Answers < 4 || took < window || took > window+window/10+time.Minute {
		t.Errorf("%d retries in %v", tries.Answers, took)
	}
}

func TestNextEnds(t *testing.T) {
	now := time.Now()
	for name, r := range map[string]engine.Result{
		"not temporary":   {Verdict: engine.VerdictUnknown, Details: &engine.Details{}},
		"an answer":       {Verdict: engine.VerdictDeliverable, Details: &engine.Details{RetryAfter: time.Minute}},
		"later than ever": temporary("acme.example", 7200),
		"without details": {Verdict: engine.VerdictUnknown},
	} {
		if _, _, again := retry.NewRules(time.Hour).Next(retry.Tries{}, r, now); again {
			t.Errorf("%s: again", name)
		}
	}
}
