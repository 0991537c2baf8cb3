package smtpprobe

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func hostAsk(i int) *ask {
	addr := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
	r := route{host: fmt.Sprintf("mx%d.example", i), addr: netip.AddrPortFrom(addr, defaultPort)}
	return newAsk(r, &Request{Target: fmt.Sprintf("u@d%d.example", i)}, &budget{})
}

// TestBooksAreBounded sees that a list of any number of mail hosts, domains and providers takes a bounded part of the memory.
func TestBooksAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const hosts, domains, providers = 250_000, 250_000, 50_000
		pool, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		for i := range hosts {
			h := pool.host(hostAsk(i))
			h.learn(func(t *traits) { t.refused = 5 })
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
			pool.domains.note(netip.AddrPort{}, fmt.Sprintf("d%d.example", i), Reply{Code: 250}, ClassOK)
			most = max(most, len(pool.domains))
		}
		if most > maxDomainNotes {
			t.Errorf("%d domains were remembered at a time", most)
		}
		most = 0
		for i := range providers {
			pool.providers.note(providerKey{name: fmt.Sprintf("p%d.example", i)}, "d.example", ClassBlocked)
			most = max(most, len(pool.providers))
		}
		if most > maxProviderNotes {
			t.Errorf("%d providers were remembered at a time", most)
		}
	})
}

// TestHostsInUseAreNotForgotten sees that room is made by what is not needed now.
func TestHostsInUseAreNotForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		used := map[int]*mailHost{}
		for i := range 3 * maxHosts {
			h := pool.host(hostAsk(i))
			switch i % 1000 {
			case 1:
				h.sessions = 1
			case 2:
				h.underWay = 1
			case 3:
				h.waiting = []*ask{hostAsk(i)}
			default:
				h.learn(func(t *traits) { t.refused = 5 })
				continue
			}
			used[i] = h
		}
		for i, h := range used {
			if pool.host(hostAsk(i)) != h {
				t.Fatalf("host %d was forgotten", i)
			}
		}
	})
}

// TestTraitsAreForgotten sees that a host's habits are believed for a while only.
func TestTraitsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		pool.host(hostAsk(1)).learn(func(t *traits) { t.recipients = 1 })
		for range 59 { // a busy host
			time.Sleep(time.Minute)
			pool.host(hostAsk(1)).trust("550 5.1.1")
		}
		time.Sleep(traitsLast - 59*time.Minute - time.Second)
		if h := pool.host(hostAsk(1)); pool.flightSize(h) != 1 {
			t.Error("forgotten too early")
		}
		time.Sleep(2 * time.Second)
		if h := pool.host(hostAsk(1)); pool.flightSize(h) != firstFlight {
			t.Error("not forgotten")
		}
	})
}

// TestWordsForRSET sees that those of a host are remembered as long as they are the same, and a bounded part of them.
func TestWordsForRSET(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &mailHost{}
		long := Reply{Code: 250, Lines: []string{strings.Repeat("and so on ", 100)}}
		for _, step := range []struct{ heard, usual string }{
			{"250 2.0.0 Ok", "250 2.0.0 Ok"},
			{"250 2.0.0 Ok", "250 2.0.0 Ok"},
			{"250 2.0.0 Reset", ""},
			{"250 2.0.0 Reset", ""},
			{"later", ""},
			{wording(long), wording(long)},
		} {
			if step.heard == "later" {
				time.Sleep(traitsLast + time.Second)
				continue
			}
			if h.heedCleared(step.heard); h.traits.usualCleared() != step.usual || len(h.traits.cleared) > maxWording {
				t.Errorf("after %q: %q", step.heard, h.traits.usualCleared())
			}
		}
	})
}

// TestAnswerAtTheLastMoment sees that who gives up at the moment when those who wait are told something is told it, too, and leaves nothing behind.
func TestAnswerAtTheLastMoment(t *testing.T) {
	pool, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pool.Close() }()
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	q, a := newInquiry(pool, 1), hostAsk(1)
	q.asks[0], q.open, a.told = a, 1, q.told
	a.tell(answer{session: &Session{Host: "mx1.example"}})
	q.withdraw(ctx, func(told answer) {
		if told.err != nil || told.session == nil {
			t.Errorf("told %v (%v)", told.session, told.err)
		}
	})
	if q.open > 0 {
		t.Error("not told")
	}
	if len(pool.hosts) > 0 {
		t.Errorf("%d hosts are remembered", len(pool.hosts))
	}
}

// TestWhoGivesUpIsToldSo sees that who has given up is told so whatever else is told at the same moment, and goes on to nobody.
func TestWhoGivesUpIsToldSo(t *testing.T) {
	pool, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pool.Close() }()
	timeout := Session{Failure: &Failure{Phase: PhaseConnect, Kind: KindTimeout}}
	for _, told := range []answer{{session: &Session{Target: &Reply{Code: 250}}}, {session: &timeout}, {err: ErrBusy}, {err: ErrClosed}} {
		two := []Host{{Name: "mx1.example", Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}, {Name: "mx2.example", Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.2")}}}
		trip := newTrip(pool, &Request{Hosts: two})
		trip.route, _ = trip.tour.next()
		if end, err := trip.arrive(cancelledContext(), told); !end || !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: %t, %v", told, end, err)
		}
	}
}

// TestTrustIsBounded holds that a host which words each refusal anew fills no memory.
func TestTrustIsBounded(t *testing.T) {
	h := &mailHost{}
	for i := range 1000 {
		h.trust(fmt.Sprint(i))
		if n := len(h.traits.trusted); n > maxTrusted || !h.traits.trusted[fmt.Sprint(i)] {
			t.Fatalf("%d sorts are remembered", n)
		}
	}
}
