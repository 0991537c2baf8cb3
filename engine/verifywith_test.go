package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestWithin checks that an impatient caller has an answer in time, that the
// verification goes on and is remembered, and that callers meanwhile share it.
func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, network, _ := inMemory(t, engine.Config{Remember: 10}, &smtptest.Host{GreetingDelay: 8 * time.Second, CatchAll: true})
		ask := func(ctx context.Context) (engine.Result, time.Duration, error) {
			began := time.Now()
			r, err := v.VerifyWith(ctx, "user@example.test", engine.VerifyOptions{Within: 3 * time.Second})
			return r, time.Since(began), err
		}
		for range 2 {
			r, took, err := ask(t.Context())
			if !errors.Is(err, engine.ErrNotYet) || took != 3*time.Second || r.Verdict != engine.VerdictUnknown || r.Success || r.Domain != "example.test" {
				t.Errorf("%+v, %v after %v", r, err, took)
			}
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if r, took, err := ask(gone); !errors.Is(err, engine.ErrNotYet) || !errors.Is(err, context.Canceled) || took != 0 || r.Success {
			t.Errorf("cancelled: %+v, %v after %v", r, err, took)
		}
		if r, took, err := ask(t.Context()); err != nil || r.Verdict != engine.VerdictAcceptAll || r.Details.Cached || took > 3*time.Second {
			t.Errorf("as it ends: %+v, %v after %v", r, err, took)
		}
		synctest.Wait()
		if r, took, err := ask(t.Context()); err != nil || r.Verdict != engine.VerdictAcceptAll || !r.Details.Cached || took != 0 {
			t.Errorf("later: %+v, %v after %v", r, err, took)
		}
		if n := len(network.Dials()); n != 1 {
			t.Errorf("%d connections", n)
		}
	})
}

// TestWithinEndsWithTheVerifier checks that nothing goes on after Close.
func TestWithinEndsWithTheVerifier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, _, _ := inMemory(t, engine.Config{}, &smtptest.Host{RCPT: smtptest.Hangs})
		if _, err := v.VerifyWith(t.Context(), "user@example.test", engine.VerifyOptions{Within: time.Second}); !errors.Is(err, engine.ErrNotYet) {
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
		v, network, zone := inMemory(t, engine.Config{Remember: 10}, &smtptest.Host{})
		for _, tt := range []struct {
			level          engine.Level
			reason         engine.Reason
			queries, dials bool
			cached         bool
		}{
			{engine.LevelSyntax, engine.ReasonSMTPSkipped, false, false, false},
			{engine.LevelDNS, engine.ReasonSMTPSkipped, true, false, false},
			{engine.LevelSMTP, engine.ReasonMailboxNotFound, true, true, false},
			{engine.LevelDNS, engine.ReasonMailboxNotFound, true, true, true},
			{"", engine.ReasonMailboxNotFound, true, true, true},
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
		if r, _ := shallow.VerifyWith(t.Context(), "user@example.test", engine.VerifyOptions{Level: engine.LevelSMTP}); r.Reason != engine.ReasonSMTPSkipped || len(other.Dials()) > 0 {
			t.Errorf("deeper than the configuration: %s", r.Reason)
		}
		for field, o := range map[string]engine.VerifyOptions{"Level": {Level: "deep"}, "Within": {Within: -1}} {
			if r, err := v.VerifyWith(t.Context(), "user@example.test", o); err == nil || !strings.Contains(err.Error(), "VerifyOptions."+field+": ") || r.Success {
				t.Errorf("%s: %v", field, err)
			}
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
		for i, o := range v.VerifyAll(t.Context(), addresses) {
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
		for range v.VerifyAll(t.Context(), nil) {
			t.Error("an outcome of no address")
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
		for _, o := range v.VerifyAll(t.Context(), []string{"nonsense", "slow1@example.test", "slow2@example.test"}) {
			seen++
			if o.Result.Reason != engine.ReasonInvalidSyntax {
				t.Errorf("%+v", o)
			}
			break
		}
		if took := time.Since(began); seen != 1 || took > time.Second {
			t.Errorf("%d outcomes, %v", seen, took)
		}
	})
}
