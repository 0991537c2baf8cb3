package bulk_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
)

// list is a source. After its items comes err, or io.EOF.
type list struct {
	items []bulk.Item
	err   error
	block bool      // instead of the end, until ctx is cancelled
	let   time.Time // when it was let go
	mu    sync.Mutex
	read  int
}

func listOf(emails ...string) *list {
	l := &list{}
	for i, email := range emails {
		l.items = append(l.items, bulk.Item{Email: email, Row: fmt.Appendf(nil, "row %d", i+1)})
	}
	return l
}

// numbered is a list of count addresses of one domain.
func numbered(count int, domain string) []string {
	emails := make([]string, count)
	for i := range emails {
		emails[i] = fmt.Sprintf("user%d@%s", i+1, domain)
	}
	return emails
}

func (l *list) Next(ctx context.Context) (bulk.Item, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.read < len(l.items) {
		l.read++
		return l.items[l.read-1], nil
	}
	if l.block {
		<-ctx.Done()
		l.let = time.Now()
		return bulk.Item{}, ctx.Err()
	}
	if l.err != nil {
		return bulk.Item{}, l.err
	}
	return bulk.Item{}, io.EOF
}

func (l *list) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.read
}

// file is a sink. Its call number failAt fails, if that is not zero.
type file struct {
	lines   []string // row: email user result
	results []rcpt.Result
	failAt  int
	called  int
}

func (f *file) Write(_ context.Context, item bulk.Item, r rcpt.Result) error {
	f.called++
	if f.called == f.failAt {
		return io.ErrShortWrite
	}
	f.lines = append(f.lines, fmt.Sprintf("%s: %s %s", item.Row, r.Email, r.Verdict))
	f.results = append(f.results, r)
	return nil
}

func (*file) Flush(context.Context) error { return nil }

// answers is a verifier. Every verification takes a second, unless takes says
// otherwise.
type answers struct {
	// reply says what the answer to the nth asking for an address is, from 1.
	reply func(address string, n int) (rcpt.Result, error)
	takes time.Duration

	mu      sync.Mutex
	started time.Time
	asked   map[string][]time.Duration // when, since the first
	now     int                        // under way
	most    int
}

func (a *answers) Verify(ctx context.Context, address string) (rcpt.Result, error) {
	n := a.enter(address)
	defer a.leave()
	select {
	case <-time.After(max(a.takes, time.Second)):
	case <-ctx.Done():
		return failed(address), ctx.Err()
	}
	if a.reply == nil {
		return deliverable(address), nil
	}
	return a.reply(address, n)
}

func (a *answers) enter(address string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asked == nil {
		a.started, a.asked = time.Now(), make(map[string][]time.Duration)
	}
	a.asked[address] = append(a.asked[address], time.Since(a.started))
	a.now++
	a.most = max(a.most, a.now)
	return len(a.asked[address])
}

func (a *answers) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now--
}

func result(address string, verdict rcpt.Verdict, reason rcpt.Reason) rcpt.Result {
	user, domain, _ := strings.Cut(address, "@")
	return rcpt.Result{
		Email: address, Local: user, Domain: strings.ToLower(domain), Verdict: verdict, Reason: reason, Message: reason.Message(),
		Details: &rcpt.Details{CatchAll: rcpt.CatchAllUnknown},
	}
}

func deliverable(address string) rcpt.Result {
	return result(address, rcpt.VerdictDeliverable, rcpt.ReasonRecipientAccepted)
}

func failed(address string) rcpt.Result {
	return result(address, rcpt.VerdictUnknown, rcpt.ReasonInternalError)
}

func greylisted(address string, after time.Duration) rcpt.Result {
	return unknownFor(address, rcpt.ReasonGreylisted, after)
}

// unknownFor is a temporary answer.
func unknownFor(address string, reason rcpt.Reason, after time.Duration) rcpt.Result {
	r := result(address, rcpt.VerdictUnknown, reason)
	r.RetryAt = r.CheckedAt.Add(after)
	return r
}

// lines is what a file has when every address has that verdict.
func lines(emails []string, verdict rcpt.Verdict) []string {
	var want []string
	for i, email := range emails {
		want = append(want, fmt.Sprintf("row %d: %s %s", i+1, email, verdict))
	}
	return want
}
