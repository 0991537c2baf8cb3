package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// traceKey is the key of a value that a program puts into its contexts.
type traceKey struct{}

// traced notes the value of the contexts that hooks and log lines get.
type traced struct {
	mu       sync.Mutex
	steps    map[string][]string // the values, by step
	evidence []engine.Evidence
	errs     []error
	slog.Handler
}

func (l *traced) note(ctx context.Context, step string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	value, _ := ctx.Value(traceKey{}).(string)
	if l.steps == nil {
		l.steps = make(map[string][]string)
	}
	l.steps[step] = append(l.steps[step], value)
}

func (l *traced) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "verified" {
		l.note(ctx, "logged")
	}
	return nil
}

func (l *traced) hooks() engine.Hooks {
	return engine.Hooks{
		Resolved: func(ctx context.Context, _ dnsresolve.Findings, _ time.Duration) { l.note(ctx, "resolved") },
		Probed:   func(ctx context.Context, _ smtpprobe.Findings, _ time.Duration) { l.note(ctx, "probed") },
		Gathered: func(ctx context.Context, e engine.Evidence) {
			l.note(ctx, "gathered")
			l.mu.Lock()
			defer l.mu.Unlock()
			l.evidence = append(l.evidence, e)
		},
		Verified: func(ctx context.Context, _ rcpt.Result, err error) {
			l.note(ctx, "verified")
			l.mu.Lock()
			defer l.mu.Unlock()
			l.errs = append(l.errs, err)
		},
	}
}

// TestHooksHaveTheContext checks that a program can tell to which of its
// requests a step belongs, by whichever method it verifies.
func TestHooksHaveTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &traced{Handler: slog.DiscardHandler}
		log := slog.New(infoHandler{l})
		v, _, _ := inMemory(t, engine.Config{MaxRemembered: 10, Hooks: l.hooks(), Logger: log}, &smtptest.Host{CatchAll: true})
		as := func(name string) context.Context { return context.WithValue(t.Context(), traceKey{}, name) }
		_, _ = v.Verify(as("alone"), "a@example.test")
		synctest.Wait()
		_, _ = v.Verify(as("recalled"), "a@example.test")
		v.VerifyGroup(as("together"), []string{"b@example.test"}, engine.GroupOptions{}, func(int, rcpt.Result, error) {})
		_, _ = v.Gather(as("gather"), "c@example.test")
		want := map[string][]string{
			"resolved": {"alone", "together", "gather"}, "probed": {"alone", "together", "gather"}, "gathered": {"alone", "together", "gather"},
			"verified": {"alone", "recalled", "together"}, "logged": {"alone", "recalled", "together"},
		}
		if diff := cmp.Diff(want, l.steps); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for _, e := range l.evidence {
			if e.Schema != engine.EvidenceSchema || e.SMTP == nil || len(e.SMTP.Sessions) != 1 {
				t.Errorf("evidence %+v", e)
			}
		}
	})
}

// infoHandler is for every level.
type infoHandler struct{ *traced }

func (infoHandler) Enabled(context.Context, slog.Level) bool { return true }

// TestVerifiedHasTheError checks that the hook gets the error of a verification
// that was not carried out, with the evidence so far.
func TestVerifiedHasTheError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &traced{Handler: slog.DiscardHandler}
		v, _, _ := inMemory(t, engine.Config{Hooks: l.hooks()}, &smtptest.Host{RCPT: smtptest.Hangs})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, _ = v.Verify(ctx, "a@example.test")
		if len(l.errs) != 1 || !errors.Is(l.errs[0], context.Canceled) || len(l.evidence) != 1 || l.evidence[0].Fault == "" {
			t.Errorf("errors %v, evidence %+v", l.errs, l.evidence)
		}
	})
}

// TestPolicy checks that evidence is judged again as it was, and that the
// Verifier does not depend on what its caller does with the policy.
func TestPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &traced{Handler: slog.DiscardHandler}
		v, _, _ := inMemory(t, engine.Config{Hooks: l.hooks()}, &smtptest.Host{})
		want, err := v.Verify(t.Context(), "a@example.test")
		if err != nil || want.Verdict != rcpt.VerdictUndeliverable {
			t.Fatalf("%+v, %v", want, err)
		}
		text, err := json.Marshal(l.evidence[0])
		if err != nil {
			t.Fatal(err)
		}
		var again engine.Evidence
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		policy := v.Policy()
		if diff := cmp.Diff(want, engine.Decide(again, policy)); diff != "" {
			t.Errorf("judged again (-then +now):\n%s", diff)
		}
		policy.AllowNets[0] = netip.Prefix{}
		if diff := cmp.Diff(want, engine.Decide(again, v.Policy())); diff != "" {
			t.Errorf("after the caller changed its policy:\n%s", diff)
		}
	})
}
