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

// operated are n mail hosts that are one host to their operator, and requests
// about so many mailboxes at each of them, in a domain of its own.
func operated(host smtptest.Handler, n, mailboxes int, name string) (map[string]smtptest.Handler, []smtpprobe.Request) {
	hosts := map[string]smtptest.Handler{}
	var requests []smtpprobe.Request
	for i := range n {
		addr := fmt.Sprintf("192.0.%d.%d", 2+i/200, 1+i%200)
		hosts[addr] = host
		for j := range mailboxes {
			req := about(fmt.Sprintf("good%d@d%d.example", j, i), addr)
			req.Hosts[0].Name = fmt.Sprintf("mx%d.%s", i, name)
			req.Budget = time.Hour
			requests = append(requests, req)
		}
	}
	return hosts, requests
}

// TestProviderWithManyHosts sees that all mail hosts of a provider share its
// sessions, and that no limit of the provider's is met, or few times where it
// tolerates less than we know of. With pacing off nothing is held back.
func TestProviderWithManyHosts(t *testing.T) {
	for _, tt := range []struct {
		name       string
		pace       pace.Settings
		host       string
		tolerates  int // sessions; 0: any number
		complaints int // at most
	}{
		{"unknown", pace.Settings{}, "hoster.test", 10, 0},
		{"careful", pace.Settings{Preset: pace.Careful}, "hoster.test", 5, 0},
		{"known", pace.Settings{}, "l.google.com", 5, 0},
		{"overridden", pace.Settings{Providers: map[string]pace.Limits{"hoster.test": {Sessions: 3}}}, "hoster.test", 3, 0},
		{"tolerates less", pace.Settings{}, "hoster.test", 4, 8},
		{"off", pace.Settings{Preset: pace.Off}, "hoster.test", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host := &peer{RCPTDelay: 10 * time.Millisecond, Say: tolerates(tt.tolerates, "421 4.7.0 too many connections from your address", "")}
			hosts, requests := operated(host, 60, 6, tt.host)
			inBubble(t, smtpprobe.Config{Pace: tt.pace}, hosts, func(b *bubble) {
				b.checkAnswered(b.askAll(requests), 250)
			})
			most, complaints := mostOpen(host, tt.tolerates)
			if complaints > tt.complaints || most < tt.tolerates || tt.complaints == 0 && tt.tolerates > 0 && most > tt.tolerates || tt.tolerates == 0 && most < 60 {
				t.Errorf("at most %d sessions at a time, and %d complaints; want %d and %d", most, complaints, tt.tolerates, tt.complaints)
			}
		})
	}
}

// blocking is a provider's host that refuses us for as long as on is set, at
// RCPT or earlier.
func blocking(phase string, on *atomic.Bool) *peer {
	no := func(command string) string {
		if on.Load() && strings.HasPrefix(command, phase) {
			return "550 5.7.1 Client host blocked using a block list"
		}
		return ""
	}
	return &peer{
		Say: func(_ *visit, c, _ string) string { return no(c) },
	}
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

// numbered are n domains.
func numbered(n int) (domains []string) {
	for i := range n {
		domains = append(domains, fmt.Sprintf("d%d.example", i))
	}
	return domains
}

// TestProviderIsLeftAlone sees that a provider which refuses us is not asked
// for a while, and that policies of its customers are not taken for its own.
func TestProviderIsLeftAlone(t *testing.T) {
	for _, tt := range []struct {
		name, phase string
		good        int // domains that answer before all are refused
		domains     []string
		paused      bool
	}{
		{"five domains", "MAIL", 0, numbered(5), true},
		{"four domains", "MAIL", 0, numbered(4), false},
		{"one domain, many times", "MAIL", 0, []string{"d0.example", "d0.example", "d0.example", "D0.example", "d0.example"}, false},
		{"policies of five customers", "RCPT", 0, numbered(5), false},
		{"nineteen domains", "RCPT", 0, numbered(19), false},
		{"twenty domains", "RCPT", 0, numbered(20), true},
		{"three domains that answered before", "RCPT", 3, numbered(3), true},
		{"two domains that answered before", "RCPT", 2, numbered(2), false},
	} {
		t.Run(tt.phase+" "+tt.name, func(t *testing.T) {
			var on atomic.Bool
			hosts := map[string]smtptest.Handler{"192.0.2.1": blocking(tt.phase, &on), "192.0.2.2": &peer{}, "192.0.2.3": &peer{}}
			inBubble(t, smtpprobe.Config{}, hosts, func(b *bubble) {
				b.askInTurn(of("192.0.2.1", numbered(tt.good)...))
				on.Store(true)
				for _, r := range b.askInTurn(of("192.0.2.1", tt.domains...)) {
					if r.err != nil || r.last().Failure != nil {
						b.Errorf("found %v", r)
					}
				}
				before := len(b.network.Dials())
				other := of("192.0.2.2", "other.example")[0] // of the same provider, by the name of its host
				r := b.ask(b.Context(), other)
				f := r.last().Failure
				if got := f != nil && f.Kind == smtp.KindPaused; got != tt.paused {
					b.Fatalf("found %v, want paused %t", r, tt.paused)
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
				elsewhere := of("192.0.2.3", "d.example")
				elsewhere[0].Hosts[0].Name = "mx.elsewhere.test"
				b.checkAnswered(b.askInTurn(elsewhere), 250)
				on.Store(false)
				time.Sleep(5*time.Minute + time.Second)
				b.checkAnswered([]told{b.ask(b.Context(), other)}, 250)
			})
		})
	}
}

// TestProviderThatFindsUsTooFast sees that sessions with it begin at longer and
// longer intervals, and at none again when it has calmed down.
func TestProviderThatFindsUsTooFast(t *testing.T) {
	var on atomic.Bool
	on.Store(true)
	host := &peer{RCPTFunc: func(*visit, string) string {
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
