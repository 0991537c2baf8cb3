package smtpprobe_test

// The helpers of all tests of this package. Scripts of hosts are in
// parts_test.go.
//
// A test runs in a bubble of testing/synctest, where time costs nothing:
//
//	inBubble      runs a function with a pool and mail hosts in memory, and
//	              sees that nothing is left over; bubble asks the pool
//	probe         asks some hosts about one mailbox; what comes is an outcome
//	crowd         asks one host about many mailboxes at once
//
// Its hosts are a peer, which says what the test wants, or a smtptest.Script.
// Mailboxes whose names begin with "good" or "real" exist:
//
//	mailboxes, company   make lists of them
//	about, aboutAll      make requests about them
//
// The findings are in a told. Each check fails where findings say the opposite
// of the truth, and differs in what else it wants:
//
//	checkTruth       an answer about each mailbox, as the mailbox has it alone
//	checkAnswered    an answer about each mailbox, whatever it is
//	checkNoLie       nothing: no answer is no lie
//	checkVerdict     nothing, and replies are read as package engine does
//	checkFindings    findings that are bounded and survive JSON
//	checkTranscript  a transcript with the replies
//	checkPrivate     a transcript that names no mailbox of other callers

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// The host that says what a test wants, and its session.
type (
	peer  = smtptest.Host
	visit = smtptest.Visit
)

// What a peer does in place of an answer.
const (
	hangs  = smtptest.Hangs
	closes = smtptest.Closes
	resets = smtptest.Resets
	skips  = smtptest.Skips
)

// What probe asks about.
const (
	target  = "alice@example.com"
	control = "random@example.com"
)

// ownAddress, as the EHLO name of a configuration, stands for the default.
const ownAddress = "default"

// bubble is a pool and a network of mail hosts.
type bubble struct {
	*testing.T
	network *smtptest.Network
	pool    *smtpprobe.Pool
	gauges  *gauges
}

// inBubble runs f with a pool and mail hosts at the given addresses, of which
// nil swallows packets. It closes the pool, sees that no connection is left and
// that nobody heard DATA, and returns the sessions.
func inBubble(t *testing.T, c smtpprobe.Config, hosts map[string]smtptest.Handler, f func(b *bubble)) []smtptest.Session {
	t.Helper()
	return inBubbleBy(t, c, hosts, func(d smtpprobe.Dialer) smtpprobe.Dialer { return d }, f)
}

// inBubbleBy does so with a pool that dials as by makes it.
func inBubbleBy(t *testing.T, c smtpprobe.Config, hosts map[string]smtptest.Handler, by func(smtpprobe.Dialer) smtpprobe.Dialer,
	f func(b *bubble)) (sessions []smtptest.Session) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		b := &bubble{T: t, network: network, gauges: newGauges(network)}
		for addr, host := range hosts {
			b.add(addr, host)
		}
		b.pool = newProber(t, c, by(b.gauges))
		f(b)
		if err := b.pool.Close(); err != nil {
			t.Error(err)
		}
		if n := b.gauges.now(); n != 0 {
			t.Errorf("%d connections left open", n)
		}
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

// add adds a host.
func (b *bubble) add(addr string, host smtptest.Handler) {
	if host == nil {
		b.network.Blackhole(addr)
		return
	}
	b.network.Add(addr, honest(host))
}

// honest gives a peer without mailboxes those that exist, and no postmaster.
func honest(host smtptest.Handler) smtptest.Handler {
	if p, ok := host.(*peer); ok && p.Mailboxes == nil && !p.CatchAll {
		const exists = smtptest.Mailbox("250 2.1.5 Ok")
		p.Mailboxes = map[string]smtptest.Mailbox{"good*": exists, "real*": exists, "postmaster": smtptest.Missing}
		p.Unknown = cmp.Or(p.Unknown, "550 5.1.1 <%s>: no such user")
	}
	return host
}

func newProber(t *testing.T, c smtpprobe.Config, dialer smtpprobe.Dialer) *smtpprobe.Pool {
	t.Helper()
	if c.Dialer == nil {
		c.Dialer = dialer
	}
	switch c.HELO {
	case "":
		c.HELO = "probe.example"
	case ownAddress:
		c.HELO = ""
	}
	prober, err := smtpprobe.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return prober
}

// one is a single host at 192.0.2.1.
func one(h smtptest.Handler) map[string]smtptest.Handler {
	return map[string]smtptest.Handler{"192.0.2.1": h}
}

// mx is a host with these addresses.
func mx(addrs ...string) []smtpprobe.Host {
	return []smtpprobe.Host{{Name: "mx.example", Addrs: addrsOf(addrs...)}}
}

func addrsOf(ips ...string) []netip.Addr {
	var addrs []netip.Addr
	for _, ip := range ips {
		addrs = append(addrs, netip.MustParseAddr(ip))
	}
	return addrs
}

// about is the request about a mailbox to a host with these addresses, else
// 192.0.2.1.
func about(mailbox string, addrs ...string) smtpprobe.Request {
	if len(addrs) == 0 {
		addrs = []string{"192.0.2.1"}
	}
	domain := mailbox[strings.LastIndexByte(mailbox, '@')+1:]
	return smtpprobe.Request{Hosts: mx(addrs...), Target: mailbox, Control: randomMailbox(domain), Budget: 30 * time.Second}
}

// randomMailbox is a control mailbox in domain: no mail host has it.
func randomMailbox(domain string) string {
	return "random-" + strings.ToLower(rand.Text()) + "@" + domain
}

func aboutAll(mailboxes []string, addrs ...string) []smtpprobe.Request {
	requests := make([]smtpprobe.Request, len(mailboxes))
	for i, m := range mailboxes {
		requests[i] = about(m, addrs...)
	}
	return requests
}

// patient has the requests that are of no list be of one, so that they can
// wait.
func patient(requests []smtpprobe.Request) []smtpprobe.Request {
	list := new(smtpprobe.Caller)
	for i := range requests {
		if requests[i].Caller == nil {
			requests[i].Caller = list
		}
	}
	return requests
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

// For mailboxes: no address is bad, every one is, every n-th, or all but so
// many in a hundred.
func none(int) bool                     { return false }
func all(int) bool                      { return true }
func every(n int) func(int) bool        { return func(i int) bool { return i%n == 0 } }
func living(percent int) func(int) bool { return func(i int) bool { return i*7919%100 >= percent } }

// company is 120 mailboxes of two domains: one in three does not exist.
func company() []string {
	return mailboxes(120, func(i int) bool { return i%3 == 1 }, "a.example", "b.example")
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

// askInTurn asks about one mailbox after the other.
func (b *bubble) askInTurn(requests []smtpprobe.Request) []told {
	answers := make([]told, len(requests))
	for i, req := range requests {
		answers[i] = b.ask(b.Context(), req)
	}
	return answers
}

// crowd asks one host about many mailboxes at once and returns what was found
// about each, and the sessions that it took.
func crowd(t *testing.T, c smtpprobe.Config, host smtptest.Handler, list []string) (answers []told, sessions []smtptest.Session) {
	t.Helper()
	sessions = inBubble(t, c, one(host), func(b *bubble) {
		answers = b.askAll(patient(aboutAll(list)))
		for i, r := range answers {
			if r.err != nil {
				b.Errorf("%s: %v", list[i], r.err)
			}
		}
	})
	return answers, sessions
}

// setting is what probe varies; zero fields are the usual ones.
type setting struct {
	config  smtpprobe.Config
	req     smtpprobe.Request
	hosts   map[string]smtptest.Handler // those of req.Hosts
	by      func(smtpprobe.Dialer) smtpprobe.Dialer
	ctx     func(context.Context) (context.Context, context.CancelFunc)
	timeout time.Duration // the budget; default 30 s
}

// outcome is a probe as both sides saw it.
type outcome struct {
	told
	behind   time.Duration // from the answer until Close returned
	dials    []string
	sessions []smtptest.Session
}

// probe asks the hosts mx1.example (192.0.2.1), mx2.example (192.0.2.2) and so
// on, or those of the setting, about one mailbox. Nil swallows packets.
func probe(t *testing.T, s setting, hosts ...smtptest.Handler) (o outcome) {
	t.Helper()
	at := make(map[string]smtptest.Handler)
	maps.Copy(at, s.hosts)
	for i, h := range hosts {
		addr := fmt.Sprintf("192.0.2.%d", i+1)
		at[addr] = h
		s.req.Hosts = append(s.req.Hosts, smtpprobe.Host{Name: fmt.Sprintf("mx%d.example", i+1), Addrs: addrsOf(addr)})
	}
	if s.by == nil {
		s.by = func(d smtpprobe.Dialer) smtpprobe.Dialer { return d }
	}
	if s.ctx == nil {
		s.ctx = func(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} }
	}
	s.req.Budget = cmp.Or(s.req.Budget, s.timeout, 30*time.Second)
	o.sessions = inBubbleBy(t, s.config, at, s.by, func(b *bubble) {
		ctx, cancel := s.ctx(b.Context())
		defer cancel()
		o.told = b.ask(ctx, request(s.req))
		answered := time.Now()
		if err := b.pool.Close(); err != nil {
			b.Error(err)
		}
		o.behind = time.Since(answered)
		o.dials = b.network.Dials()
	})
	return o
}

// request asks about the target, if nobody else is asked about.
func request(r smtpprobe.Request) smtpprobe.Request {
	if r.Target == "" {
		r.Target, r.Control = target, control
	}
	return r
}

func cancelAfter(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(d, cancel)
		return ctx, cancel
	}
}

func deadlineAfter(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, d) }
}

// once does something the first time only.
func once(do func() string) func() string {
	var o sync.Once
	return func() (text string) {
		o.Do(func() { text = do() })
		return text
	}
}

func always(text string) func() string { return func() string { return text } }

// after has a host act when n recipients were named in a session.
func after(n int, act func() string) func(*visit, string) string {
	return func(v *visit, _ string) string {
		if v.Named >= n {
			return act()
		}
		return ""
	}
}

// at has a host act at a command.
func at(verb, act string) func(v *visit, command, due string) string {
	return func(_ *visit, command, _ string) string {
		if command == verb {
			return act
		}
		return ""
	}
}

// waits has a host wait before it answers about a mailbox.
func waits(how func(v *visit, mailbox string) time.Duration) func(*visit, string) string {
	return func(v *visit, m string) string {
		v.Sleep(how(v, m))
		return ""
	}
}

// checks is a host of smtptest that has the mailboxes that exist.
func checks() *smtptest.Host {
	return &smtptest.Host{RCPTFunc: func(_ *smtptest.Visit, rcpt string) string { return enhanced.about(rcpt) }}
}
