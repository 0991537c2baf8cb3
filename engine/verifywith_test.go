package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestDetach checks that an impatient caller has an answer in time, that the
// verification goes on and is remembered, and that callers meanwhile share it.
func TestDetach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, network, _ := inMemory(t, engine.Config{MaxRemembered: 10}, &smtptest.Host{GreetingDelay: 8 * time.Second, CatchAll: true})
		ask := func(ctx context.Context) (rcpt.Result, time.Duration, error) {
			began := time.Now()
			r, err := v.VerifyWith(ctx, "user@example.test", engine.VerifyOptions{Timeout: 3 * time.Second, Detach: true})
			return r, time.Since(began), err
		}
		for range 2 {
			r, took, err := ask(t.Context())
			if !errors.Is(err, engine.ErrNotYet) || took != 3*time.Second || r.Verdict != rcpt.VerdictUnknown || !r.Reason.Failed() || r.Domain != "example.test" {
				t.Errorf("%+v, %v after %v", r, err, took)
			}
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if r, took, err := ask(gone); !errors.Is(err, engine.ErrNotYet) || !errors.Is(err, context.Canceled) || took != 0 || !r.Reason.Failed() {
			t.Errorf("cancelled: %+v, %v after %v", r, err, took)
		}
		if r, took, err := ask(t.Context()); err != nil || r.Verdict != rcpt.VerdictAcceptAll || r.Details.Cached || took > 3*time.Second {
			t.Errorf("as it ends: %+v, %v after %v", r, err, took)
		}
		synctest.Wait()
		if r, took, err := ask(t.Context()); err != nil || r.Verdict != rcpt.VerdictAcceptAll || !r.Details.Cached || took != 0 {
			t.Errorf("later: %+v, %v after %v", r, err, took)
		}
		if n := len(network.Dials()); n != 1 {
			t.Errorf("%d connections", n)
		}
	})
}

// TestDetachedEndsWithTheVerifier checks that nothing goes on after Close.
func TestDetachedEndsWithTheVerifier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, _, _ := inMemory(t, engine.Config{}, &smtptest.Host{RCPT: smtptest.Hangs})
		if _, err := v.VerifyWith(t.Context(), "user@example.test", engine.VerifyOptions{Timeout: time.Second, Detach: true}); !errors.Is(err, engine.ErrNotYet) {
			t.Errorf("error %v", err)
		}
		began := time.Now()
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("Close took %v", took)
		}
	})
}

// TestLevelOfACall checks that one call can look less deep, not deeper, and
// leaves nothing behind for those that look deeper.
func TestLevelOfACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, network, zone := inMemory(t, engine.Config{MaxRemembered: 10}, &smtptest.Host{})
		for _, tt := range []struct {
			level          engine.Level
			reason         rcpt.Reason
			queries, dials bool
			cached         bool
		}{
			{engine.LevelSyntax, rcpt.ReasonLevelReached, false, false, false},
			{engine.LevelDNS, rcpt.ReasonLevelReached, true, false, false},
			{engine.LevelSMTP, rcpt.ReasonMailboxNotFound, true, true, false},
			{engine.LevelDNS, rcpt.ReasonMailboxNotFound, true, true, true},
			{"", rcpt.ReasonMailboxNotFound, true, true, true},
		} {
			r, err := v.VerifyWith(t.Context(), "user@example.test", engine.VerifyOptions{Level: tt.level})
			if err != nil || r.Reason != tt.reason || r.Details.Cached != tt.cached {
				t.Errorf("%q: %s, cached %v, %v", tt.level, r.Reason, r.Details.Cached, err)
			}
			if queries, dials := zone.Count("", "") > 0, len(network.Dials()) > 0; queries != tt.queries || dials != tt.dials {
				t.Errorf("%q: queries %v, connections %v", tt.level, queries, dials)
			}
			synctest.Wait()
		}
		shallow, other, _ := inMemory(t, engine.Config{Level: engine.LevelDNS}, &smtptest.Host{})
		if r, _ := shallow.VerifyWith(t.Context(), "user@example.test", engine.VerifyOptions{Level: engine.LevelSMTP}); r.Reason != rcpt.ReasonLevelReached || len(other.Dials()) > 0 {
			t.Errorf("deeper than the configuration: %s", r.Reason)
		}
	})
}

// TestOptionsThatCannotBe checks that options which cannot be used are an
// error of every address, that names the field.
func TestOptionsThatCannotBe(t *testing.T) {
	v, network, _ := inMemory(t, engine.Config{}, &smtptest.Host{})
	refused := func(field string, r rcpt.Result, err error) {
		t.Helper()
		if err == nil || !strings.HasPrefix(err.Error(), "engine: "+field+": ") || !r.Reason.Failed() || r.Email == "" {
			t.Errorf("%s: %+v, %v", field, r, err)
		}
	}
	addresses := []string{"a@example.test", "@"}
	for _, tt := range []struct {
		field   string
		options engine.VerifyOptions
		list    bool // for VerifyAll alone
	}{
		{"VerifyOptions.Level", engine.VerifyOptions{Level: "deep"}, false},
		{"VerifyOptions.Timeout", engine.VerifyOptions{Timeout: -1}, false},
		{"VerifyOptions.Detach", engine.VerifyOptions{Detach: true}, true},
	} {
		if !tt.list {
			r, err := v.VerifyWith(t.Context(), addresses[0], tt.options)
			refused(tt.field, r, err)
			r, err = v.With(tt.options).Verify(t.Context(), addresses[0])
			refused(tt.field, r, err)
		}
		told := 0
		for _, o := range v.VerifyAll(t.Context(), addresses, tt.options) {
			told++
			refused(tt.field, o.Result, o.Err)
		}
		if told != 2 {
			t.Errorf("%s: told of %d of 2", tt.field, told)
		}
	}
	told := 0
	for field, o := range map[string]engine.GroupOptions{"Level": {Level: "deep"}, "Timeout": {Timeout: -1}} {
		v.VerifyGroup(t.Context(), addresses, o, func(_ int, r rcpt.Result, err error) {
			told++
			refused("GroupOptions."+field, r, err)
		})
	}
	if told != 4 || len(network.Dials()) > 0 {
		t.Errorf("told of %d of 4; dialled %v", told, network.Dials())
	}
}

// TestOptionsOfAGroup checks that Fresh and Level mean for several addresses
// what they mean for one.
func TestOptionsOfAGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, _, _ := inMemory(t, engine.Config{MaxRemembered: 10}, &smtptest.Host{CatchAll: true})
		ask := func(o engine.GroupOptions) (results [2]rcpt.Result) {
			v.VerifyGroup(t.Context(), []string{"a@example.test", "b@example.test"}, o, func(i int, r rcpt.Result, _ error) { results[i] = r })
			synctest.Wait()
			return results
		}
		for _, tt := range []struct {
			options engine.GroupOptions
			reason  rcpt.Reason
			cached  bool
		}{
			{engine.GroupOptions{Level: engine.LevelDNS}, rcpt.ReasonLevelReached, false},
			{engine.GroupOptions{}, rcpt.ReasonCatchAll, false},
			{engine.GroupOptions{}, rcpt.ReasonCatchAll, true},
			{engine.GroupOptions{Fresh: true}, rcpt.ReasonCatchAll, false},
			{engine.GroupOptions{Fresh: true, Level: engine.LevelSyntax}, rcpt.ReasonLevelReached, false},
		} {
			for i, r := range ask(tt.options) {
				if r.Reason != tt.reason || r.Details.Cached != tt.cached {
					t.Errorf("%+v, address %d: %s, cached %v", tt.options, i, r.Reason, r.Details.Cached)
				}
			}
		}
	})
}

// TestWaiting checks how many addresses of a list are said to wait: for a mail
// host, all but the one that it is asked about, and none while the domain is
// looked up. The list is told when more wait than before, and when the mail
// hosts are found.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zone := dnstest.New(oneHostZone + "elsewhere.test. MX 10 mx.example.test.\n")
		zone.Break(dnstest.Fault{Delay: time.Second})
		host := &smtptest.Host{CatchAll: true, GreetingDelay: time.Second, RCPTDelay: time.Second}
		v, _, _ := inMemory(t, engine.Config{MaxRemembered: 10, Exchanger: zone, MaxSessionsPerHost: 1}, host)
		if _, err := v.Verify(t.Context(), "known@elsewhere.test"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		more := make(chan struct{}, 1)
		caller := engine.Caller{More: more}
		began, told := time.Now(), 0
		var found []time.Duration
		var ended sync.WaitGroup
		ended.Go(func() {
			addresses := []string{"known@elsewhere.test", "@", "a@example.test", "b@example.test", "c@example.test"}
			o := engine.GroupOptions{Caller: &caller, Found: func() { found = append(found, time.Since(began)) }}
			v.VerifyGroup(t.Context(), addresses, o, func(i int, _ rcpt.Result, err error) {
				if told++; err != nil {
					t.Errorf("%s: %v", addresses[i], err)
				}
			})
		})
		var waiting []int
		for range 100 {
			synctest.Wait()
			if n := caller.Waiting(); len(waiting) == 0 || waiting[len(waiting)-1] != n {
				waiting = append(waiting, n)
			}
			time.Sleep(100 * time.Millisecond)
		}
		ended.Wait()
		if want := []int{0, 2, 0}; !slices.Equal(waiting, want) || told != 5 || len(more) != 1 {
			t.Errorf("%v waited, want %v; told of %d, and of more %d times", waiting, want, told, len(more))
		}
		if want := []time.Duration{time.Second}; !slices.Equal(found, want) {
			t.Errorf("the mail hosts were found after %v, want %v", found, want)
		}
	})
}

// TestListsTakeTurns checks that addresses of a list come behind others, and
// that two lists take turns.
func TestListsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, _, _ := inMemory(t, engine.Config{MaxSessionsPerHost: 1}, &smtptest.Host{CatchAll: true, RCPTDelay: time.Second})
		began := time.Now()
		var all sync.WaitGroup
		ask := func(prefix string, n int, o engine.GroupOptions, last *time.Duration) {
			addresses := make([]string, n)
			for i := range addresses {
				addresses[i] = fmt.Sprintf("%s%d@example.test", prefix, i)
			}
			all.Go(func() {
				v.VerifyGroup(t.Context(), addresses, o, func(i int, _ rcpt.Result, err error) {
					if err != nil {
						t.Errorf("%s: %v", addresses[i], err)
					}
				})
				*last = time.Since(began)
			})
			synctest.Wait()
		}
		var large, small, single time.Duration
		ask("large", 300, engine.GroupOptions{Caller: new(engine.Caller)}, &large)
		time.Sleep(time.Second)
		ask("small", 5, engine.GroupOptions{Caller: new(engine.Caller)}, &small)
		ask("single", 1, engine.GroupOptions{}, &single)
		all.Wait()
		if small > large/2 || single > large/2 {
			t.Errorf("the small list took %v and the single address %v, of %v", small, single, large)
		}
	})
}

// TestVerifyAll checks that every address of many domains has one outcome, and
// that no mail host is too busy for its own list.
func TestVerifyAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var zone strings.Builder
		var addresses []string
		for i := range 150 {
			fmt.Fprintf(&zone, "d%d.test. MX 10 mx.d%d.test.\nmx.d%d.test. A 192.0.2.%d\n", i, i, i, i%2+1)
			addresses = append(addresses, fmt.Sprintf("a@d%d.test", i), fmt.Sprintf("b@d%d.test", i))
		}
		for i := range 600 {
			addresses = append(addresses, fmt.Sprintf("user%d@d1.test", i))
		}
		addresses = append(addresses, "not an address", "a@nowhere.test", "a@d0.test")
		v := verifierIn(t, engine.Config{MaxWaitingPerHost: 10}, zone.String(), &smtptest.Host{CatchAll: true, ReplyDelay: time.Second})
		times := make([]int, len(addresses))
		for i, o := range v.VerifyAll(t.Context(), addresses, engine.VerifyOptions{}) {
			times[i]++
			if o.Err != nil || o.Result.Email != addresses[i] {
				t.Errorf("%s: %+v, %v", addresses[i], o.Result, o.Err)
			}
		}
		for i, n := range times {
			if n != 1 {
				t.Errorf("%s: %d outcomes", addresses[i], n)
			}
		}
		for range v.VerifyAll(t.Context(), nil, engine.VerifyOptions{}) {
			t.Error("an outcome of no address")
		}
	})
}

// TestVerifyAllIsAList checks that single checks come before its addresses.
func TestVerifyAllIsAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, _, _ := inMemory(t, engine.Config{MaxSessionsPerHost: 1}, &smtptest.Host{CatchAll: true, RCPTDelay: time.Second})
		addresses := make([]string, 300)
		for i := range addresses {
			addresses[i] = fmt.Sprintf("user%d@example.test", i)
		}
		var list sync.WaitGroup
		list.Go(func() {
			for range v.VerifyAll(t.Context(), addresses, engine.VerifyOptions{}) {
			}
		})
		time.Sleep(time.Second)
		began := time.Now()
		if r, err := v.Verify(t.Context(), "single@example.test"); err != nil || r.Verdict != rcpt.VerdictAcceptAll {
			t.Errorf("%s, %v", r.Reason, err)
		}
		single := time.Since(began)
		if list.Wait(); single > time.Since(began)/5 {
			t.Errorf("the single check took %v, and the list %v", single, time.Since(began))
		}
	})
}

// TestLeavingVerifyAll checks that leaving the loop cancels what is left.
func TestLeavingVerifyAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, _, _ := inMemory(t, engine.Config{}, &smtptest.Host{RCPTFunc: func(_ *smtptest.Visit, rcpt string) string {
			if strings.HasPrefix(rcpt, "slow") {
				time.Sleep(20 * time.Second)
			}
			return string(smtptest.Accepts)
		}})
		began, seen := time.Now(), 0
		for _, o := range v.VerifyAll(t.Context(), []string{"nonsense", "slow1@example.test", "slow2@example.test"}, engine.VerifyOptions{}) {
			seen++
			if o.Result.Reason != rcpt.ReasonInvalidSyntax {
				t.Errorf("%+v", o)
			}
			break
		}
		if took := time.Since(began); seen != 1 || took > time.Second {
			t.Errorf("%d outcomes, %v", seen, took)
		}
	})
}

// TestMostThatWait checks that an address fails with ErrBusy where its provider
// is asked as much as it may be, and takes as much as it leaves of what may
// wait of the list.
func TestMostThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zone := dnstest.New("one.test. MX 10 mx1.hoster.test.\nmx1.hoster.test. A 192.0.2.1\n" +
			"two.test. MX 10 mx2.hoster.test.\nmx2.hoster.test. A 192.0.2.2\n")
		host := &smtptest.Host{CatchAll: true, RCPTDelay: time.Second}
		config := engine.Config{Exchanger: zone, Pace: pace.Settings{Unknown: pace.Limits{Sessions: 1}}}
		v, network, _ := inMemory(t, config, host)
		network.Add("192.0.2.2", host)
		var all sync.WaitGroup
		list := engine.GroupOptions{Caller: &engine.Caller{Most: 2}}
		for _, address := range []string{"first@one.test", "waits@two.test"} {
			all.Go(func() {
				if r, err := verifyOne(t.Context(), v, address, list); err != nil || r.Verdict != rcpt.VerdictAcceptAll {
					t.Errorf("%s: %s, %v", address, r.Reason, err)
				}
			})
			synctest.Wait()
		}
		_, err := verifyOne(t.Context(), v, "held@two.test", list)
		var held *smtpprobe.HeldBackError
		if !errors.Is(err, engine.ErrBusy) || !errors.As(err, &held) {
			t.Errorf("where one waits of two that may: %v", err)
		}
		all.Wait()
	})
}

// verifyOne is VerifyGroup for one address.
func verifyOne(ctx context.Context, v *engine.Verifier, address string, o engine.GroupOptions) (result rcpt.Result, err error) {
	v.VerifyGroup(ctx, []string{address}, o, func(_ int, r rcpt.Result, e error) { result, err = r, e })
	return result, err
}

// TestTimeoutOfVerifyAll checks that a time limit ends in a result of each
// address, and that the end of the context does not.
func TestTimeoutOfVerifyAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, _, _ := inMemory(t, engine.Config{}, &smtptest.Host{GreetingDelay: 8 * time.Second, CatchAll: true})
		addresses := []string{"a@example.test", "b@example.test", "@"}
		for _, tt := range []struct {
			limit, gone time.Duration
			reason      rcpt.Reason
		}{
			{3 * time.Second, time.Minute, rcpt.ReasonConnectionTimeout},
			{time.Minute, 3 * time.Second, rcpt.ReasonUnfinished},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), tt.gone)
			began := time.Now()
			for i, o := range v.VerifyAll(ctx, addresses, engine.VerifyOptions{Timeout: tt.limit}) {
				want := tt.reason
				if addresses[i] == "@" {
					want = rcpt.ReasonInvalidSyntax
				}
				if o.Result.Reason != want || (o.Err != nil) != (want == rcpt.ReasonUnfinished) {
					t.Errorf("limit %v, gone after %v: %s: %s, %v", tt.limit, tt.gone, addresses[i], o.Result.Reason, o.Err)
				}
			}
			if took := time.Since(began); took > 4*time.Second {
				t.Errorf("limit %v, gone after %v: %v", tt.limit, tt.gone, took)
			}
			cancel()
		}
	})
}
