package verdictcache

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
)

// takes is an engine that answers after a while, or says that it had no time.
func takes(d time.Duration) func(context.Context, string) (rcpt.Result, error) {
	return func(ctx context.Context, given string) (rcpt.Result, error) {
		select {
		case <-time.After(d):
			return resultOf(given, rcpt.ReasonRecipientAccepted), nil
		case <-ctx.Done():
		}
		if errors.Is(ctx.Err(), context.Canceled) {
			return resultOf(given, rcpt.ReasonInternalError), ctx.Err()
		}
		r := resultOf(given, rcpt.ReasonConnectionTimeout)
		r.Details.SMTP = nil
		return r, nil
	}
}

// outcome is what a caller got, and when.
type outcome struct {
	result rcpt.Result
	err    error
	after  time.Duration
}

// callers ask at the same time, each with a time limit of its own; zero: none.
func callers(t *testing.T, c *Cache, patience ...time.Duration) []outcome {
	got := make([]outcome, len(patience))
	var all sync.WaitGroup
	began := time.Now()
	for i, d := range patience {
		all.Go(func() {
			r, err := c.VerifyWith(t.Context(), "Alice@acme.example", engine.VerifyOptions{Fresh: true, Timeout: d})
			got[i] = outcome{r, err, time.Since(began)}
		})
		synctest.Wait() // they come one after the other
	}
	all.Wait()
	return got
}

func TestCallersShareAVerification(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{says: takes(time.Second)}
		c := newCache(t, Config{Engine: f})
		for i, o := range callers(t, c, 30*time.Second, 30*time.Second, 0, time.Minute) {
			if o.err != nil || o.result.Verdict != rcpt.VerdictDeliverable || o.after != time.Second {
				t.Errorf("caller %d: %+v", i, o)
			}
		}
		if f.times() != 1 || c.Stats().Joined != 3 {
			t.Errorf("asked %d times, %+v", f.times(), c.Stats())
		}
	})
}

// TestSharedAnswerHasItsCallersSpelling: they share the verdict, not the echo.
func TestSharedAnswerHasItsCallersSpelling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{says: takes(time.Second)}
		c := newCache(t, Config{Engine: f})
		var all sync.WaitGroup
		for _, given := range []string{"Info@Bücher.example", "Info@xn--bcher-kva.example", `"Info"@Bücher.example`} {
			all.Go(func() {
				if r, err := c.Verify(t.Context(), given); err != nil || r.Email != given {
					t.Errorf("%s: %+v %v", given, r, err)
				}
			})
		}
		all.Wait()
		if f.times() != 1 {
			t.Errorf("asked %d times", f.times())
		}
	})
}

// TestLeavingCallers checks that a caller that gives up returns at once, and
// takes nothing from the others.
func TestLeavingCallers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		leaves int
	}{{"the one who began", 0}, {"another one", 1}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{says: takes(time.Second)}
				c := newCache(t, Config{Engine: f})
				var all sync.WaitGroup
				for i := range 3 {
					ctx, cancel := context.WithCancel(t.Context())
					if i == tt.leaves {
						time.AfterFunc(time.Second/2, cancel)
					}
					all.Go(func() {
						defer cancel()
						began := time.Now()
						r, err := c.VerifyWith(ctx, "alice@acme.example", fresh)
						switch {
						case i != tt.leaves && (err != nil || r.Verdict != rcpt.VerdictDeliverable):
							t.Errorf("caller %d: %+v %v", i, r, err)
						case i == tt.leaves && i > 0 && (!errors.Is(err, context.Canceled) || time.Since(began) != time.Second/2 || !r.Reason.Failed() || r.Email != "alice@acme.example"):
							t.Errorf("the one who left: %+v %v after %v", r, err, time.Since(began))
						}
					})
					synctest.Wait()
				}
				all.Wait()
				if f.times() != 1 {
					t.Errorf("asked %d times", f.times())
				}
			})
		})
	}
}

// TestAllLeave: nobody is asked for nobody, and whoever comes then gets a
// verification that is not cancelled.
func TestAllLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{says: takes(time.Second)}
		c := newCache(t, Config{Engine: f})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second/2, cancel)
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				began := time.Now()
				if _, err := c.VerifyWith(ctx, "alice@acme.example", fresh); !errors.Is(err, context.Canceled) || time.Since(began) != time.Second/2 {
					t.Errorf("%v after %v", err, time.Since(began))
				}
			})
		}
		all.Wait()
		if r := verify(t, c, "alice@acme.example"); r.Verdict != rcpt.VerdictDeliverable || f.times() != 2 {
			t.Errorf("%+v, asked %d times", r, f.times())
		}
	})
}

// TestNobodyJoinsWhatIsCancelled, though the engine may take its time to end.
func TestNobodyJoinsWhatIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{says: func(ctx context.Context, given string) (rcpt.Result, error) {
			r, err := takes(10*time.Second)(ctx, given)
			time.Sleep(time.Second)
			return r, err
		}}
		c := newCache(t, Config{Engine: f})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		var all sync.WaitGroup
		all.Go(func() { _, _ = c.VerifyWith(ctx, "alice@acme.example", fresh) })
		time.Sleep(1500 * time.Millisecond)
		if r, err := c.VerifyWith(t.Context(), "alice@acme.example", fresh); err != nil || r.Verdict != rcpt.VerdictDeliverable {
			t.Errorf("%+v %v", r, err)
		}
		all.Wait()
	})
}

// TestEachHasItsOwnTime checks that callers share a verification with those
// that have the same time limit.
func TestEachHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{says: takes(10 * time.Second)}
		c := newCache(t, Config{Engine: f})
		got := callers(t, c, 2*time.Second, time.Second, 30*time.Second, 30*time.Second)
		for i, want := range []struct {
			reason rcpt.Reason
			after  time.Duration
		}{
			{rcpt.ReasonConnectionTimeout, 2 * time.Second}, {rcpt.ReasonConnectionTimeout, time.Second},
			{rcpt.ReasonRecipientAccepted, 10 * time.Second}, {rcpt.ReasonRecipientAccepted, 10 * time.Second},
		} {
			if o := got[i]; o.err != nil || o.result.Reason != want.reason || o.after != want.after {
				t.Errorf("caller %d: %s %v after %v, want %+v", i, o.result.Reason, o.err, o.after, want)
			}
		}
		if f.times() != 3 {
			t.Errorf("asked %d times", f.times())
		}
	})
}

// TestPanic comes out at the caller who began; the others are told, and nothing
// stays behind.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{says: func(context.Context, string) (rcpt.Result, error) {
			time.Sleep(time.Second)
			panic("a bug")
		}}
		c := newCache(t, Config{Engine: f})
		var all sync.WaitGroup
		all.Go(func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			_, _ = c.VerifyWith(t.Context(), "alice@acme.example", fresh)
		})
		synctest.Wait()
		all.Go(func() {
			if r, err := c.VerifyWith(t.Context(), "alice@acme.example", fresh); err == nil || !r.Reason.Failed() || r.Verdict != rcpt.VerdictUnknown || r.Details == nil {
				t.Errorf("%+v %v", r, err)
			}
		})
		all.Wait()
		f.willSay(takes(0))
		if r := verify(t, c, "alice@acme.example"); r.Verdict != rcpt.VerdictDeliverable {
			t.Errorf("%+v", r)
		}
	})
}
