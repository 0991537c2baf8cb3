package verdictcache

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/store"
)

// running runs a Cache with an agenda in memory until the test ends.
func running(t *testing.T, c *Cache) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); c.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
}

func wantWaiting(t *testing.T, c *Cache, want int) {
	t.Helper()
	if waiting, err := c.Waiting(t.Context()); err != nil || waiting != want {
		t.Errorf("%d wait (%v), want %d", waiting, err, want)
	}
}

// TestFinalWord: the mail host is asked again after its own time, and the next
// caller gets the verdict.
func TestFinalWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{says: always(rcpt.ReasonGreylisted, nil)}
		c := newCache(t, Config{Engine: f})
		running(t, c)
		verify(t, c, "Alice@Acme.example")
		wantWaiting(t, c, 1)
		time.Sleep(299 * time.Second)
		if r := verify(t, c, "Alice@acme.example"); r.RetryAfter() != time.Second || f.times() != 1 {
			t.Errorf("%+v, asked %d times", r.Details, f.times())
		}
		f.willSay(always(rcpt.ReasonRecipientAccepted, nil))
		time.Sleep(10 * time.Second)
		if r := verify(t, c, "Alice@Acme.example"); r.Verdict != rcpt.VerdictDeliverable || !r.Details.Cached || r.Email != "Alice@Acme.example" || f.times() != 2 {
			t.Errorf("%+v, asked %d times", r, f.times())
		}
		wantWaiting(t, c, 0)
		if s := c.Stats(); s.RechecksAsked != 1 || s.RechecksSettled != 1 || s.RechecksGivenUp != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestRechecksEnd: a host that never stops greylisting is asked five times
// more, at growing intervals.
func TestRechecksEnd(t *testing.T) {
	for name, says := range map[string]func(context.Context, string) (rcpt.Result, error){
		"greylisted": always(rcpt.ReasonGreylisted, nil),
		"failing": func(_ context.Context, given string) (rcpt.Result, error) {
			return resultOf(given, rcpt.ReasonInternalError), errors.New("no descriptors")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked []time.Duration
				began := time.Now()
				f := &fake{says: always(rcpt.ReasonGreylisted, nil)}
				c := newCache(t, Config{Engine: f})
				running(t, c)
				verify(t, c, "alice@acme.example")
				f.willSay(func(ctx context.Context, given string) (rcpt.Result, error) {
					asked = append(asked, time.Since(began).Round(time.Minute))
					return says(ctx, given)
				})
				time.Sleep(12 * time.Hour)
				if want := "[5m0s 10m0s 20m0s 40m0s 1h20m0s]"; fmt.Sprint(asked) != want {
					t.Errorf("asked at %v, want %s", asked, want)
				}
				wantWaiting(t, c, 0)
				if c.Stats().RechecksGivenUp != 1 {
					t.Errorf("%+v", c.Stats())
				}
			})
		})
	}
}

// TestHintOfADay: what would take longer than re-checks last is left to the
// callers.
func TestHintOfADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{says: always(rcpt.ReasonGreylisted, func(r *rcpt.Result) { r.RetryAt = r.CheckedAt.Add(24 * time.Hour) })}
		c := newCache(t, Config{Engine: f})
		verify(t, c, "alice@acme.example")
		wantWaiting(t, c, 0)
		f.willSay(always(rcpt.ReasonGreylisted, func(r *rcpt.Result) { r.RetryAt = r.CheckedAt.Add(3 * time.Hour) }))
		running(t, c)
		verify(t, c, "bob@acme.example")
		time.Sleep(7 * time.Hour)
		wantWaiting(t, c, 0)
		if f.times() != 3 || c.Stats().RechecksGivenUp != 1 {
			t.Errorf("asked %d times, %+v", f.times(), c.Stats())
		}
	})
}

// TestPutOffMeanwhile: a re-check that is claimed while a later hint is
// remembered waits for that.
func TestPutOffMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{says: always(rcpt.ReasonGreylisted, nil)}
		c := newCache(t, Config{Engine: f})
		verify(t, c, "alice@acme.example")
		until, again := c.next(t.Context(), store.Recheck{Address: "alice@acme.example", Attempts: 1, GiveUp: time.Now().Add(time.Hour)})
		if wait := time.Until(until); !again || wait != 305*time.Second || f.times() != 1 {
			t.Errorf("again %t in %v, asked %d times", again, wait, f.times())
		}
	})
}

// TestCallerIsSooner: nobody is asked about what is known by now, and not
// before a mail host's later hint.
func TestCallerIsSooner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{says: always(rcpt.ReasonGreylisted, nil)}
		c := newCache(t, Config{Engine: f})
		running(t, c)
		verify(t, c, "alice@acme.example")
		time.Sleep(4 * time.Minute)
		_, _ = c.VerifyWith(t.Context(), "alice@acme.example", fresh) // begins its five minutes again
		time.Sleep(4 * time.Minute)
		if f.times() != 2 {
			t.Errorf("asked %d times, too early", f.times())
		}
		f.willSay(always(rcpt.ReasonRecipientAccepted, nil))
		_, _ = c.VerifyWith(t.Context(), "alice@acme.example", fresh)
		time.Sleep(time.Hour)
		if f.times() != 3 {
			t.Errorf("asked %d times, once too often", f.times())
		}
		wantWaiting(t, c, 0)
	})
}

// TestRechecksAreBounded in how many run and how many wait.
func TestRechecksAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{says: always(rcpt.ReasonGreylisted, func(r *rcpt.Result) { r.RetryAt = r.CheckedAt.Add(time.Minute) })}
		c := newCache(t, Config{Engine: f})
		for i := range maxRechecks + 5 {
			_, _ = c.VerifyWith(t.Context(), fmt.Sprintf("u%d@acme.example", i), fresh)
		}
		wantWaiting(t, c, maxRechecks)
		if s := c.Stats(); s.RechecksDropped != 5 {
			t.Errorf("%+v", s)
		}
		f.willSay(takes(20 * time.Second))
		before := f.times()
		running(t, c)
		time.Sleep(80 * time.Second)
		if asked := f.times() - before; asked != rechecksAtOnce {
			t.Errorf("%d at once, want %d", asked, rechecksAtOnce)
		}
	})
}

// TestRecheckOfAPanic is given up, and the others go on.
func TestRecheckOfAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{says: always(rcpt.ReasonGreylisted, nil)}
		c := newCache(t, Config{Engine: f})
		running(t, c)
		verify(t, c, "alice@acme.example")
		verify(t, c, "bob@acme.example")
		f.willSay(func(_ context.Context, given string) (rcpt.Result, error) {
			if given == "alice@acme.example" {
				panic("a bug")
			}
			return resultOf(given, rcpt.ReasonRecipientAccepted), nil
		})
		time.Sleep(10 * time.Minute)
		wantWaiting(t, c, 0)
		if _, ok := c.Recall(t.Context(), "bob@acme.example"); !ok || f.times() != 4 {
			t.Errorf("remembered %t, asked %d times", ok, f.times())
		}
	})
}

// TestEndOfTheProcess: what is under way is handed back, for whoever comes
// next.
func TestEndOfTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{says: always(rcpt.ReasonGreylisted, nil)}
		c := newCache(t, Config{Engine: f})
		verify(t, c, "alice@acme.example")
		f.willSay(takes(20 * time.Second))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(309*time.Second, cancel)
		began := time.Now()
		c.Run(ctx)
		if took := time.Since(began); took != 309*time.Second {
			t.Errorf("it took %v", took)
		}
		claimed, _ := c.rechecks.ClaimRechecks(t.Context(), "", 1, time.Minute)
		if len(claimed) != 1 || claimed[0].Attempts != 2 {
			t.Errorf("%+v", claimed)
		}
	})
}

func TestMemoryRechecks(t *testing.T) {
	now := &clock{}
	a := newMemoryRechecks(now.Now)
	schedule := func(address, egress string, in time.Duration) {
		a.ScheduleRecheck(store.Recheck{Address: address, Egress: egress, RunAfter: now.Now().Add(in), GiveUp: now.Now().Add(time.Hour)})
	}
	claim := func(egress string, limit int, want ...string) []store.Recheck {
		t.Helper()
		claimed, _ := a.ClaimRechecks(t.Context(), egress, limit, time.Minute)
		var got []string
		for _, r := range claimed {
			got = append(got, r.Address)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("claimed %v, want %v", got, want)
		}
		return claimed
	}
	schedule("later@a", "x", 2*time.Minute)
	schedule("second@a", "x", -time.Second)
	schedule("first@a", "x", -time.Minute)
	schedule("other@a", "y", 0)
	claim("z", 10)
	two := claim("x", 10, "first@a", "second@a")
	schedule("first@a", "x", -time.Hour) // is being asked about: stays as it is
	claim("x", 10)
	_ = a.PostponeRecheck(t.Context(), two[1], now.Now())
	_ = a.FinishRecheck(t.Context(), two[0])
	claim("x", 1, "second@a")
	schedule("later@a", "y", -time.Second)
	claim("y", 1, "later@a")
	now.advance(time.Minute) // the leases are over
	claim("x", 10, "second@a")
	now.advance(time.Hour)
	claim("y", 10)
	if waiting, _ := a.Rechecks(t.Context()); waiting != 0 {
		t.Errorf("%d wait", waiting)
	}
}
