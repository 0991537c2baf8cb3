package smtpprobe_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// blocking is a provider's host that refuses us for as long as on is set, at
// RCPT or earlier.
func blocking(phase string, on *atomic.Bool) *peer {
	const no = "550 5.7.1 Client host blocked using a block list"
	p := &peer{}
	p.greet = func(*visit) string {
		if phase == "greeting" && on.Load() {
			return "554 5.7.1 Client host blocked using a block list"
		}
		return "220 mx"
	}
	p.other = func(_ *visit, c string) string {
		if on.Load() && phase != "" && strings.HasPrefix(c, phase) {
			return no
		}
		return ""
	}
	p.rcpt = func(*visit, string) string {
		if phase == "RCPT" && on.Load() {
			return no
		}
		return ""
	}
	return p
}

// of are requests about one mailbox in each of the domains, of a host of a
// known provider.
func of(addr string, domains ...string) []smtpprobe.Request {
	var requests []smtpprobe.Request
	for _, d := range domains {
		req := about("good@"+d, addr)
		req.Hosts[0].Name = "mx.mimecast.com"
		requests = append(requests, req)
	}
	return requests
}

// TestProviderIsLeftAlone sees that a provider which refuses us is not asked
// for a while, and that policies of its customers are not taken for its own.
func TestProviderIsLeftAlone(t *testing.T) {
	domains := func(n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf("d%d.example", i))
		}
		return all
	}
	for _, tt := range []struct {
		name, phase string
		good        int // domains that answer before all are refused
		domains     []string
		paused      bool
	}{
		{"five domains", "MAIL", 0, domains(5), true},
		{"four domains", "MAIL", 0, domains(4), false},
		{"one domain, many times", "MAIL", 0, []string{"d0.example", "d0.example", "d0.example", "D0.example", "d0.example"}, false},
		{"policies of five customers", "RCPT", 0, domains(5), false},
		{"nineteen domains", "RCPT", 0, domains(19), false},
		{"twenty domains", "RCPT", 0, domains(20), true},
		{"three domains that answered before", "RCPT", 3, domains(3), true},
		{"two domains that answered before", "RCPT", 2, domains(2), false},
	} {
		t.Run(tt.phase+" "+tt.name, func(t *testing.T) {
			var on atomic.Bool
			hosts := map[string]smtptest.Handler{"192.0.2.1": blocking(tt.phase, &on), "192.0.2.2": &peer{}, "192.0.2.3": &peer{}}
			inBubble(t, smtpprobe.Config{}, hosts, func(b *bubble) {
				for _, req := range of("192.0.2.1", domains(tt.good)...) {
					b.ask(b.Context(), req)
				}
				on.Store(true)
				for _, req := range of("192.0.2.1", tt.domains...) {
					if r := b.ask(b.Context(), req); r.err != nil || r.last().Failure != nil {
						b.Errorf("found %s (%v)", summaries(r.found), r.err)
					}
				}
				before := len(b.network.Dials())
				other := of("192.0.2.2", "other.example")[0] // of the same provider, by the name of its host
				r := b.ask(b.Context(), other)
				f := r.last().Failure
				if got := f != nil && f.Kind == smtp.KindPaused; got != tt.paused {
					b.Fatalf("found %s, want paused %t", summaries(r.found), tt.paused)
				}
				paused := b.pool.Stats().Paused
				if got := len(paused) == 1 && paused[0].Pauses == 1 && time.Until(paused[0].Until) > 4*time.Minute; got != tt.paused {
					b.Errorf("paused %+v, want one: %t", paused, tt.paused)
				}
				if state := b.pool.Pacing()[0]; state.Provider != "mimecast" || (state.Paused == pace.Blocked) != tt.paused {
					b.Errorf("pacing %+v", state)
				}
				if !tt.paused {
					return
				}
				if f.RetryAfter < 200*time.Second || f.RetryAfter > 300*time.Second || r.took != 0 || len(b.network.Dials()) != before {
					b.Errorf("to be tried again after %v; took %v, %d connections", f.RetryAfter, r.took, len(b.network.Dials())-before)
				}
				elsewhere := of("192.0.2.3", "d.example")[0]
				elsewhere.Hosts[0].Name = "mx.elsewhere.test"
				if r := b.ask(b.Context(), elsewhere); r.last().Target == nil {
					b.Errorf("another provider: %s", summaries(r.found))
				}
				on.Store(false)
				time.Sleep(5*time.Minute + time.Second)
				if r := b.ask(b.Context(), other); r.last().Target == nil {
					b.Errorf("after the pause: %s", summaries(r.found))
				}
			})
		})
	}
}

// TestAnAnswerClearsAProvider sees that blocks with answers for mailboxes
// between them are those of domains.
func TestAnAnswerClearsAProvider(t *testing.T) {
	var on atomic.Bool
	inBubble(t, smtpprobe.Config{}, one(blocking("RCPT", &on)), func(b *bubble) {
		for i := range 12 {
			on.Store(i%3 != 0)
			if r := b.ask(b.Context(), of("192.0.2.1", fmt.Sprintf("d%d.example", i))[0]); r.last().Target == nil {
				b.Errorf("%d: %s", i, summaries(r.found))
			}
			time.Sleep(time.Minute)
		}
	})
}

// TestProviderIsLeftAloneForLonger sees that pauses grow with a provider that
// still blocks us.
func TestProviderIsLeftAloneForLonger(t *testing.T) {
	var on atomic.Bool
	on.Store(true)
	inBubble(t, smtpprobe.Config{}, one(blocking("MAIL", &on)), func(b *bubble) {
		n := 0
		for _, want := range []time.Duration{5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute, time.Hour, time.Hour} {
			var f *smtp.Failure
			for range 6 {
				n++
				f = b.ask(b.Context(), of("192.0.2.1", fmt.Sprintf("d%d.example", n))[0]).last().Failure
			}
			if f == nil || f.RetryAfter != want {
				b.Fatalf("got %v, want a pause of %v", f, want)
			}
			time.Sleep(want + time.Second)
		}
	})
}

// TestWhoWaitsForAProvider sees that those who wait for a provider which is
// left alone by then do not go on to bother it.
func TestWhoWaitsForAProvider(t *testing.T) {
	var on atomic.Bool
	on.Store(true)
	for _, phase := range []string{"MAIL", "RCPT"} {
		t.Run(phase, func(t *testing.T) {
			host := blocking(phase, &on)
			var domains []string
			for i := range 200 {
				domains = append(domains, fmt.Sprintf("d%d.example", i))
			}
			sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
				for _, r := range b.askAll(of("192.0.2.1", domains...)) {
					if r.err != nil || len(r.found.Sessions) != 1 {
						b.Errorf("found %s (%v)", summaries(r.found), r.err)
					}
				}
			})
			if n := count(sessions, "RCPT") + count(sessions, "MAIL"); n > 200 || len(sessions) > 20 {
				t.Errorf("%d MAIL and RCPT in %d sessions", n, len(sessions))
			}
		})
	}
}

// TestProviderThatFindsUsTooFast sees that sessions with it begin at longer and
// longer intervals, and at none again when it has calmed down.
func TestProviderThatFindsUsTooFast(t *testing.T) {
	var on atomic.Bool
	on.Store(true)
	host := &peer{rcpt: func(*visit, string) string {
		if on.Load() {
			return "450 4.7.1 rate limit exceeded, slow down"
		}
		return ""
	}}
	inBubble(t, smtpprobe.Config{Session: smtpprobe.SessionCaps{Idle: time.Millisecond}}, one(host), func(b *bubble) {
		ask := func(i int) time.Duration {
			time.Sleep(10 * time.Millisecond) // until the session before has ended
			return b.ask(b.Context(), about(fmt.Sprintf("good%d@a.example", i))).took
		}
		last := time.Duration(0)
		for i := range 6 {
			last = max(last, ask(i))
		}
		if last < 2*time.Second || last > 31*time.Second {
			b.Errorf("the longest wait was %v", last)
		}
		if paused := b.pool.Stats().Paused; len(paused) != 1 || paused[0].Interval < time.Second || !paused[0].Until.IsZero() {
			b.Errorf("paused %+v", paused)
		}
		on.Store(false)
		for i := range 10 {
			last = ask(10 + i)
		}
		if last > 100*time.Millisecond || len(b.pool.Stats().Paused) > 0 {
			b.Errorf("in the end it was %v, paused %+v", last, b.pool.Stats().Paused)
		}
	})
}

// TestGiantsDoNotStarveOthers has 2,000 jobs wait for each of five giant hosts,
// of five providers, that take all sessions, and sees that 50 small hosts are
// served early.
func TestGiantsDoNotStarveOthers(t *testing.T) {
	hosts := map[string]smtptest.Handler{}
	var requests []smtpprobe.Request
	add := func(i int, mailboxes ...smtpprobe.Request) {
		addr := fmt.Sprintf("198.51.%d.1", i)
		hosts[addr] = &peer{wait: func(*visit, string) time.Duration { return 100 * time.Millisecond }}
		for _, r := range mailboxes {
			r.Hosts = mx(addr)
			r.Hosts[0].Name = fmt.Sprintf("mx.host%d.example", i)
			r.Queued = func(bool) {}
			requests = append(requests, r)
		}
	}
	for i := range 5 {
		add(i, aboutAll(mailboxes(2000, func(n int) bool { return n%5 > 0 }, fmt.Sprintf("giant%d.example", i)))...)
	}
	giants := len(requests)
	for i := range 50 {
		add(100+i, about(fmt.Sprintf("good@small%d.example", i)))
	}
	inBubble(t, smtpprobe.Config{MaxSessions: 20, MaxWaitingPerHost: 2000}, hosts, func(b *bubble) {
		var small, all time.Duration
		for i, r := range b.askAll(requests) {
			if r.err != nil || r.last().Target == nil {
				b.Fatalf("%s: %s (%v)", requests[i].Target, summaries(r.found), r.err)
			}
			if all = max(all, r.took); i >= giants {
				small = max(small, r.took)
			}
		}
		b.Logf("the last small host after %v, the last giant after %v", small, all)
		if small > all/2 {
			b.Errorf("the last small host was answered after %v, of %v in all", small, all)
		}
	})
}
