package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// slowGreeting is a host that takes everything, and greets after that time.
func slowGreeting(after time.Duration) *smtptest.Host {
	return &smtptest.Host{CatchAll: true, GreetingDelay: after}
}

// checkUnfinished checks that a verification was ended by its caller and says
// so, and nothing about the mail host.
func checkUnfinished(t *testing.T, r rcpt.Result, err, why error) {
	t.Helper()
	if !errors.Is(err, why) || errors.Is(err, engine.ErrBusy) || !strings.HasPrefix(fmt.Sprint(err), "engine: ") {
		t.Errorf("%s: error %v, want %v", r.Email, err, why)
	}
	if r.Verdict != rcpt.VerdictUnknown || r.Reason != rcpt.ReasonUnfinished || !r.RetryAt.IsZero() {
		t.Errorf("%s: %s, %s, again at %v", r.Email, r.Verdict, r.Reason, r.RetryAt)
	}
}

// TestEndOfCallerSaysNothingAboutTheHost checks that a caller which gives up,
// or has less time than a host takes, gets an error beside what was found, and
// that nobody learns from it that the host is silent.
func TestEndOfCallerSaysNothingAboutTheHost(t *testing.T) {
	why := errors.New("the visitor left")
	slowDNS := dnstest.Fault{Name: "mx.example.test", Delay: 2500 * time.Millisecond}
	for _, tt := range []struct {
		name  string
		host  *smtptest.Host
		fault *dnstest.Fault
	}{
		{"before the greeting", slowGreeting(3 * time.Second), nil},
		{"at EHLO", &smtptest.Host{CatchAll: true, ReplyDelay: 3 * time.Second}, nil},
		{"at RCPT", &smtptest.Host{CatchAll: true, RCPTDelay: 3 * time.Second}, nil},
		{"before its name has an address", slowGreeting(0), &slowDNS},
	} {
		for _, remember := range []int{0, 10} {
			t.Run(fmt.Sprintf("%s, remember %d", tt.name, remember), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					zone := dnstest.New(oneHostZone)
					if tt.fault != nil {
						zone.Break(*tt.fault)
					}
					v, _, _ := inMemory(t, engine.Config{Exchanger: zone, MaxRemembered: remember}, tt.host)
					ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Second, why)
					defer cancel()
					began := time.Now()
					r, err := v.Verify(ctx, "info@example.test")
					checkUnfinished(t, r, err, context.DeadlineExceeded)
					if took := time.Since(began); took != 2*time.Second || !errors.Is(err, why) {
						t.Errorf("after %v: %v", took, err)
					}
					if has, known := r.HasMX(); !r.Role || (tt.fault == nil || remember == 0) && !(has && known) {
						t.Errorf("role %v, mail hosts %v (known %v)", r.Role, has, known)
					}
					if r.Details.SMTP != nil && r.Details.SMTP.Kind == smtp.KindTimeout {
						t.Errorf("%+v is held against the host", r.Details.SMTP)
					}
					if r, err := v.Verify(t.Context(), "info@example.test"); err != nil || r.Verdict != rcpt.VerdictAcceptAll {
						t.Errorf("the next caller: %s, %s, %v", r.Verdict, r.Reason, err)
					}
				})
			})
		}
	}
}

// TestEndedBeforeTheCall checks that nobody is asked for a caller that has gone
// before it called, and that what needs no network is still answered.
func TestEndedBeforeTheCall(t *testing.T) {
	known, err := lists.New(
		lists.Addition{Kind: lists.KindSpamTrap, Name: "ours", From: strings.NewReader("trap@example.test\n")},
		lists.Addition{Kind: lists.KindDisposable, Name: "ours", From: strings.NewReader("elsewhere.test\n")},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, remember := range []int{0, 10} {
		for _, level := range []engine.Level{engine.LevelSyntax, engine.LevelDNS, engine.LevelSMTP} {
			synctest.Test(t, func(t *testing.T) {
				config := engine.Config{
					Lists: known, MaxRemembered: remember, Level: level, NoAsk: []string{"domain:other.test"}, RHSBLs: []string{"dbl.test"},
				}
				v, network, zone := inMemory(t, config, &smtptest.Host{CatchAll: true})
				if remember > 0 {
					_, _ = v.Verify(t.Context(), "known@example.test")
				}
				queries, dials := zone.Count("", ""), len(network.Dials())
				ended := map[error]context.Context{}
				cancelled, cancel := context.WithCancel(t.Context())
				cancel()
				expired, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
				cancel()
				ended[context.Canceled], ended[context.DeadlineExceeded] = cancelled, expired
				for why, ctx := range ended {
					for address, want := range map[string]rcpt.Reason{
						"no address":          rcpt.ReasonInvalidSyntax,
						"trap@example.test":   rcpt.ReasonSpamTrap,
						"user@other.test":     rcpt.ReasonNotAsked,
						"user@localhost":      rcpt.ReasonUnsupportedAddress,
						"user@elsewhere.test": rcpt.ReasonUnfinished,
						"user@example.test":   rcpt.ReasonUnfinished,
						"known@example.test":  rcpt.ReasonUnfinished,
					} {
						if level == engine.LevelSyntax && (want == rcpt.ReasonUnfinished || want == rcpt.ReasonNotAsked) {
							want = rcpt.ReasonLevelReached
						}
						if address == "known@example.test" && remember > 0 && level == engine.LevelSMTP {
							want = rcpt.ReasonCatchAll
						}
						if address == "known@example.test" && remember > 0 && level == engine.LevelDNS {
							want = rcpt.ReasonLevelReached
						}
						check := func(r rcpt.Result, err error) {
							switch {
							case want == rcpt.ReasonUnfinished:
								checkUnfinished(t, r, err, why)
							case err != nil || r.Reason != want:
								t.Errorf("%s at %s: %s, %v; want %s", address, level, r.Reason, err, want)
							}
							if disposable := strings.HasSuffix(address, "elsewhere.test"); r.Disposable != disposable {
								t.Errorf("%s: disposable %v", address, r.Disposable)
							}
						}
						check(v.Verify(ctx, address))
						v.VerifyGroup(ctx, []string{address}, engine.GroupOptions{}, func(_ int, r rcpt.Result, err error) { check(r, err) })
						for _, o := range v.VerifyAll(ctx, []string{address}, engine.VerifyOptions{}) {
							check(o.Result, o.Err)
						}
					}
				}
				synctest.Wait()
				if q, d := zone.Count("", "")-queries, len(network.Dials())-dials; q != 0 || d != 0 {
					t.Errorf("at %s: %d queries, %d connections", level, q, d)
				}
			})
		}
	}
}

// TestCrowdUnderADeadline checks that the same event is the same for each of
// many callers: those that were asked about, and those that waited.
func TestCrowdUnderADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, _, _ := inMemory(t, engine.Config{MaxWaitingPerHost: 600}, slowGreeting(3*time.Second))
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		var all sync.WaitGroup
		for i := range 600 {
			all.Go(func() {
				r, err := v.Verify(ctx, fmt.Sprintf("u%d@example.test", i))
				checkUnfinished(t, r, err, context.DeadlineExceeded)
			})
		}
		all.Wait()
		if r, err := v.Verify(t.Context(), "user@example.test"); err != nil || r.Verdict != rcpt.VerdictAcceptAll {
			t.Errorf("the next caller: %s, %v", r.Reason, err)
		}
	})
}

// TestTimeoutBoundsTheWait checks that callers of a busy host, and of a slow
// one, have a result when their time is over, whether they waited or not.
func TestTimeoutBoundsTheWait(t *testing.T) {
	const timeout, grace = 2 * time.Second, 100 * time.Millisecond
	for name, tt := range map[string]struct {
		host *smtptest.Host
		want map[rcpt.Reason]bool
	}{
		"greets too late": {slowGreeting(3 * time.Second), map[rcpt.Reason]bool{rcpt.ReasonConnectionTimeout: true}},
		"busy": {&smtptest.Host{CatchAll: true, RCPTDelay: 600 * time.Millisecond}, map[rcpt.Reason]bool{
			rcpt.ReasonConnectionTimeout: true, rcpt.ReasonRateLimited: true, rcpt.ReasonCatchAll: true,
		}},
	} {
		for _, o := range []engine.VerifyOptions{{}, {Timeout: timeout}} {
			t.Run(fmt.Sprintf("%s, %v", name, o.Timeout), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					config := engine.Config{}
					if o.Timeout == 0 {
						config.Timeout = timeout
					}
					v, _, _ := inMemory(t, config, tt.host)
					var all sync.WaitGroup
					var limited atomic.Int64
					for i := range 200 {
						all.Go(func() {
							began := time.Now()
							r, err := v.VerifyWith(t.Context(), fmt.Sprintf("u%d@example.test", i), o)
							if took := time.Since(began); err != nil || !tt.want[r.Reason] || took > timeout+grace {
								t.Errorf("%s, %v after %v", r.Reason, err, took)
							}
							if r.Verdict == rcpt.VerdictUnknown && !r.RetryAt.After(began.Add(timeout)) {
								t.Errorf("%s, again at %v", r.Reason, r.RetryAt)
							}
							if r.Reason == rcpt.ReasonRateLimited {
								limited.Add(1)
							}
						})
					}
					all.Wait()
					if (limited.Load() > 0) != tt.want[rcpt.ReasonRateLimited] {
						t.Errorf("%d waited in vain", limited.Load())
					}
				})
			})
		}
	}
}

// TestAllowed checks that evidence says how long the hosts had.
func TestAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []time.Duration
		config := engine.Config{Hooks: engine.Hooks{
			Gathered: func(_ context.Context, e engine.Evidence) { got = append(got, e.Allowed) },
		}}
		v, _, _ := inMemory(t, config, slowGreeting(time.Minute))
		for _, timeout := range []time.Duration{0, 2 * time.Second, time.Hour} {
			_, _ = v.VerifyWith(t.Context(), "user@example.test", engine.VerifyOptions{Timeout: timeout})
		}
		want := []time.Duration{engine.DefaultTimeout, 2 * time.Second, engine.DefaultTimeout}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

// TestNightlyJob has a deadline end a job in the middle. Every address that was
// asked about has its answer, every other an error, and the next night nothing
// is held against a host.
func TestNightlyJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var zone strings.Builder
		for i := range 10 {
			fmt.Fprintf(&zone, "d%d.test. MX 10 mx.example.test.\n", i)
		}
		zone.WriteString("mx.example.test. A 192.0.2.1\n")
		host := &smtptest.Host{GreetingDelay: 3 * time.Second, RCPTFunc: func(_ *smtptest.Visit, mailbox string) string {
			time.Sleep(100 * time.Millisecond)
			if strings.HasPrefix(mailbox, "user") {
				return "250 2.1.5 Ok"
			}
			return "550 5.1.1 no such user"
		}}
		v, _, _ := inMemory(t, engine.Config{Exchanger: dnstest.New(zone.String())}, host)
		var rows []string
		for i := range 500 {
			rows = append(rows, fmt.Sprintf("user%d@d%d.test", i, i%10))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var done, left int
		for i, o := range v.VerifyAll(ctx, rows, engine.VerifyOptions{}) {
			if o.Err == nil && o.Result.Verdict == rcpt.VerdictDeliverable {
				done++
				continue
			}
			left++
			checkUnfinished(t, o.Result, o.Err, context.DeadlineExceeded)
			if has, known := o.Result.HasMX(); !has || !known {
				t.Errorf("%s: mail hosts %v, known %v", rows[i], has, known)
			}
		}
		if done == 0 || left == 0 || done+left != len(rows) {
			t.Errorf("%d done, %d left", done, left)
		}
		for i, o := range v.VerifyAll(t.Context(), rows, engine.VerifyOptions{}) {
			if o.Err != nil || o.Result.Verdict != rcpt.VerdictDeliverable {
				t.Errorf("the next night: %s: %s, %v", rows[i], o.Result.Reason, o.Err)
			}
		}
	})
}

// TestSilenceIsTheHosts checks that a host which says nothing about a mailbox
// is silent, and not busy with the callers before, whose sessions still end.
func TestSilenceIsTheHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, _, _ := inMemory(t, engine.Config{}, &smtptest.Host{RCPT: smtptest.Hangs, QUIT: smtptest.Hangs})
		for range 4 {
			o := engine.VerifyOptions{Timeout: 2 * time.Second}
			r, err := v.VerifyWith(t.Context(), "user@example.test", o)
			if err != nil || r.Reason != rcpt.ReasonConnectionTimeout {
				t.Errorf("%s, %v", r.Reason, err)
			}
		}
	})
}
