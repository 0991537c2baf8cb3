//go:build !plan

package smtpprobe

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/egresses"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

var anyEgress = &egresses.Egress{}

func hostJob(i int) *job {
	addr := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
	r := route{host: fmt.Sprintf("mx%d.example", i), addr: netip.AddrPortFrom(addr, defaultPort), egress: anyEgress}
	return newJob(r, &Request{Target: fmt.Sprintf("u@d%d.example", i)}, &budget{})
}

// TestBooksAreBounded sees that a list of any number of mail hosts, domains and
// providers takes a bounded part of the memory.
func TestBooksAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const hosts, domains, providers = 3 * maxHosts, 3 * maxDomainNotes / 2, 3 * maxProviderNotes
		pool, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		for i := range hosts {
			h := pool.host(hostJob(i))
			h.limits.trust("550 5.1.1 no_such_user", time.Now())
			most = max(most, len(pool.hosts))
			if i%1000 == 0 {
				time.Sleep(time.Second)
			}
		}
		if most > 2*maxHosts {
			t.Errorf("%d mail hosts were remembered at a time", most)
		}
		most = 0
		for i := range domains {
			pool.domains.note(netip.AddrPort{}, fmt.Sprintf("d%d.example", i), controlAnswer{reply: &smtp.Reply{Code: 250}})
			most = max(most, len(pool.domains))
		}
		if most > maxDomainNotes {
			t.Errorf("%d domains were remembered at a time", most)
		}
		most = 0
		for i := range providers {
			j := hostJob(i)
			j.route.host = fmt.Sprintf("mx.p%d.example", i)
			h := pool.host(j)
			said := belief.Said{Reply: &smtp.Reply{Code: 550}, Class: replies.ClassBlocked}
			pool.note(&session{paced: h.paced}, "d.example", said, true)
			delete(pool.hosts, h.key)
			most = max(most, len(pool.providers))
			if i%1000 == 0 {
				time.Sleep(20 * time.Minute)
			}
		}
		if most > 2*maxProviderNotes {
			t.Errorf("%d providers were remembered at a time", most)
		}
	})
}

// TestHostsInUseAreNotForgotten sees that room is made by what is not needed
// now: neither they nor their providers are.
func TestHostsInUseAreNotForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		used := map[int]*mailHost{}
		for i := range 3 * maxHosts {
			h := pool.host(hostJob(i))
			switch i % 1000 {
			case 1:
				h.sessions = 1
			case 2:
				h.underWay = 1
			case 3:
				h.waiting = []*job{hostJob(i)}
			default:
				h.limits.trust("550 5.1.1 no_such_user", time.Now())
				continue
			}
			used[i] = h
		}
		if n := len(pool.providers); n > 2*maxProviderNotes {
			t.Errorf("%d providers are remembered", n)
		}
		for i, h := range used {
			if g := h.paced; pool.host(hostJob(i)) != h || pool.providers[g.key] != g {
				t.Fatalf("host %d, or its provider, was forgotten", i)
			}
		}
	})
}

// TestLimitsAreForgotten sees that what a host has shown is believed for an
// hour from the first of it, whatever else it shows meanwhile.
func TestLimitsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		pool.host(hostJob(1)).limits.failed(use{recipients: 2, transactions: 1}, time.Now())
		for range 59 { // a busy host
			time.Sleep(time.Minute)
			pool.host(hostJob(1)).limits.trust("550 5.1.1", time.Now())
		}
		time.Sleep(limitsLast - 59*time.Minute - time.Second)
		if h := pool.host(hostJob(1)); h.transactionSize() != 1 {
			t.Error("forgotten too early")
		}
		time.Sleep(2 * time.Second)
		if h := pool.host(hostJob(1)); h.transactionSize() != firstRecipients {
			t.Error("not forgotten")
		}
	})
}

// TestAnswerAtTheLastMoment checks that a caller that gives up at the moment of
// an answer gets it, and leaves nothing behind.
func TestAnswerAtTheLastMoment(t *testing.T) {
	pool, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pool.Close() }()
	q, j := newBatch(pool, 1, func(r result) {
		if r.err != nil || r.session == nil {
			t.Errorf("told %v (%v)", r.session, r.err)
		}
	}), hostJob(1)
	q.jobs[0], q.open, j.results = j, 1, q.results
	j.finish(result{session: &Session{Host: "mx1.example"}})
	q.giveUp(context.DeadlineExceeded)
	if q.open > 0 {
		t.Error("not told")
	}
	if len(pool.hosts) > 0 {
		t.Errorf("%d hosts are remembered", len(pool.hosts))
	}
}

// TestWhoGivesUpIsToldSo checks that a caller that has given up asks no other
// host, and gets what was answered at the same moment: it may be the answer.
func TestWhoGivesUpIsToldSo(t *testing.T) {
	pool, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pool.Close() }()
	timeout := Session{Failure: &smtp.Failure{Phase: smtp.PhaseConnect, Kind: smtp.KindTimeout}}
	for _, tt := range []struct {
		told result
		want error
	}{
		{result{session: &Session{Target: &smtp.Reply{Code: 250}}}, nil},
		{result{session: &timeout}, context.Canceled},
		{result{err: ErrBusy}, ErrBusy},
		{result{err: ErrClosed}, ErrClosed},
	} {
		two := []Host{{Name: "mx1.example", Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}, {Name: "mx2.example", Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.2")}}}
		pr := newProbe(pool, &Request{Hosts: two})
		pr.route, _ = pr.routes.next()
		if end, err := pr.arrived(cancelledContext(), tt.told); !end || !errors.Is(err, tt.want) {
			t.Errorf("%+v: %t, %v", tt.told, end, err)
		}
	}
}

// cancelledContext is one whose caller has given up.
func cancelledContext() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// TestLongControlsAreNotRemembered sees that the book of domains holds no long
// replies: it may have very many.
func TestLongControlsAreNotRemembered(t *testing.T) {
	host := netip.MustParseAddrPort("192.0.2.1:25")
	for _, tt := range []struct {
		reply smtp.Reply
		known bool
	}{
		{smtp.Reply{Code: 250, Lines: texts(1, 100)}, true},
		{smtp.Reply{Code: 250, Lines: texts(1, 2000)}, false},
		{smtp.Reply{Code: 250, Lines: texts(100, 0)}, false},
	} {
		book := make(domainBook)
		book.note(host, "a.example", controlAnswer{reply: &tt.reply})
		got := book.control(host, "a.example")
		if (got != nil) != tt.known || got != nil && fmt.Sprint(*got.reply) != fmt.Sprint(tt.reply) {
			t.Errorf("%d lines of %d bytes: %v", len(tt.reply.Lines), len(tt.reply.Lines[0]), got)
		}
	}
}
