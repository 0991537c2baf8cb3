package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

// moody is a Verifier whose every answer takes a while of its own. It
// notes where more is asked of it than may be.
type moody struct {
	concurrency, perDomain int

	mu       sync.Mutex
	rand     *rand.Rand
	now      map[string]int // under way, by domain
	all      int            // under way
	problems []string
}

func (m *moody) Verify(ctx context.Context, address string) (result rcpt.Result, err error) {
	m.VerifyGroup(ctx, []string{address}, engine.GroupOptions{}, func(_ int, r rcpt.Result, e error) { result, err = r, e })
	return result, err
}

func (m *moody) VerifyGroup(
	ctx context.Context, addresses []string, _ engine.GroupOptions, done func(i int, result rcpt.Result, err error),
) {
	m.begin(addresses)
	var all sync.WaitGroup
	for i, address := range addresses {
		all.Go(func() {
			result, err := m.ask(ctx, address)
			m.end(address)
			done(i, result, err)
		})
	}
	all.Wait()
	time.Sleep(time.Duration(m.lot(50)) * time.Millisecond)
}

func (m *moody) begin(addresses []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	domain := domainOf(addresses[0])
	m.now[domain] += len(addresses)
	m.all += len(addresses)
	if m.now[domain] > m.perDomain || m.all > m.concurrency || len(addresses) > 50 {
		m.problems = append(m.problems, fmt.Sprintf("%d more of %q: %d at a time, %d in all", len(addresses), domain, m.now[domain], m.all))
	}
}

func (m *moody) end(address string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now[domainOf(address)]--
	m.all--
}

func (m *moody) lot(n int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rand.IntN(n)
}

func (m *moody) ask(ctx context.Context, address string) (rcpt.Result, error) {
	takes := time.Duration(1+m.lot(3000)) * time.Millisecond
	switch m.lot(30) {
	case 0:
		takes = time.Minute
	case 1, 2, 3, 4, 5, 6:
		takes = time.Millisecond
	}
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return failed(address), ctx.Err()
	}
	switch m.lot(12) {
	case 0:
		return greylisted(address, time.Minute), nil
	case 1:
		return failed(address), engine.ErrBusy
	}
	return deliverable(address), nil
}

// TestGroupsInRandomRuns checks that no limit is passed, and that each item is
// written once and in order, however a run ends.
func TestGroupsInRandomRuns(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { randomRun(t, rand.New(rand.NewPCG(seed, 5))) })
		})
	}
}

func randomRun(t *testing.T, r *rand.Rand) {
	var emails []string
	domains := 1 + r.IntN(6)
	for range r.IntN(600) {
		email := fmt.Sprintf("user%d@d%d.example", r.IntN(1000), r.IntN(domains))
		if r.IntN(20) == 0 {
			email = "nonsense"
		}
		emails = append(emails, email)
	}
	concurrency, perDomain, drain := 1+r.IntN(120), 1+r.IntN(200), make(chan struct{})
	v := &moody{concurrency: concurrency, perDomain: perDomain, rand: rand.New(rand.NewPCG(r.Uint64(), 1)), now: map[string]int{}}
	options := bulk.Options{
		Verifier: v, Concurrency: concurrency, Drain: drain, RetryWindow: time.Duration(r.IntN(2)) * time.Hour, SpillDir: t.TempDir(),
	}.Within(bulk.Limits{PerDomain: perDomain, Queued: 1 + r.IntN(200), Window: 1 + r.IntN(400)})
	source, out := listOf(emails...), &file{}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	end, all, gaps := time.Duration(r.IntN(1<<(4+r.IntN(12))))*time.Millisecond, true, false
	var may error
	switch r.IntN(5) {
	case 0:
		all, may = false, context.Canceled
		time.AfterFunc(end, cancel)
	case 1:
		all, gaps = false, true
		time.AfterFunc(end, func() { close(drain) })
	case 2:
		all, may = false, io.ErrShortWrite
		out.failAt = 1 + r.IntN(len(emails)+1)
	case 3:
		may = io.ErrUnexpectedEOF
		source.err = may
	}
	began := time.Now()
	_, err := bulk.Run(ctx, source, out, options)
	if err != nil && !errors.Is(err, may) || errors.Is(err, context.Canceled) && time.Since(began) > end+50*time.Millisecond {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	if all && len(out.lines) != len(emails) {
		t.Errorf("%d of %d items", len(out.lines), len(emails))
	}
	if gaps && (err != nil || time.Since(began) > end+bulk.DrainTime+50*time.Millisecond) {
		t.Errorf("drained after %v: %v", time.Since(began), err)
	}
	i := 0
	for _, line := range out.lines {
		for gaps && i < len(emails)-1 && !strings.HasPrefix(line, fmt.Sprintf("row %d: ", i+1)) {
			i++ // it was left
		}
		if !strings.HasPrefix(line, fmt.Sprintf("row %d: %s ", i+1, emails[i])) {
			t.Fatalf("item %d is %s", i+1, line)
		}
		i++
	}
	if len(v.problems) > 0 || v.all != 0 {
		t.Errorf("%d under way at the end; %q", v.all, v.problems)
	}
}
