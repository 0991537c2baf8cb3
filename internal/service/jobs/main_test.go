//go:build unix

package jobs

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hosts answers for mail hosts, and counts how often it was asked about each
// address.
type hosts struct {
	answer func(ctx context.Context, email string, times int) rcpt.Result // nil: fine

	mu    sync.Mutex
	asked map[string]int
}

func fine(email string) rcpt.Result {
	return rcpt.Result{
		Email: email, Verdict: rcpt.VerdictDeliverable, Reason: rcpt.ReasonRecipientAccepted, Message: "Fine.",
		Domain: email[strings.LastIndexByte(email, '@')+1:], Details: &rcpt.Details{CatchAll: rcpt.CatchAllNo},
	}
}

func (h *hosts) Verify(ctx context.Context, email string) (rcpt.Result, error) {
	h.mu.Lock()
	if h.asked == nil {
		h.asked = make(map[string]int)
	}
	h.asked[email]++
	times := h.asked[email]
	h.mu.Unlock()
	if h.answer == nil {
		return fine(email), nil
	}
	result := h.answer(ctx, email, times)
	return result, ctx.Err()
}

func (h *hosts) VerifyGroup(
	ctx context.Context, addresses []string, _ engine.GroupOptions, done func(i int, result rcpt.Result, err error),
) {
	var all sync.WaitGroup
	for i, email := range addresses {
		all.Go(func() {
			result, err := h.Verify(ctx, email)
			done(i, result, err)
		})
	}
	all.Wait()
}

func (h *hosts) times(email string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked[email]
}

// node is a manager with its store.
type node struct {
	*Manager
	t     testing.TB
	store *store.Store
	stop  func() // as at SIGTERM
}

func openStore(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	check(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// newNode starts a manager on a store.
func newNode(t testing.TB, s *store.Store, config Config) *node {
	t.Helper()
	if config.Store == nil {
		config.Store = s
	}
	config.TempDir, config.Log = t.TempDir(), nil
	m, err := New(config)
	check(t, err)
	check(t, m.Join(t.Context()))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m.Run(ctx)
	}()
	n := &node{Manager: m, t: t, store: s, stop: sync.OnceFunc(func() { cancel(); <-ended })}
	t.Cleanup(n.stop)
	return n
}

// alone starts a manager on a store of its own.
func alone(t testing.TB, h *hosts) *node {
	return newNode(t, openStore(t, store.Options{DataDir: t.TempDir()}), Config{Verifier: h})
}

func (n *node) receive(list string) *Spool {
	n.t.Helper()
	s, err := n.Receive(n.t.Context(), strings.NewReader(list))
	check(n.t, err)
	n.t.Cleanup(s.Close)
	return s
}

func (n *node) create(list string, o Request) rows.Job {
	n.t.Helper()
	o.By = rows.ByCommand("test")
	j, err := n.Create(n.t.Context(), n.receive(list), o)
	check(n.t, err)
	return j
}

func (n *node) job(id string) rows.Job {
	n.t.Helper()
	j, err := n.Job(n.t.Context(), id, nil)
	check(n.t, err)
	return j
}

// until waits until a job is as it should be.
func (n *node) until(what, id string, is func(rows.Job) bool) (j rows.Job) {
	n.t.Helper()
	testkit.Eventually(n.t, what, func() bool { j = n.job(id); return is(j) })
	return j
}

func (n *node) untilDone(id string) rows.Job {
	n.t.Helper()
	return n.until("the job is done", id, func(j rows.Job) bool { return j.State == rows.JobDone })
}

func (n *node) output(id string, o Output) string {
	n.t.Helper()
	if o.Format == "" {
		o.Format = list.CSV
	}
	var out bytes.Buffer
	check(n.t, n.Write(n.t.Context(), &out, n.job(id), o))
	return out.String()
}

// column returns the cells of a column of CSV without quotes, header included.
func column(text string, number int) (cells []string) {
	for line := range strings.Lines(text) {
		cells = append(cells, strings.Split(strings.TrimRight(line, "\r\n"), ",")[number])
	}
	return cells
}

// greylisted is a temporary answer.
func greylisted(email string) rcpt.Result {
	r := fine(email)
	r.Verdict, r.Reason = rcpt.VerdictUnknown, rcpt.ReasonGreylisted
	r.Reason = rcpt.ReasonGreylisted
	r.RetryAt = r.CheckedAt.Add(time.Minute)
	r.Details = &rcpt.Details{}
	return r
}
