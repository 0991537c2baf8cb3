package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/store"
)

// slow is a verifier whose mail hosts answer when they are told to. It
// remembers what it has learned.
type slow struct {
	entered chan string   // the address that is asked about
	answer  chan struct{} // closed: the hosts answer
	bug     bool

	mu     sync.Mutex
	known  map[string]bool
	ended  int // verifications that were cancelled
	forget bool
}

func newSlow() *slow {
	return &slow{entered: make(chan string, 200), answer: make(chan struct{}), known: map[string]bool{}}
}

func (s *slow) Verify(ctx context.Context, address string) (rcpt.Result, error) {
	s.entered <- address
	select {
	case <-s.answer:
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended++
		return rcpt.Result{Email: address, Verdict: rcpt.VerdictUnknown, Message: "Cancelled."}, ctx.Err()
	}
	if s.bug {
		panic("a bug about " + address)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[address] = !s.forget
	return accepts(ctx, address)
}

func (s *slow) VerifyWith(ctx context.Context, address string, o engine.VerifyOptions) (rcpt.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	return s.Verify(ctx, address)
}

func (s *slow) VerifyGroup(
	ctx context.Context, addresses []string, o engine.GroupOptions, done func(int, rcpt.Result, error),
) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	eachOf(ctx, addresses, s.Verify, done)
}

func (s *slow) Recall(ctx context.Context, address string) (rcpt.Result, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known[address] {
		return rcpt.Result{}, false
	}
	result, _ := accepts(ctx, address)
	result.Details.Cached = true
	return result, true
}

// left returns how many verifications were cancelled.
func (s *slow) left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// orphanage is a service whose mail hosts are slow, with a key.
type orphanage struct {
	keyed
	*slow
	t    *testing.T
	key  string
	log  *strings.Builder
	mu   sync.Mutex
	uses []api.Use
	used chan struct{} // one for each use
}

func newOrphanage(t *testing.T, key store.Key, config api.Config) *orphanage {
	o := &orphanage{slow: newSlow(), t: t, log: &strings.Builder{}, used: make(chan struct{}, 200)}
	config.Verifier = o.slow
	config.Record = func(u api.Use) {
		o.mu.Lock()
		o.uses = append(o.uses, u)
		o.mu.Unlock()
		o.used <- struct{}{}
	}
	o.keyed = newKeyed(t, config)
	o.key = o.newKey(key)
	return o
}

func (o *orphanage) newKey(key store.Key) string {
	o.t.Helper()
	key.Scopes = []store.Scope{store.ScopeVerify}
	text, _, err := o.keys.Create(o.t.Context(), store.ByCommand("test"), key)
	if err != nil {
		o.t.Fatal(err)
	}
	return text
}

// ask asks about an address and waits for the answer.
func (o *orphanage) ask(ctx context.Context, key, query, body string) *httptest.ResponseRecorder {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	request := httptest.NewRequestWithContext(ctx, method, "/api/v1/verify?apikey="+key+query, strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	return ask(o, request)
}

// hangUp asks, and gives up when so many mail hosts were asked.
func (o *orphanage) hangUp(key, query, body string, asked int) {
	o.t.Helper()
	ctx, cancel := context.WithCancel(o.t.Context())
	gone := make(chan *httptest.ResponseRecorder)
	go func() { gone <- o.ask(ctx, key, query, body) }()
	for range asked {
		<-o.entered
	}
	cancel()
	if r := <-gone; r.Code != http.StatusServiceUnavailable {
		o.t.Errorf("%s%s: status %d for a client that has gone", query, body, r.Code)
	}
}

// counted waits for so many verifications to be counted, and checks that there
// are no more.
func (o *orphanage) counted(n int) {
	o.t.Helper()
	for range n {
		<-o.used
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.uses) != n {
		o.t.Errorf("%d verifications are counted, want %d", len(o.uses), n)
	}
	o.uses = nil
}

const alice = "&email=alice@acme.example"

// TestClientGoes: a client that gives up three times has its answer at the
// fourth try, from one verification that is counted once.
func TestClientGoes(t *testing.T) {
	o := newOrphanage(t, store.Key{Concurrency: 1, MonthlyQuota: 2}, api.Config{})
	o.hangUp(o.key, alice, "", 1)
	for range 2 { // they wait for the first
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if r := o.ask(ctx, o.key, alice, ""); r.Code != http.StatusServiceUnavailable {
			t.Errorf("status %d for a client that has gone", r.Code)
		}
	}
	answered := make(chan *httptest.ResponseRecorder)
	go func() { answered <- o.ask(t.Context(), o.key, alice, "") }()
	close(o.answer)
	if r := <-answered; r.Code != http.StatusOK || !strings.HasPrefix(r.Body.String(), record) {
		t.Errorf("the fourth try: status %d, body %s", r.Code, r.Body)
	}
	o.counted(1)
	if len(o.entered) > 0 || o.left() > 0 {
		t.Errorf("asked %d times more, cancelled %d", len(o.entered), o.left())
	}
	for i, want := range []int{200, 402} { // one unit is left
		if r := o.ask(t.Context(), o.key, alice, ""); r.Code != want {
			t.Errorf("request %d afterwards: status %d, want %d", i+1, r.Code, want)
		}
	}
	o.counted(1)
}

// TestClientComesBack: what was learned in the meantime is answered at once,
// and not counted again the first time.
func TestClientComesBack(t *testing.T) {
	for name, post := range map[string]string{"GET": "", "POST": `{"email":"alice@acme.example"}`} {
		query := alice
		if post != "" {
			query = ""
		}
		o := newOrphanage(t, store.Key{MonthlyQuota: 100}, api.Config{})
		o.hangUp(o.key, query, post, 1)
		close(o.answer)
		o.counted(1)
		other := o.newKey(store.Key{})
		for i, want := range []struct {
			key   string
			count int
		}{{other, 1}, {o.key, 0}, {o.key, 1}} {
			if r := o.ask(t.Context(), want.key, query+"&details=1", post); r.Code != 200 || !strings.Contains(r.Body.String(), `"cached":true`) {
				t.Errorf("%s %d: status %d, body %s", name, i, r.Code, r.Body)
			}
			o.counted(want.count)
		}
	}
}

// TestManyAddressesGo: a request about several addresses goes on, too, and only
// what was asked about is counted.
func TestManyAddressesGo(t *testing.T) {
	o := newOrphanage(t, store.Key{MonthlyQuota: 8}, api.Config{})
	o.known["known@c.example"] = true
	const body = `{"emails":["a@a.example","b@b.example","known@c.example","a@a.example"]}`
	o.hangUp(o.key, "", body, 2)
	again := make(chan *httptest.ResponseRecorder)
	go func() { again <- o.ask(t.Context(), o.key, "", body) }()
	close(o.answer)
	if r := <-again; r.Code != 200 || strings.Count(r.Body.String(), `"deliverable"`) != 4 {
		t.Errorf("status %d, body %s", r.Code, r.Body)
	}
	o.counted(4) // two without the client, the known one, and the second a@a.example
	if len(o.entered) > 0 {
		t.Errorf("%d more were asked about", len(o.entered))
	}
	r := o.ask(t.Context(), o.key, "", `{"emails":["a@a.example","b@b.example","known@c.example","a@a.example"]}`)
	if r.Code != 200 {
		t.Errorf("four units of eight are left: status %d, body %s", r.Code, r.Body)
	}
	if r := o.ask(t.Context(), o.key, alice, ""); r.Code != 402 {
		t.Errorf("no unit is left: status %d", r.Code)
	}
}

// TestWaitForOrphanIsBounded: the wait for an orphan and the verification of
// other addresses take no longer together than one request may.
func TestWaitForOrphanIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const timeout = 20 * time.Second
		o := newOrphanage(t, store.Key{}, api.Config{Timeout: timeout})
		o.hangUp(o.key, "", `{"emails":["a@a.example"]}`, 1)
		time.Sleep(time.Second)
		began := time.Now()
		r := o.ask(t.Context(), o.key, "", `{"emails":["a@a.example","b@b.example"]}`)
		if took := time.Since(began); r.Code != 200 || took > timeout {
			t.Errorf("status %d after %v", r.Code, took)
		}
	})
}

// TestOrphansAreBounded: half of all can be those of one key. The next is
// cancelled, and costs nothing.
func TestOrphansAreBounded(t *testing.T) {
	o := newOrphanage(t, store.Key{MonthlyQuota: 3}, api.Config{Concurrency: 4})
	other, third := o.newKey(store.Key{}), o.newKey(store.Key{})
	for i, c := range []struct {
		key, user string
		left      int
	}{
		{o.key, "a", 0}, {o.key, "b", 0}, {o.key, "c", 1}, {other, "a", 1}, {third, "a", 1}, {third, "b", 2}, {o.key, "d", 3},
	} {
		o.hangUp(c.key, "&email="+c.user+"@acme.example", "", 1)
		if left := o.left(); left != c.left {
			t.Errorf("after %d have gone %d are cancelled, want %d", i+1, left, c.left)
		}
	}
	o.hangUp(o.key, "", `{"emails":["x@a.example"]}`, 1)
	if o.left() != 4 {
		t.Errorf("one of several: %d are cancelled", o.left())
	}
	close(o.answer)
	o.counted(4)
	for _, want := range []int{200, 402} { // of three units two are used
		if r := o.ask(t.Context(), o.key, "&email=e@acme.example", ""); r.Code != want {
			t.Errorf("status %d, want %d", r.Code, want)
		}
	}
	o.counted(1)
}

// TestOrphanWithoutResult: what could not be carried out is not counted, a bug
// is logged, and the next try asks anew.
func TestOrphanWithoutResult(t *testing.T) {
	var log lockedLog
	o := newOrphanage(t, store.Key{MonthlyQuota: 1}, api.Config{Logger: logTo(&log)})
	o.bug = true
	o.hangUp(o.key, alice, "", 1)
	close(o.answer)
	log.wait("stack=")
	o.bug = false
	if r := o.ask(t.Context(), o.key, alice, ""); r.Code != 200 {
		t.Errorf("the next try: status %d, body %s", r.Code, r.Body)
	}
	o.counted(1)
	for _, never := range []string{"alice", o.key} {
		if strings.Contains(log.text(), never) {
			t.Errorf("%q is in the log:\n%s", never, log.text())
		}
	}
}

// lockedLog is a log that several goroutines write.
type lockedLog struct {
	mu    sync.Mutex
	lines strings.Builder
	more  chan struct{}
}

func (l *lockedLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.more != nil {
		close(l.more)
		l.more = nil
	}
	return l.lines.Write(line)
}

func (l *lockedLog) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.String()
}

// wait waits until a text is there.
func (l *lockedLog) wait(text string) {
	for {
		l.mu.Lock()
		if strings.Contains(l.lines.String(), text) {
			l.mu.Unlock()
			return
		}
		more := make(chan struct{})
		l.more = more
		l.mu.Unlock()
		<-more
	}
}
