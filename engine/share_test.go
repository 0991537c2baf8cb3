package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestHurriedCallerDecidesForItself checks that what a caller with little time
// did not find out is not remembered for callers with more.
func TestHurriedCallerDecidesForItself(t *testing.T) {
	slowDNS := dnstest.Fault{Name: "example.test", Delay: 2 * time.Second}
	for _, tt := range []struct {
		name   string
		fault  *dnstest.Fault
		time   time.Duration // of the hurried caller
		reason rcpt.Reason   // that it gets
	}{
		{"a short time for a slow host", nil, 3 * time.Second, rcpt.ReasonConnectionTimeout},
		{"a short time for a slow DNS", &slowDNS, time.Second, rcpt.ReasonDNSTemporary},
		{"no time at all", nil, time.Nanosecond, rcpt.ReasonConnectionTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				zone := dnstest.New(oneHostZone)
				if tt.fault != nil {
					zone.Break(*tt.fault)
				}
				host := &smtptest.Host{GreetingDelay: 5 * time.Second, CatchAll: true}
				for _, together := range []bool{false, true} {
					v, _, _ := inMemory(t, engine.Config{MaxRemembered: 10, Exchanger: zone}, host)
					verify := func(timeout time.Duration) (result rcpt.Result, err error) {
						o := engine.VerifyOptions{Timeout: timeout}
						if !together {
							return v.VerifyWith(t.Context(), "user@example.test", o)
						}
						v.VerifyGroup(t.Context(), []string{"user@example.test"}, engine.GroupOptions{Timeout: timeout}, func(_ int, r rcpt.Result, e error) { result, err = r, e })
						return result, err
					}
					if got, err := verify(tt.time); err != nil || got.Reason != tt.reason {
						t.Errorf("hurried: %s, %v", got.Reason, err)
					}
					synctest.Wait()
					time.Sleep(31 * time.Second) // a host that was not reached is not tried again before
					if got, err := verify(0); err != nil || got.Verdict != rcpt.VerdictAcceptAll || got.Details.Cached {
						t.Errorf("patient: %s, cached %v, %v", got.Reason, got.Details.Cached, err)
					}
				}
			})
		})
	}
}

// TestHurriedCallerRemembersWhatIsSettled checks that a mail host's own answer
// is remembered, however little time the caller gave.
func TestHurriedCallerRemembersWhatIsSettled(t *testing.T) {
	for reason, host := range map[rcpt.Reason]*smtptest.Host{
		rcpt.ReasonMailboxNotFound: {}, rcpt.ReasonGreylisted: {CatchAll: true, Greylist: time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			v, _, _ := inMemory(t, engine.Config{MaxRemembered: 10}, host)
			_, _ = v.VerifyWith(t.Context(), "user@example.test", engine.VerifyOptions{Timeout: 5 * time.Second})
			synctest.Wait()
			if r, ok := v.Recall(t.Context(), "user@example.test"); !ok || r.Reason != reason {
				t.Errorf("%s: remembered %v", reason, ok)
			}
		})
	}
}

// TestUnknownReplacesNoVerdict checks that asking anew without an answer does
// not make others forget a verdict, and that it does once that has expired.
func TestUnknownReplacesNoVerdict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		host := &smtptest.Host{RCPTFunc: func(*smtptest.Visit, string) string {
			if broken.Load() {
				return "451 4.3.0 Come back later"
			}
			return "250 2.1.5 OK"
		}}
		v, _, _ := inMemory(t, engine.Config{MaxRemembered: 10}, host)
		if r, _ := v.Verify(t.Context(), "user@example.test"); r.Verdict != rcpt.VerdictAcceptAll {
			t.Fatalf("%+v", r)
		}
		synctest.Wait()
		broken.Store(true)
		for _, again := range []struct {
			after time.Duration
			want  rcpt.Verdict
		}{{11 * time.Hour, rcpt.VerdictAcceptAll}, {time.Hour, rcpt.VerdictUnknown}} {
			time.Sleep(again.after)
			if r, err := v.VerifyWith(t.Context(), "user@example.test", engine.VerifyOptions{Fresh: true}); err != nil || r.Verdict != rcpt.VerdictUnknown {
				t.Errorf("anew: %s, %v", r.Verdict, err)
			}
			synctest.Wait()
			if r, ok := v.Recall(t.Context(), "user@example.test"); !ok || r.Verdict != again.want {
				t.Errorf("%v later: %s, want %s", again.after, r.Verdict, again.want)
			}
		}
	})
}

// TestCallersShareAVerification checks that callers that verify one address at
// the same time cause one verification, that a caller that gives up returns at
// once and takes nothing from the others, and that each has its own result.
func TestCallersShareAVerification(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var verified atomic.Int64
		config := engine.Config{MaxRemembered: 10, Hooks: engine.Hooks{Verified: func(context.Context, rcpt.Result, error) { verified.Add(1) }}}
		host := &smtptest.Host{GreetingDelay: 10 * time.Second, CatchAll: true}
		v, network, _ := inMemory(t, config, host)
		const callers = 50
		var all sync.WaitGroup
		for i := range callers {
			ctx, cancel := context.WithCancel(t.Context())
			if i%10 == 0 { // the one that began it, too
				time.AfterFunc(time.Second, cancel)
			}
			all.Go(func() {
				defer cancel()
				began := time.Now()
				r, err := v.Verify(ctx, "user@example.test")
				gaveUp := i%10 == 0
				switch {
				case gaveUp && (!errors.Is(err, context.Canceled) || !r.Reason.Failed() || r.Domain != "example.test" || time.Since(began) != time.Second):
					t.Errorf("gave up: %+v, %v after %v", r, err, time.Since(began))
				case !gaveUp && (err != nil || r.Verdict != rcpt.VerdictAcceptAll || r.Details.Cached):
					t.Errorf("waited: %+v, %v", r, err)
				}
				r.Reason = "spoiled"
			})
			synctest.Wait()
		}
		all.Wait()
		transcript := fmt.Sprint(network.Dials())
		if n := len(network.Dials()); n != 1 || verified.Load() != callers {
			t.Errorf("%d connections (%s), %d results reported", n, transcript, verified.Load())
		}
	})
}

// TestAHurriedCallerDoesNotDecideForThoseBesideIt checks that callers share a
// verification only with those who have as much time.
func TestAHurriedCallerDoesNotDecideForThoseBesideIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, _, _ := inMemory(t, engine.Config{MaxRemembered: 10}, &smtptest.Host{ReplyDelay: 4 * time.Second, CatchAll: true})
		var all sync.WaitGroup
		for _, tt := range []struct {
			time time.Duration
			want rcpt.Verdict
		}{{2 * time.Second, rcpt.VerdictUnknown}, {time.Minute, rcpt.VerdictAcceptAll}, {time.Second, rcpt.VerdictUnknown}} {
			all.Go(func() {
				r, err := v.VerifyWith(t.Context(), "user@example.test", engine.VerifyOptions{Timeout: tt.time})
				if err != nil || r.Verdict != tt.want {
					t.Errorf("with %v: %s, %s, %v", tt.time, r.Verdict, r.Reason, err)
				}
			})
			synctest.Wait()
		}
		all.Wait()
	})
}

// TestWaitingMakesACallerHurried checks that a caller whose time was enough
// when it came, but not any more when a session became free, decides nothing
// for others.
func TestWaitingMakesACallerHurried(t *testing.T) {
	for _, together := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			host := &smtptest.Host{ReplyDelay: time.Second, RCPTDelay: 9 * time.Second, CatchAll: true}
			v, _, _ := inMemory(t, engine.Config{MaxRemembered: 10, MaxSessionsPerHost: 1}, host)
			verify := func(timeout time.Duration, address string) (result rcpt.Result, err error) {
				o := engine.VerifyOptions{Timeout: timeout}
				if !together {
					return v.VerifyWith(t.Context(), address, o)
				}
				v.VerifyGroup(t.Context(), []string{address}, engine.GroupOptions{Timeout: timeout}, func(_ int, r rcpt.Result, e error) { result, err = r, e })
				return result, err
			}
			var first sync.WaitGroup
			first.Go(func() { // it has the session for 20 s
				if r, err := verify(0, "first@example.test"); err != nil || r.Verdict != rcpt.VerdictAcceptAll {
					t.Errorf("the first: %s, %v", r.Reason, err)
				}
			})
			time.Sleep(1500 * time.Millisecond) // its transaction has begun
			r, err := verify(27500*time.Millisecond, "user@example.test")
			if r.Reason != rcpt.ReasonRateLimited || r.RetryAt.IsZero() || err != nil {
				t.Errorf("the one that waited: %s, %v", r.Reason, err)
			}
			first.Wait()
			time.Sleep(31 * time.Second) // a host that was not reached is not tried again before
			if r, err := verify(0, "user@example.test"); err != nil || r.Verdict != rcpt.VerdictAcceptAll || r.Details.Cached {
				t.Errorf("patient: %s, cached %v, %v", r.Reason, r.Details.Cached, err)
			}
		})
	}
}

// TestTimeoutInTheQueueIsTheCallersOwn checks that a caller with more time does
// not share the verification of one that waited in vain.
func TestTimeoutInTheQueueIsTheCallersOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &smtptest.Host{RCPTDelay: 12 * time.Second, CatchAll: true}
		v, _, _ := inMemory(t, engine.Config{MaxRemembered: 10, MaxSessionsPerHost: 1, Timeout: time.Hour}, host)
		var all sync.WaitGroup
		for _, tt := range []struct {
			address string
			time    time.Duration
			reason  rcpt.Reason
		}{
			{"first@example.test", time.Hour, rcpt.ReasonCatchAll},
			{"user@example.test", 5 * time.Second, rcpt.ReasonRateLimited},
			{"user@example.test", time.Hour, rcpt.ReasonCatchAll},
		} {
			all.Go(func() {
				r, err := v.VerifyWith(t.Context(), tt.address, engine.VerifyOptions{Timeout: tt.time})
				if r.Reason != tt.reason || err != nil {
					t.Errorf("%s with %v: %s, %v", tt.address, tt.time, r.Reason, err)
				}
			})
			time.Sleep(time.Second)
		}
		all.Wait()
	})
}
