package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const oneHostZone = "example.test. MX 10 mx.example.test.\nmx.example.test. A 192.0.2.1\n"

// inMemory completes config with a world of one domain, example.test, whose
// mail host is host. Another DNS may be in the config.
func inMemory(t *testing.T, config engine.Config, host smtptest.Handler) (*engine.Verifier, *smtptest.Network, *dnstest.Server) {
	t.Helper()
	network := smtptest.NewNetwork()
	network.Add("192.0.2.1", host)
	zone, ok := config.Exchanger.(*dnstest.Server)
	if !ok {
		zone = dnstest.New(oneHostZone)
	}
	config.HELO, config.Resolvers, config.Exchanger, config.Dialer = "verifier.test", []string{"192.0.2.53"}, zone, network
	config.AllowNets = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	verifier, err := engine.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := verifier.Close(); err != nil {
			t.Error(err)
		}
		network.Close()
	})
	return verifier, network, zone
}

func TestLevels(t *testing.T) {
	tests := []struct {
		level           engine.Level
		queries, dialed bool
	}{
		{engine.LevelSyntax, false, false},
		{engine.LevelDNS, true, false},
		{engine.LevelSMTP, true, true},
	}
	for _, tt := range tests {
		t.Run(string(tt.level), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				verifier, network, zone := inMemory(t, engine.Config{Level: tt.level}, &smtptest.Host{CatchAll: true})
				if _, err := verifier.Verify(t.Context(), "user@example.test"); err != nil {
					t.Fatal(err)
				}
				if got := zone.Count("", "") > 0; got != tt.queries {
					t.Errorf("DNS asked: %v, want %v", got, tt.queries)
				}
				if got := len(network.Dials()) > 0; got != tt.dialed {
					t.Errorf("mail host dialled: %v, want %v", got, tt.dialed)
				}
			})
		})
	}
}

func TestSpamTrapIsNotContacted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trapped := withAddition(t, lists.KindSpamTrap, "bait@example.test\n")
		verifier, network, zone := inMemory(t, engine.Config{Lists: trapped}, &smtptest.Host{CatchAll: true})
		result, err := verifier.Verify(t.Context(), "bait@example.test")
		if err != nil {
			t.Fatal(err)
		}
		if result.Reason != rcpt.ReasonSpamTrap || !result.SpamTrap {
			t.Errorf("reason %s, flag %v; want a spam trap", result.Reason, result.SpamTrap)
		}
		if len(network.Dials()) > 0 || zone.Count("", "") > 0 {
			t.Error("a spam trap's mail host was looked for")
		}
	})
}

// TestSpamTrapByItsMailHostIsNotContacted checks that no mail host is asked
// about a trap that only the name of its mail host shows.
func TestSpamTrapByItsMailHostIsNotContacted(t *testing.T) {
	for trap, contacted := range map[string]bool{"mx:mx.example.test\n": false, "mx:other.test\n": true} {
		synctest.Test(t, func(t *testing.T) {
			trapped := withAddition(t, lists.KindSpamTrap, trap)
			verifier, network, zone := inMemory(t, engine.Config{Lists: trapped}, &smtptest.Host{CatchAll: true})
			result, err := verifier.Verify(t.Context(), "somebody@example.test")
			if err != nil {
				t.Fatal(err)
			}
			if result.SpamTrap == contacted || (result.Reason == rcpt.ReasonSpamTrap) == contacted {
				t.Errorf("%q: reason %s, flag %v", trap, result.Reason, result.SpamTrap)
			}
			if zone.Count("example.test", "MX") != 1 || len(network.Dials()) > 0 != contacted {
				t.Errorf("%q: mail host dialled %d times, want that: %v", trap, len(network.Dials()), contacted)
			}
		})
	}
}

// TestWeakHintIsContacted checks that a weak hint of a spam trap costs nobody
// the answer.
func TestWeakHintIsContacted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zone := dnstest.New("hotmaul.com. MX 10 mx.example.test.\nmx.example.test. A 192.0.2.1\n")
		verifier, network, _ := inMemory(t, engine.Config{Exchanger: zone}, &smtptest.Host{CatchAll: true})
		result, err := verifier.Verify(t.Context(), "somebody@hotmaul.com")
		if err != nil {
			t.Fatal(err)
		}
		if result.SpamTrap || result.Reason != rcpt.ReasonCatchAll || len(network.Dials()) == 0 {
			t.Errorf("reason %s, flag %v, dialled %d times", result.Reason, result.SpamTrap, len(network.Dials()))
		}
		want := []lists.Match{{List: lists.KindSpamTrap, Entry: "typo:hotmail.com", Confidence: lists.ConfidenceWeak}}
		if diff := cmp.Diff(want, result.Details.Matches, cmpopts.IgnoreFields(lists.Match{}, "Source")); diff != "" {
			t.Errorf("matches (-want +got):\n%s", diff)
		}
	})
}

// TestSetLists checks that lists can be changed while verifications run, and
// that the next one goes by the new ones.
func TestSetLists(t *testing.T) {
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax})
	if err != nil {
		t.Fatal(err)
	}
	boss := func() bool {
		result, err := verifier.Verify(t.Context(), "biggest.boss@example.test")
		if err != nil {
			t.Error(err)
		}
		return result.Role
	}
	before, after := withAddition(t, lists.KindFree, "example.test\n"), withAddition(t, lists.KindRole, "biggest.boss@\n")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { boss() })
		all.Go(func() { verifier.SetLists(before) })
	}
	all.Wait()
	if boss() {
		t.Error("a role before it was listed")
	}
	verifier.SetLists(after)
	if !boss() {
		t.Error("no role though it is listed now")
	}
}

// withAddition are the embedded lists with entries of ours.
func withAddition(t *testing.T, kind lists.Kind, entries string) *lists.Lists {
	t.Helper()
	known, err := lists.New(lists.Addition{Kind: kind, Name: "ours", From: strings.NewReader(entries)})
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// TestAllowedDomainIsNotDisposableByItsHosts checks that a user's word for a
// domain outweighs what its mail host says about it.
func TestAllowedDomainIsNotDisposableByItsHosts(t *testing.T) {
	for allowed, want := range map[string]bool{"example.test": false, "other.test": true} {
		synctest.Test(t, func(t *testing.T) {
			mine, err := lists.New(
				lists.Addition{Kind: lists.KindDisposable, Name: "ours", From: strings.NewReader("mx:mx.example.test\n")},
				lists.Addition{Kind: lists.KindAllow, Name: "ours", From: strings.NewReader(allowed + "\n")},
			)
			if err != nil {
				t.Fatal(err)
			}
			verifier, _, _ := inMemory(t, engine.Config{Lists: mine, Level: engine.LevelDNS}, &smtptest.Host{})
			result, err := verifier.Verify(t.Context(), "somebody@example.test")
			if err != nil || result.Disposable != want {
				t.Errorf("with %s allowed: disposable %v (%v), want %v", allowed, result.Disposable, err, want)
			}
		})
	}
}

// TestCancel checks that giving up is an error and no verdict, ends at once,
// and still says QUIT.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		verifier, network, _ := inMemory(t, engine.Config{}, &smtptest.Host{RCPT: smtptest.Hangs})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Second, cancel)
		began := time.Now()
		result, err := verifier.Verify(ctx, "user@example.test")
		if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "engine: ") {
			t.Errorf("error %q, want context.Canceled in the name of the engine", err)
		}
		if !result.Reason.Failed() || result.Verdict != rcpt.VerdictUnknown || result.Reason != rcpt.ReasonUnfinished {
			t.Errorf("success %v, %s, %s; want a failed verification", !result.Reason.Failed(), result.Verdict, result.Reason)
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("took %v, want 5s", took)
		}
		if err := verifier.Close(); err != nil {
			t.Error(err)
		}
		network.Close()
		if sessions := network.Sessions(); len(sessions) != 1 || !strings.HasSuffix(sessions[0].Client, "QUIT\r\n") {
			t.Errorf("sessions %+v, want one that ends with QUIT", sessions)
		}
	})
}

// TestTimeout checks that the time for one address bounds everything, and that
// silence is an answer.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		verifier, _, _ := inMemory(t, engine.Config{Timeout: 10 * time.Second}, &smtptest.Host{RCPT: smtptest.Hangs})
		began := time.Now()
		result, err := verifier.Verify(t.Context(), "user@example.test")
		if err != nil {
			t.Fatal(err)
		}
		if result.Reason != rcpt.ReasonConnectionTimeout || result.Reason.Failed() {
			t.Errorf("reason %s, success %v; want a timeout as a result", result.Reason, !result.Reason.Failed())
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("took %v, want 10s at most", took)
		}
	})
}

// TestTimeoutOfCall checks that the time limit of a call is treated as the
// configured one is.
func TestTimeoutOfCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		verifier, _, zone := inMemory(t, engine.Config{}, &smtptest.Host{})
		zone.Break(dnstest.Fault{Kind: dnstest.Lose})
		o := engine.VerifyOptions{Timeout: 2 * time.Second}
		result, err := verifier.VerifyWith(t.Context(), "user@example.test", o)
		if err != nil {
			t.Fatal(err)
		}
		if result.Reason != rcpt.ReasonDNSTemporary {
			t.Errorf("reason %s, want %s", result.Reason, rcpt.ReasonDNSTemporary)
		}
	})
}

func TestHooksAndLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var steps []string
		config := engine.Config{
			Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			Hooks: engine.Hooks{
				Resolved: func(context.Context, dnsresolve.Findings, time.Duration) { steps = append(steps, "resolved") },
				Probed:   func(context.Context, smtpprobe.Findings, time.Duration) { steps = append(steps, "probed") },
				Verified: func(context.Context, rcpt.Result, error) { steps = append(steps, "verified") },
			},
		}
		verifier, _, _ := inMemory(t, config, &smtptest.Host{CatchAll: true})
		if _, err := verifier.Verify(t.Context(), "somebody@example.test"); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(steps, " "); got != "resolved probed verified" {
			t.Errorf("hooks called: %s", got)
		}
		synctest.Wait() // the session is logged when it has its answers, which do not wait for that
		if !strings.Contains(log.String(), "msg=verified domain=example.test") || strings.Contains(log.String(), "somebody") {
			t.Errorf("want a line with the domain and nothing with the local-part:\n%s", log.String())
		}
	})
}

// TestWaitingForASessionIsNotSilence checks that our own limit on sessions
// costs an address of a list nothing but time, and that others are told to come
// back.
func TestWaitingForASessionIsNotSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &smtptest.Host{CatchAll: true, GreetingDelay: 2 * time.Second, RCPTDelay: 2 * time.Second}
		verifier, _, _ := inMemory(t, engine.Config{}, slow)
		var all sync.WaitGroup
		var limited atomic.Int64
		var caller engine.Caller
		for i := range 100 {
			list := engine.GroupOptions{Caller: &caller}
			for j, o := range []engine.GroupOptions{list, {}} {
				all.Go(func() {
					var result rcpt.Result
					var err error
					address := []string{fmt.Sprintf("u%d-%d@example.test", j, i)}
					verifier.VerifyGroup(t.Context(), address, o, func(_ int, r rcpt.Result, e error) { result, err = r, e })
					switch {
					case o.Caller == nil && result.Reason == rcpt.ReasonRateLimited && !result.RetryAt.IsZero() && err == nil:
						limited.Add(1)
					case o.Caller == nil && result.Reason == rcpt.ReasonConnectionTimeout && err == nil: // it was being asked
					case err != nil || result.Verdict != rcpt.VerdictAcceptAll:
						t.Errorf("%s (%v), want %s: %+v", result.Reason, err, rcpt.VerdictAcceptAll, result.Details.SMTP)
					}
				})
			}
		}
		all.Wait()
		if limited.Load() == 0 {
			t.Error("the host is not busy enough")
		}
	})
}

func TestEvidenceIsBounded(t *testing.T) {
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax})
	if err != nil {
		t.Fatal(err)
	}
	evidence, err := verifier.Gather(t.Context(), strings.Repeat("ä", 10<<20))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := json.Marshal(evidence); err != nil || len(data) > 100_000 {
		t.Errorf("%d bytes of evidence (%v)", len(data), err)
	}
}
