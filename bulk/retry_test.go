package bulk_test

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

// always gives every answer as greylisted, with that hint.
func always(hint time.Duration) func(string, int) (rcpt.Result, error) {
	return func(address string, _ int) (rcpt.Result, error) { return greylisted(address, hint), nil }
}

func TestRetryTimes(t *testing.T) {
	const m = time.Minute
	tests := map[string]struct {
		reply  func(string, int) (rcpt.Result, error)
		window time.Duration
		asked  []time.Duration // at the earliest, counted from the first answer; jitter adds half a minute at most to each
	}{
		"growing waits":               {always(time.Second), 30 * m, []time.Duration{0, 1 * m, 3 * m, 8 * m, 18 * m, 30 * m}},
		"the hint":                    {always(12 * m), 30 * m, []time.Duration{0, 12 * m, 24 * m}},
		"hint as long as the window":  {always(30 * m), 30 * m, []time.Duration{0, 30 * m}},
		"hint longer than the window": {always(40 * m), 30 * m, []time.Duration{0}},
		"half of the window each":     {always(15 * m), 30 * m, []time.Duration{0, 15 * m, 30 * m}},
		"short window":                {always(time.Second), 30 * time.Second, []time.Duration{0, 30 * time.Second}},
		"no window":                   {always(time.Second), 0, []time.Duration{0}},
		"long window":                 {always(time.Second), 55 * m, []time.Duration{0, 1 * m, 3 * m, 8 * m, 18 * m, 33 * m, 48 * m, 55 * m}},
		"not worth asking again":      {always(0), 30 * m, []time.Duration{0}},
		"deliverable at once":         {nil, 30 * m, []time.Duration{0}},
		"deliverable with a hint": {func(address string, _ int) (rcpt.Result, error) {
			r := deliverable(address)
			r.RetryAt = r.CheckedAt.Add(time.Minute)
			return r, nil
		}, 30 * m, []time.Duration{0}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				verifier := &answers{reply: tt.reply}
				summary, err := bulk.Run(t.Context(), listOf("a@one.example"), &file{}, bulk.Options{Verifier: bulk.OneByOne(verifier.Verify), RetryWindow: tt.window})
				if err != nil {
					t.Fatal(err)
				}
				asked := verifier.asked["a@one.example"]
				if len(asked) != len(tt.asked) || summary.Retries != int64(len(asked)-1) {
					t.Fatalf("asked at %v, want %v; %d retries", asked, tt.asked, summary.Retries)
				}
				for i, at := range asked {
					late := time.Duration(i) * (time.Second + 30*time.Second)
					if at < tt.asked[i] || at > tt.asked[i]+late {
						t.Errorf("asked at %v, want %v or a little later", asked, tt.asked)
					}
				}
			})
		})
	}
}

// TestRetryGoesToTheEnd checks that the last answer counts, and that others
// need not wait for it.
func TestRetryGoesToTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		emails := append([]string{"grey@one.example"}, numbered(1000, "two.example")...)
		var done []int64
		verifier, out := &answers{reply: func(address string, n int) (rcpt.Result, error) {
			if address == emails[0] && n < 3 {
				return greylisted(address, 5*time.Minute), nil
			}
			return deliverable(address), nil
		}}, &file{}
		summary, err := bulk.Run(t.Context(), listOf(emails...), out, bulk.Options{
			Verifier: bulk.OneByOne(verifier.Verify), RetryWindow: 30 * time.Minute, SpillDir: t.TempDir(),
			Progress: func(p bulk.Progress) { done = append(done, p.Done) },
		}.Within(bulk.Limits{Window: 20, HeldBytes: 10_000, ProgressEvery: 2 * time.Minute}))
		if err != nil || summary.Retries != 2 {
			t.Errorf("%d retries (%v)", summary.Retries, err)
		}
		if diff := cmp.Diff(lines(emails, rcpt.VerdictDeliverable), out.lines); diff != "" {
			t.Error(diff)
		}
		if done[0] != 1000 {
			t.Errorf("done after two minutes: %d of 1000", done[0])
		}
	})
}

// TestRetriesOfADomainComeTogether also holds that those of different domains
// do not.
func TestRetriesOfADomainComeTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var emails []string
		for d := range 50 {
			emails = append(emails, numbered(30, fmt.Sprintf("domain%d.example", d))...)
		}
		verifier := &answers{reply: func(address string, n int) (rcpt.Result, error) {
			if n == 1 {
				return greylisted(address, 5*time.Minute), nil
			}
			return deliverable(address), nil
		}}
		_, err := bulk.Run(t.Context(), listOf(emails...), &file{},
			bulk.Options{Verifier: bulk.OneByOne(verifier.Verify), RetryWindow: 30 * time.Minute, Concurrency: 2000})
		if err != nil {
			t.Fatal(err)
		}
		instants := map[time.Duration]bool{}
		for d := range 50 {
			for n := range 29 { // the first went ahead
				at := verifier.asked[fmt.Sprintf("user%d@domain%d.example", n+2, d)][1]
				instants[at] = true
				if first := verifier.asked[fmt.Sprintf("user2@domain%d.example", d)][1]; at != first {
					t.Fatalf("domain %d is asked again at %v and %v", d, first, at)
				}
			}
		}
		if len(instants) < 40 {
			t.Errorf("50 domains are asked again at %d instants", len(instants))
		}
	})
}

func TestWaitingPausesReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := listOf(numbered(1000, "one.example")...)
		var most int64
		verifier := &answers{reply: always(time.Minute)}
		_, err := bulk.Run(t.Context(), source, &file{}, bulk.Options{
			Verifier: bulk.OneByOne(verifier.Verify), RetryWindow: 2 * time.Minute,
			Progress: func(p bulk.Progress) { most = max(most, p.Waiting) },
		}.Within(bulk.Limits{Waiting: 50, Window: 10}))
		if err != nil || most < 50 || most > 60 {
			t.Errorf("%d waited, want 50 and what is under way (%v)", most, err)
		}
		if verifier.most > 10 {
			t.Errorf("%d retries at a time, want the window", verifier.most)
		}
	})
}

func TestBusyIsTriedAgain(t *testing.T) {
	busy := func(until int, then func(string, int) (rcpt.Result, error)) func(string, int) (rcpt.Result, error) {
		return func(address string, n int) (rcpt.Result, error) {
			if n <= until {
				return failed(address), fmt.Errorf("wrapped: %w", engine.ErrBusy)
			}
			return then(address, n)
		}
	}
	fine := func(address string, _ int) (rcpt.Result, error) { return deliverable(address), nil }
	tests := map[string]struct {
		reply      func(string, int) (rcpt.Result, error)
		window     time.Duration
		want       rcpt.Verdict
		success    bool
		least, end time.Duration
		retries    int64
	}{
		"for a while":          {busy(4, fine), 0, rcpt.VerdictDeliverable, true, 15 * time.Second, 35 * time.Second, 0},
		"for ever":             {busy(1000, fine), 0, rcpt.VerdictUnknown, false, 8 * time.Minute, 11 * time.Minute, 0},
		"for ever, window":     {busy(1000, fine), time.Hour, rcpt.VerdictUnknown, false, 58 * time.Minute, 61 * time.Minute, 0},
		"then greylisted":      {busy(8, always(10*time.Minute)), 10 * time.Minute, rcpt.VerdictUnknown, true, 12 * time.Minute, 16 * time.Minute, 1},
		"after an answer":      {afterAnswer(busy(1000, fine)), 12 * time.Minute, rcpt.VerdictUnknown, true, 10*time.Minute + 55*time.Second, 13 * time.Minute, 7}, // less two waits
		"after an answer once": {afterAnswer(busy(2, fine)), 12 * time.Minute, rcpt.VerdictDeliverable, true, 10 * time.Minute, 11 * time.Minute, 3},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := &file{}
				summary, err := bulk.Run(t.Context(), listOf("a@one.example"), out,
					bulk.Options{Verifier: bulk.OneByOne((&answers{reply: tt.reply}).Verify), RetryWindow: tt.window})
				if err != nil {
					t.Fatal(err)
				}
				if r := out.results[0]; r.Verdict != tt.want || !r.Reason.Failed() != tt.success {
					t.Errorf("%s, success %v", r.Verdict, !r.Reason.Failed())
				}
				if tt.retries != 7 && summary.Retries != tt.retries {
					t.Errorf("%d retries, want %d", summary.Retries, tt.retries)
				}
				if summary.Elapsed < tt.least || summary.Elapsed > tt.end {
					t.Errorf("took %v, want %v to %v", summary.Elapsed, tt.least, tt.end)
				}
			})
		})
	}
}

// afterAnswer is greylisted once before what comes then.
func afterAnswer(then func(string, int) (rcpt.Result, error)) func(string, int) (rcpt.Result, error) {
	return func(address string, n int) (rcpt.Result, error) {
		if n == 1 {
			return greylisted(address, 10*time.Minute), nil
		}
		return then(address, n-1)
	}
}

func TestFaultsAreTriedAgain(t *testing.T) {
	for tries, want := range map[int]bool{1: true, 2: true, 3: false} {
		synctest.Test(t, func(t *testing.T) {
			verifier, out := &answers{reply: func(address string, n int) (rcpt.Result, error) {
				if n <= tries {
					return failed(address), errors.Join(syscall.EMFILE)
				}
				return deliverable(address), nil
			}}, &file{}
			_, err := bulk.Run(t.Context(), listOf("a@one.example"), out, bulk.Options{Verifier: bulk.OneByOne(verifier.Verify)})
			if err != nil || !out.results[0].Reason.Failed() != want {
				t.Errorf("%d faults: success %v, want %v (%v)", tries, !out.results[0].Reason.Failed(), want, err)
			}
		})
	}
}

func temporary(domain string, seconds time.Duration) rcpt.Result {
	return rcpt.Result{Domain: domain, Verdict: rcpt.VerdictUnknown, RetryAt: time.Time{}.Add(seconds * time.Second), Details: &rcpt.Details{}}
}

// TestRetryRules: the waits grow, the retries of a domain come together, and
// they end with the window.
func TestRetryRules(t *testing.T) {
	const window = 30 * time.Minute
	plan, first := bulk.NewRetryRules(window), time.Now()
	now, tries, last := first, bulk.Tries{}, time.Duration(0)
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

func TestRetryRulesEnd(t *testing.T) {
	now := time.Now()
	for name, r := range map[string]rcpt.Result{
		"not temporary":   {Verdict: rcpt.VerdictUnknown, Details: &rcpt.Details{}},
		"an answer":       {Verdict: rcpt.VerdictDeliverable, RetryAt: time.Time{}.Add(time.Minute), Details: &rcpt.Details{}},
		"later than ever": temporary("acme.example", 7200),
		"without details": {Verdict: rcpt.VerdictUnknown},
	} {
		if _, _, again := bulk.NewRetryRules(time.Hour).Next(bulk.Tries{}, r, now); again {
			t.Errorf("%s: again", name)
		}
	}
}
