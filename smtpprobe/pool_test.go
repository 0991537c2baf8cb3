package smtpprobe_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// bubble is a pool and a network of mail hosts, where time costs nothing.
type bubble struct {
	*testing.T
	network *smtptest.Network
	pool    *smtpprobe.Pool
	gauges  *gauges
}

// told is what a probe brought.
type told struct {
	found smtpprobe.Findings
	err   error
	took  time.Duration
}

// last is the session that tells.
func (r told) last() smtpprobe.Session {
	if len(r.found.Sessions) == 0 {
		return smtpprobe.Session{}
	}
	return r.found.Sessions[len(r.found.Sessions)-1]
}

// inBubble runs f with a pool and mail hosts at the given addresses, closes the
// pool, and sees that nothing is left of it, that nobody heard DATA and that no
// session ended without QUIT that could have had one. It returns the sessions.
func inBubble(t *testing.T, c smtpprobe.Config, hosts map[string]smtptest.Handler, f func(b *bubble)) (sessions []smtptest.Session) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		for addr, host := range hosts {
			if host == nil {
				network.Blackhole(addr)
				continue
			}
			network.Add(addr, host)
		}
		b := &bubble{T: t, network: network, gauges: newGauges(network)}
		b.pool = newProber(t, c, b.gauges)
		f(b)
		if err := b.pool.Close(); err != nil {
			t.Error(err)
		}
		b.gauges.check(t)
		network.Close()
		sessions = network.Sessions()
		for _, s := range sessions {
			if s.DATA {
				t.Error("DATA was sent")
			}
		}
	})
	return sessions
}

// one is a single host at 192.0.2.1.
func one(h smtptest.Handler) map[string]smtptest.Handler {
	return map[string]smtptest.Handler{"192.0.2.1": h}
}

// about is the request about a mailbox to hosts at these addresses.
func about(mailbox string, addrs ...string) smtpprobe.Request {
	if len(addrs) == 0 {
		addrs = []string{"192.0.2.1"}
	}
	domain := mailbox[strings.LastIndexByte(mailbox, '@')+1:]
	return smtpprobe.Request{Hosts: mx(addrs...), Target: mailbox, Control: randomMailbox(domain), Budget: 30 * time.Second}
}

// ask makes one request.
func (b *bubble) ask(ctx context.Context, req smtpprobe.Request) told {
	start := time.Now()
	found, err := b.pool.Probe(ctx, req)
	return told{found, err, time.Since(start)}
}

// askAll makes all requests at once, seven by themselves and seven together, by
// turns.
func (b *bubble) askAll(requests []smtpprobe.Request) []told {
	answers := make([]told, len(requests))
	var together []smtpprobe.Request
	var places []int
	var wg sync.WaitGroup
	for i, req := range requests {
		if i/7%2 == 1 {
			together, places = append(together, req), append(places, i)
			continue
		}
		wg.Go(func() { answers[i] = b.ask(b.Context(), req) })
	}
	for i, r := range b.askTogether(b.Context(), together) {
		answers[places[i]] = r
	}
	wg.Wait()
	return answers
}

// askTogether asks all requests together, and sees that each is answered once.
func (b *bubble) askTogether(ctx context.Context, requests []smtpprobe.Request) []told {
	start := time.Now()
	answers, times := make([]told, len(requests)), make([]atomic.Int32, len(requests))
	b.pool.ProbeAll(ctx, requests, func(i int, found smtpprobe.Findings, err error) {
		answers[i] = told{found, err, time.Since(start)}
		times[i].Add(1)
	})
	for i := range times {
		if n := times[i].Load(); n != 1 {
			b.Errorf("%s: told %d times", requests[i].Target, n)
		}
	}
	return answers
}

// aboutAll are requests about mailboxes.
func aboutAll(mailboxes []string, addrs ...string) []smtpprobe.Request {
	requests := make([]smtpprobe.Request, len(mailboxes))
	for i, m := range mailboxes {
		requests[i] = about(m, addrs...)
	}
	return requests
}

// crowd asks one host about many mailboxes at once and returns what was found
// about each, and the sessions that it took.
func crowd(t *testing.T, c smtpprobe.Config, host smtptest.Handler, mailboxes []string) (found map[string]smtpprobe.Findings, sessions []smtptest.Session) {
	t.Helper()
	found = make(map[string]smtpprobe.Findings)
	if c.MaxWaitingPerHost == 0 {
		c.MaxWaitingPerHost = len(mailboxes)
	}
	sessions = inBubble(t, c, one(host), func(b *bubble) {
		for i, r := range b.askAll(aboutAll(mailboxes)) {
			if r.err != nil {
				b.Errorf("%s: %v", mailboxes[i], r.err)
			}
			found[mailboxes[i]] = r.found
		}
	})
	return found, sessions
}

// gauges is a dialer that knows how many connections are open to each address,
// and the most that were.
type gauges struct {
	smtpprobe.Dialer
	mu         sync.Mutex
	open, most map[string]int
	all, peak  int
}

func newGauges(d smtpprobe.Dialer) *gauges {
	return &gauges{Dialer: d, open: map[string]int{}, most: map[string]int{}}
}

func (g *gauges) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	g.add(address, 1) // a host counts attempts, too
	c, err := g.Dialer.DialContext(ctx, network, address)
	if err != nil {
		g.add(address, -1)
		return nil, err
	}
	return gaugedConn{c, sync.OnceFunc(func() { g.add(address, -1) })}, nil
}

func (g *gauges) add(address string, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open[address] += n
	g.most[address] = max(g.most[address], g.open[address])
	g.all += n
	g.peak = max(g.peak, g.all)
}

// now is how many connections are open in all.
func (g *gauges) now() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.all
}

// peaks is how many connections were open at most, to one address and in all.
func (g *gauges) peaks() (perAddress, all int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, n := range g.most {
		perAddress = max(perAddress, n)
	}
	return perAddress, g.peak
}

func (g *gauges) check(t *testing.T) {
	t.Helper()
	if n := g.now(); n != 0 {
		t.Errorf("%d connections left open", n)
	}
}

// mailboxes makes n addresses in the domains by turns: "good" ones and "bad"
// ones.
func mailboxes(n int, bad func(i int) bool, domains ...string) []string {
	var list []string
	for i := range n {
		kind := "good"
		if bad(i) {
			kind = "bad"
		}
		list = append(list, fmt.Sprintf("%s%d@%s", kind, i, domains[i%len(domains)]))
	}
	return list
}

// checks is a host that has the mailboxes whose names begin with "good".
func checks() *smtptest.Host {
	return &smtptest.Host{RCPTFunc: func(rcpt string, _ int) string {
		if strings.HasPrefix(rcpt, "good") {
			return "250 2.1.5 Ok"
		}
		return "550 5.1.1 <%s>: no such user"
	}}
}

func count(sessions []smtptest.Session, verb string) int {
	n := 0
	for _, s := range sessions {
		n += len(withVerb(s, verb))
	}
	return n
}

// withVerb returns the commands of a session that begin so.
func withVerb(s smtptest.Session, verb string) []string {
	var found []string
	for _, c := range s.Commands {
		if strings.HasPrefix(c, verb) {
			found = append(found, c)
		}
	}
	return found
}

// TestCrowdSharesSessions: most of a list shares sessions. The first ones end
// with their ninth refusal, as long as one finds out whether the host takes
// more: 11 to 24 sessions in 200 runs.
func TestCrowdSharesSessions(t *testing.T) {
	list := mailboxes(400, func(i int) bool { return i%4 == 0 }, "a.example", "b.example")
	host := checks()
	host.GreetingDelay, host.ReplyDelay = 50*time.Millisecond, 50*time.Millisecond
	found, sessions := crowd(t, smtpprobe.Config{MaxWaitingPerHost: 1000}, host, list)
	checkTruth(t, found)
	if got := count(sessions, "QUIT"); len(sessions) > 30 || got != len(sessions) {
		t.Errorf("%d sessions, %d times QUIT", len(sessions), got)
	}
	if got := count(sessions, "RCPT"); got > 480 { // with a control and a proof in each transaction
		t.Errorf("%d recipients named for 400 asks in two domains", got)
	}
}

// checkTruth sees that each mailbox has the answer that it would have alone.
func checkTruth(t *testing.T, found map[string]smtpprobe.Findings) {
	t.Helper()
	for mailbox, f := range found {
		last := told{found: f}.last()
		want := 250
		if strings.HasPrefix(mailbox, "bad") {
			want = 550
		}
		if last.Target == nil || last.Target.Code != want || (want == 250 && (last.Control == nil || last.Control.Code != 550)) {
			t.Errorf("%s: %s", mailbox, summary(last))
		}
	}
}
