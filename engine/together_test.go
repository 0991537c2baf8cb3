package engine_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/testkit/hostile"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// outcome is the result for one address, or its error.
type outcome struct {
	result rcpt.Result
	err    error
}

// verifyTogether verifies addresses together, and checks that each has one
// result.
func verifyTogether(ctx context.Context, t *testing.T, v *engine.Verifier, addresses []string) []outcome {
	t.Helper()
	var mu sync.Mutex
	outcomes, times := make([]outcome, len(addresses)), make([]int, len(addresses))
	v.VerifyGroup(ctx, addresses, engine.GroupOptions{}, func(i int, result rcpt.Result, err error) {
		mu.Lock()
		defer mu.Unlock()
		outcomes[i] = outcome{result, err}
		times[i]++
	})
	for i, n := range times {
		if n != 1 {
			t.Errorf("%s: told %d times", addresses[i], n)
		}
	}
	return outcomes
}

// aCompany are addresses of one domain, and what gets in among them.
var aCompany = []string{
	"user@example.test", "nobody@example.test", "info@Example.TEST", "bait@example.test", "ann@example.test", "user@elsewhere.test",
	`"quoted name"@example.test`, "not an address", "user@localhost", "jürgen@example.test", "user@example.test", "user+tag@example.test", "user@gmial.com", "@",
}

// TestTogetherAsEachByItself checks that addresses verified together get the
// results that they would get one by one.
func TestTogetherAsEachByItself(t *testing.T) {
	const plain = oneHostZone + "elsewhere.test. MX 10 mx.example.test.\ngmial.com. MX 10 mx.example.test.\n"
	mine := []lists.Addition{
		{Kind: lists.KindSpamTrap, Name: "ours", From: strings.NewReader("bait@example.test\n")},
		{Kind: lists.KindDisposable, Name: "ours", From: strings.NewReader("mx:mx.disposable.test\n")},
		{Kind: lists.KindAllow, Name: "ours", From: strings.NewReader("ann@\n")},
	}
	known, err := lists.New(mine...)
	if err != nil {
		t.Fatal(err)
	}
	exists := func() *smtptest.Host {
		return &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"user": smtptest.Accepts, "info": smtptest.Accepts, "ann": smtptest.Accepts}}
	}
	utf8 := exists()
	utf8.SMTPUTF8 = true
	for _, tt := range []struct {
		name   string
		config engine.Config
		zone   string
		host   smtptest.Handler
	}{
		{"a host that checks", engine.Config{}, plain, exists()},
		{"SMTPUTF8", engine.Config{}, plain, utf8},
		{"catch-all", engine.Config{}, plain, &smtptest.Host{CatchAll: true}},
		{"greylisting", engine.Config{}, plain, &smtptest.Host{CatchAll: true, Greylist: time.Hour}},
		{"a host that refuses us", engine.Config{}, plain, &smtptest.Host{Greeting: "554 5.7.1 blocked"}},
		{"a silent host", engine.Config{Timeout: 5 * time.Second}, plain, hostile.Host("silent-at-greeting")},
		{"no such domain", engine.Config{}, "other.test. A 192.0.2.1\n", exists()},
		{"null MX", engine.Config{}, "example.test. MX 0 .\n", exists()},
		{"a reserved address", engine.Config{}, "example.test. MX 10 mx.example.test.\nmx.example.test. A 10.0.0.1\n", exists()},
		{"disposable by its host", engine.Config{}, "example.test. MX 10 mx.disposable.test.\nmx.disposable.test. A 192.0.2.1\n", exists()},
		{"only IPv6", engine.Config{}, "example.test. MX 10 mx.test.\nmx.test. AAAA 2001:db8::1\n", exists()},
		{"IPv6 behind a dead IPv4", engine.Config{}, "example.test. MX 10 mx.test.\nmx.test. A 192.0.2.9\nmx.test. AAAA 2001:db8::1\n", exists()},
		{"a backup behind a dead host", engine.Config{},
			"example.test. MX 10 mx.test.\nexample.test. MX 20 mx2.test.\nmx.test. A 192.0.2.9\nmx2.test. A 192.0.2.1\n", exists()},
		{"the DNS alone", engine.Config{Level: engine.LevelDNS}, plain, exists()},
		{"the address alone", engine.Config{Level: engine.LevelSyntax}, plain, exists()},
		{"listed in the DNS", engine.Config{RHSBLs: []string{"dbl.test"}}, plain + "example.test.dbl.test. A 127.0.1.2\n", exists()},
		{"remembered", engine.Config{MaxRemembered: 100}, plain, exists()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.config.Lists = known
				v := verifierIn(t, tt.config, tt.zone, tt.host)
				var want []outcome
				for _, address := range aCompany {
					result, err := v.Verify(t.Context(), address)
					want = append(want, outcome{result, err})
				}
				got := verifyTogether(t.Context(), t, verifierIn(t, tt.config, tt.zone, tt.host), aCompany)
				for i := range want {
					checkSame(t, aCompany[i], got[i], want[i])
				}
			})
		})
	}
}

// verifierIn is a verifier whose world has one mail host, at 192.0.2.1 and at
// 2001:db8::1.
func verifierIn(t *testing.T, config engine.Config, zone string, host smtptest.Handler) *engine.Verifier {
	t.Helper()
	network := smtptest.NewNetwork()
	network.Add("192.0.2.1", host)
	network.Add("2001:db8::1", host)
	config.HELO, config.Resolvers, config.Exchanger, config.Dialer = "verifier.test", []string{"192.0.2.53"}, dnstest.New(zone), network
	config.AllowNets = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")}
	v, err := engine.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		network.Close()
	})
	return v
}

// checkSame compares two outcomes. The dialogue depends on the company, and
// what a cache brought on who came first.
func checkSame(t *testing.T, address string, got, want outcome) {
	t.Helper()
	if !errors.Is(got.err, want.err) {
		t.Errorf("%s: error %v, want %v", address, got.err, want.err)
	}
	times := cmpopts.IgnoreFields(rcpt.Result{}, "CheckedAt", "RetryAt")
	ignored := cmpopts.IgnoreFields(rcpt.Details{}, "Duration", "Age", "Transcript", "Cached")
	if diff := cmp.Diff(want.result, got.result, times, ignored, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-by itself +together):\n%s", address, diff)
	}
}

// TestTogetherAsksOnce checks that facts about the domain are found out once,
// and that each address has a result.
func TestTogetherAsksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zone := dnstest.New(oneHostZone + "example.test.dbl.test. A 127.0.1.2\n")
		var mu sync.Mutex
		resolved, probed, verified := 0, 0, 0
		note := func(n *int) {
			mu.Lock()
			defer mu.Unlock()
			*n++
		}
		config := engine.Config{Exchanger: zone, RHSBLs: []string{"dbl.test"}, Hooks: engine.Hooks{
			Resolved: func(context.Context, dnsresolve.Findings, time.Duration) { note(&resolved) },
			Probed:   func(context.Context, smtpprobe.Findings, time.Duration) { note(&probed) },
			Verified: func(context.Context, rcpt.Result, error) { note(&verified) },
		}}
		v, network, _ := inMemory(t, config, &smtptest.Host{CatchAll: true})
		addresses := []string{"a@example.test", "b@example.test", "c@example.test", "nonsense"}
		for _, o := range verifyTogether(t.Context(), t, v, addresses) {
			if o.err != nil || o.result.Verdict != rcpt.VerdictAcceptAll && o.result.Email != "nonsense" {
				t.Errorf("%s: %s, %v", o.result.Email, o.result.Verdict, o.err)
			}
		}
		if resolved != 1 || probed != 3 || verified != 4 {
			t.Errorf("told of %d searches, %d questions, %d results", resolved, probed, verified)
		}
		if queries := zone.Count("", ""); queries != 3 || len(network.Dials()) != 1 {
			t.Errorf("%d DNS queries and %d connections", queries, len(network.Dials()))
		}
	})
}

// TestTogetherGiveUp checks that giving up is an error for each, at once.
func TestTogetherGiveUp(t *testing.T) {
	for name, host := range map[string]*smtptest.Host{"at RCPT": {RCPT: smtptest.Hangs}, "at the greeting": {Greeting: smtptest.Hangs}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v, _, _ := inMemory(t, engine.Config{}, host)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(5*time.Second, cancel)
				began := time.Now()
				for _, o := range verifyTogether(ctx, t, v, []string{"a@example.test", "b@example.test", "c@example.test"}) {
					if !errors.Is(o.err, context.Canceled) || !o.result.Reason.Failed() || o.result.Verdict != rcpt.VerdictUnknown {
						t.Errorf("%s: %s, success %v, error %v", o.result.Email, o.result.Verdict, !o.result.Reason.Failed(), o.err)
					}
				}
				if took := time.Since(began); took > 5200*time.Millisecond {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

func TestTogetherAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, _, _ := inMemory(t, engine.Config{}, &smtptest.Host{CatchAll: true})
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
		for _, o := range verifyTogether(t.Context(), t, v, []string{"a@example.test", "b@example.test"}) {
			notCarriedOut(t, o.result, o.err)
		}
		v.VerifyGroup(t.Context(), nil, engine.GroupOptions{}, func(int, rcpt.Result, error) { t.Error("told of nobody") })
	})
}

// TestTogetherASlowListTakesNobodysTime checks that an address that needs
// another mail host goes on at once, with enough time, while others that have
// their answer wait for a list in the DNS.
func TestTogetherASlowListTakesNobodysTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zone := dnstest.New("example.test. MX 10 mx1.test.\nexample.test. MX 20 mx2.test.\nmx1.test. A 192.0.2.1\nmx2.test. A 192.0.2.2\n")
		zone.Break(dnstest.Fault{Name: "example.test.dbl.test", Kind: dnstest.Lose})
		config := engine.Config{Timeout: 3 * time.Second, Exchanger: zone, RHSBLs: []string{"dbl.test"}}
		v, network, _ := inMemory(t, config, &smtptest.Host{CatchAll: true})
		network.Add("192.0.2.2", &smtptest.Host{SMTPUTF8: true, GreetingDelay: 2 * time.Second, CatchAll: true})
		for _, o := range verifyTogether(t.Context(), t, v, []string{"user@example.test", "jürgen@example.test", "info@example.test"}) {
			if o.err != nil || o.result.Verdict != rcpt.VerdictAcceptAll {
				t.Errorf("%s: %s, %s, %v", o.result.Email, o.result.Verdict, o.result.Reason, o.err)
			}
		}
	})
}

// TestTogetherRemembers checks that what is remembered is not asked again, that
// results are remembered, and that those of lists which are no more are not.
func TestTogetherRemembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mine, err := lists.New(lists.Addition{Kind: lists.KindSpamTrap, Name: "ours", From: strings.NewReader("c@example.test\n")})
		if err != nil {
			t.Fatal(err)
		}
		v, _, _ := inMemory(t, engine.Config{MaxRemembered: 100}, &smtptest.Host{CatchAll: true, GreetingDelay: time.Second})
		cached := func(addresses ...string) (cached string) {
			for _, o := range verifyTogether(t.Context(), t, v, addresses) {
				if o.result.Details.Cached {
					cached += o.result.Local
				}
				if o.result.SpamTrap {
					cached += "!"
				}
			}
			synctest.Wait() // for the memory
			return cached
		}
		if _, err := v.Verify(t.Context(), "a@example.test"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		time.Sleep(time.Minute)
		if got := cached("a@example.test", "b@example.test"); got != "a" {
			t.Errorf("first: %q", got)
		}
		time.Sleep(time.Minute)
		time.AfterFunc(time.Second/2, func() { v.SetLists(mine) })
		if got := cached("a@example.test", "b@example.test", "c@example.test"); got != "ab" {
			t.Errorf("before other lists: %q", got)
		}
		if got := cached("a@example.test", "b@example.test", "c@example.test"); got != "!" {
			t.Errorf("after other lists: %q", got)
		}
	})
}

// TestTogetherGreylisted checks that deferred addresses are asked about again
// with the same random mailbox, which a host that greylists accepts by then.
func TestTogetherGreylisted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, _, _ := inMemory(t, engine.Config{}, &smtptest.Host{CatchAll: true, Greylist: time.Hour})
		for _, want := range []rcpt.Reason{rcpt.ReasonGreylisted, rcpt.ReasonCatchAll} {
			for _, o := range verifyTogether(t.Context(), t, v, []string{"a@example.test", "b@example.test"}) {
				if o.result.Reason != want {
					t.Errorf("%s: %s, want %s", o.result.Email, o.result.Reason, want)
				}
			}
			time.Sleep(time.Hour + time.Minute)
		}
	})
}

// TestTogetherKeepsNothingForTheLast checks that what is known of those who
// have been told of is not kept until the slowest of them has its answer.
func TestTogetherKeepsNothingForTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []weak.Pointer[smtpprobe.Session]
		config := engine.Config{Hooks: engine.Hooks{Probed: func(_ context.Context, said smtpprobe.Findings, _ time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, weak.Make(&said.Sessions[0]))
		}}}
		host := &smtptest.Host{RCPTFunc: func(v *smtptest.Visit, rcpt string) string {
			if strings.HasPrefix(rcpt, "slow") {
				v.Sleep(25 * time.Second)
			}
			return string(smtptest.Accepts)
		}}
		v, _, _ := inMemory(t, config, host)
		var addresses []string
		for i := range 120 {
			addresses = append(addresses, fmt.Sprintf("user%d@example.test", i))
		}
		time.AfterFunc(15*time.Second, func() {
			runtime.GC()
			mu.Lock()
			defer mu.Unlock()
			kept := 0
			for _, session := range told {
				if session.Value() != nil {
					kept++
				}
			}
			if kept > 1 || len(told) < 20 { // the last may be on a stack; a transaction waits with the slow one
				t.Errorf("%d told, %d kept", len(told), kept)
			}
		})
		verifyTogether(t.Context(), t, v, append(addresses, "slow@example.test"))
	})
}

// TestTogetherHaveOneTime checks that the time for an address is that of the
// search for its mail hosts, and of what they take, together.
func TestTogetherHaveOneTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zone := dnstest.New(oneHostZone)
		zone.Break(dnstest.Fault{Type: "MX", Delay: 2 * time.Second})
		v, _, _ := inMemory(t, engine.Config{Timeout: 5 * time.Second, Exchanger: zone}, hostile.Host("silent-at-greeting"))
		began := time.Now()
		verifyTogether(t.Context(), t, v, []string{"a@example.test", "b@example.test"})
		if took := time.Since(began); took < 5*time.Second || took > 5500*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

// TestTogetherAskForIPv6 checks that each looks for IPv6 addresses by itself,
// and has its own findings.
func TestTogetherAskForIPv6(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lookups atomic.Int64
		config := engine.Config{Hooks: engine.Hooks{LookedUp: func(context.Context, dnsresolve.Lookup) { lookups.Add(1) }}}
		const zone = "example.test. MX 10 mx.test.\nmx.test. A 192.0.2.9\nmx.test. AAAA 2001:db8::1\n"
		v := verifierIn(t, config, zone, &smtptest.Host{CatchAll: true})
		for _, o := range verifyTogether(t.Context(), t, v, []string{"a@example.test", "b@example.test", "c@example.test"}) {
			if o.result.Verdict != rcpt.VerdictAcceptAll {
				t.Errorf("%s: %s", o.result.Email, o.result.Verdict)
			}
		}
		if n := lookups.Load(); n != 3 {
			t.Errorf("told of %d look-ups, want one for each", n)
		}
	})
}
