package verdictcache

import (
	"context"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

var fresh = engine.VerifyOptions{Fresh: true}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is an engine that says what it is told to.
type fake struct {
	mu     sync.Mutex
	asked  []string            // alone
	groups [][]string          // together
	told   engine.GroupOptions // of the last group
	says   func(ctx context.Context, address string) (rcpt.Result, error)
}

func (f *fake) VerifyWith(ctx context.Context, address string, o engine.VerifyOptions) (rcpt.Result, error) {
	f.mu.Lock()
	f.asked = append(f.asked, address)
	says := f.says
	f.mu.Unlock()
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	return says(ctx, address)
}

func (f *fake) VerifyGroup(
	ctx context.Context, addresses []string, o engine.GroupOptions, done func(i int, result rcpt.Result, err error),
) {
	f.mu.Lock()
	f.groups, f.told = append(f.groups, addresses), o
	says := f.says
	f.mu.Unlock()
	for i, address := range addresses {
		result, err := says(ctx, address)
		done(i, result, err)
	}
}

func (f *fake) times() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked)
}

func (f *fake) willSay(says func(ctx context.Context, address string) (rcpt.Result, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.says = says
}

// always says the same of every address.
func always(reason rcpt.Reason, change func(*rcpt.Result)) func(context.Context, string) (rcpt.Result, error) {
	return func(_ context.Context, address string) (rcpt.Result, error) {
		r := resultOf(address, reason)
		if change != nil {
			change(&r)
		}
		return r, nil
	}
}

// hint makes it worthwhile to ask again after a while; zero: it is not.
func hint(r *rcpt.Result, after time.Duration) {
	r.RetryAt = time.Time{}
	if after > 0 {
		r.RetryAt = r.CheckedAt.Add(after)
	}
}

// checked moves a result to another time.
func checked(r *rcpt.Result, at time.Time) {
	after := r.RetryAfter()
	r.CheckedAt = at
	hint(r, after)
}

// verdictOf are the reasons of tests that are no unknown.
var verdictOf = map[rcpt.Reason]rcpt.Verdict{
	rcpt.ReasonRecipientAccepted: rcpt.VerdictDeliverable, rcpt.ReasonCatchAll: rcpt.VerdictAcceptAll,
	rcpt.ReasonMailboxNotFound: rcpt.VerdictUndeliverable, rcpt.ReasonDomainNotFound: rcpt.VerdictUndeliverable, rcpt.ReasonInvalidSyntax: rcpt.VerdictUndeliverable,
}

func resultOf(given string, reason rcpt.Reason) rcpt.Result {
	parts, _ := address.Parse(given)
	r := rcpt.Result{
		Email: given, Local: parts.Local(), Domain: parts.Domain(), Verdict: rcpt.VerdictUnknown, Reason: reason, Message: "Because.",
		CheckedAt: time.Now().UTC(), Details: &rcpt.Details{CatchAll: rcpt.CatchAllNo, SMTP: &rcpt.SMTPAnswer{
			Host: "mx.acme.example", IP: "192.0.2.1", Phase: smtp.PhaseRCPT, Code: 250, Text: "OK",
		}},
	}
	if verdict, ok := verdictOf[reason]; ok {
		r.Verdict = verdict
	}
	if reason == rcpt.ReasonGreylisted {
		r.RetryAt = r.CheckedAt.Add(5 * time.Minute)
		r.Details.SMTP.Code = 451
	}
	return r
}

// newCache makes a Cache that is closed with the test.
func newCache(t testing.TB, config Config) *Cache {
	t.Helper()
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// openStore opens a store in a folder of the test's.
func openStore(t testing.TB, dir string, now func() time.Time) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{DataDir: dir, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func verify(t testing.TB, c *Cache, given string) rcpt.Result {
	t.Helper()
	r, err := c.Verify(t.Context(), given)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// clock is a time that tests move.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}
