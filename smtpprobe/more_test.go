package smtpprobe_test

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/internal/testkit/hostile"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestMoreAddresses sees that a host of which no address could be reached, or
// that put us off, is asked for more, before the next host, once, and within
// all bounds.
func TestMoreAddresses(t *testing.T) {
	three := []string{"192.0.2.11", "192.0.2.12", "192.0.2.13"}
	busy, closed := hostile.Host("421-at-greeting"), &smtptest.Host{Greeting: "554 no"}
	for _, tt := range []struct {
		name  string
		addrs string // of the first host; the second has 192.0.2.21
		more  []string
		hosts map[string]smtptest.Handler
		dials string
		asked int
	}{
		{"none says a word", "192.0.2.1 192.0.2.2", three, nil, "192.0.2.1 192.0.2.2 192.0.2.11 192.0.2.12 192.0.2.21", 1},
		{"there are none", "192.0.2.1", nil, nil, "192.0.2.1 192.0.2.21", 1},
		{"known ones", "192.0.2.1", []string{"::ffff:192.0.2.1", "192.0.2.21", "192.0.2.11", "192.0.2.11", "192.0.2.12", "192.0.2.13"}, nil,
			"192.0.2.1 192.0.2.11 192.0.2.12 192.0.2.21", 1},
		{"one answers", "192.0.2.1", three, map[string]smtptest.Handler{"192.0.2.11": good()}, "192.0.2.1 192.0.2.11", 1},
		{"one puts us off", "192.0.2.1 192.0.2.2", three, map[string]smtptest.Handler{"192.0.2.1": busy},
			"192.0.2.1 192.0.2.2 192.0.2.11 192.0.2.12 192.0.2.21", 1},
		{"all put us off", "192.0.2.1 192.0.2.2", three[:1], map[string]smtptest.Handler{"192.0.2.1": busy, "192.0.2.2": busy, "192.0.2.11": busy},
			"192.0.2.1 192.0.2.2 192.0.2.11 192.0.2.21", 1},
		{"one hangs up", "192.0.2.1", three, map[string]smtptest.Handler{"192.0.2.1": &smtptest.Host{EHLO: smtptest.Closes}},
			"192.0.2.1 192.0.2.21", 0},
		{"one puts us off whose TLS is broken", "192.0.2.1", three[:1],
			map[string]smtptest.Handler{"192.0.2.1": &smtptest.Host{STARTTLS: smtptest.TLSCloses, MAIL: "451 later"}},
			"192.0.2.1 192.0.2.1 192.0.2.11 192.0.2.21", 1},
		{"one refuses us", "192.0.2.1", three, map[string]smtptest.Handler{"192.0.2.1": closed}, "192.0.2.1 192.0.2.21", 0},
		{"one puts us off, and another refuses us", "192.0.2.1 192.0.2.2", three, map[string]smtptest.Handler{"192.0.2.1": busy, "192.0.2.2": closed},
			"192.0.2.1 192.0.2.2 192.0.2.11 192.0.2.12 192.0.2.21", 1},
		{"one more refuses us", "192.0.2.1", three, map[string]smtptest.Handler{"192.0.2.11": closed}, "192.0.2.1 192.0.2.11 192.0.2.21", 1},
		{"IPv6 refuses us whom IPv4 put off", "192.0.2.1", []string{"2001:db8::11"},
			map[string]smtptest.Handler{"192.0.2.1": busy, "2001:db8::11": closed}, "192.0.2.1 [2001:db8::11] 192.0.2.21", 1},
		{"one more has the answer that the first put off", "192.0.2.1", []string{"2001:db8::11"},
			map[string]smtptest.Handler{"192.0.2.1": busy, "2001:db8::11": &smtptest.Host{}}, "192.0.2.1 [2001:db8::11]", 1},
		{"one has the answer", "192.0.2.1 192.0.2.2", three, map[string]smtptest.Handler{"192.0.2.2": good()}, "192.0.2.1 192.0.2.2", 0},
		{"the last connection", "192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.4 192.0.2.5 192.0.2.6", three, nil,
			"192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.4 192.0.2.5 192.0.2.6", 0},
		{"the last but one", "192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.4 192.0.2.5", three, nil,
			"192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.4 192.0.2.5 192.0.2.11", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			more := func(context.Context) []netip.Addr { asked++; return addrsOf(tt.more...) }
			o := probe(t, setting{hosts: tt.hosts, req: smtpprobe.Request{Hosts: []smtpprobe.Host{
				{Name: "mx1.example", Addrs: addrsOf(strings.Fields(tt.addrs)...), More: more},
				{Name: "mx2.example", Addrs: addrsOf("192.0.2.21")},
			}}})
			if got := strings.ReplaceAll(strings.Join(o.dials, " "), ":25", ""); got != tt.dials || o.err != nil {
				t.Errorf("dialled %s, want %s; error %v", got, tt.dials, o.err)
			}
			if asked != tt.asked {
				t.Errorf("asked %d times for more, want %d", asked, tt.asked)
			}
		})
	}
}

// moreOf is the host at 192.0.2.1 that has more addresses.
func moreOf(more func(context.Context) []netip.Addr) []smtpprobe.Host {
	hosts := mx("192.0.2.1")
	hosts[0].More = more
	return hosts
}

// TestMoreAddressesEndWithTheProbe checks that the function that looks up more
// addresses has the time of the hosts, of which the wait of a patient probe for
// a session is no part.
func TestMoreAddressesEndWithTheProbe(t *testing.T) {
	hosts := map[string]smtptest.Handler{"192.0.2.9": &smtptest.Host{RCPT: smtptest.Hangs}}
	inBubble(t, smtpprobe.Config{MaxSessions: 1}, hosts, func(b *bubble) {
		var first sync.WaitGroup
		first.Go(func() {
			b.ask(b.Context(), smtpprobe.Request{Target: target, Budget: 15 * time.Second, Hosts: mx("192.0.2.9")})
		})
		synctest.Wait()
		var had time.Duration
		r := b.ask(b.Context(), request(smtpprobe.Request{Caller: new(smtpprobe.Caller), Budget: 10 * time.Second, Hosts: moreOf(func(ctx context.Context) []netip.Addr {
			end, _ := ctx.Deadline()
			had = time.Until(end)
			return nil
		})}))
		if had != 10*time.Second || r.err != nil {
			b.Errorf("%v to find more, want ten seconds (%v)", had, r.err)
		}
		first.Wait()
	})
}

// TestMoreAddressesEndWithTheCaller checks that the look-up of more addresses
// ends when the caller waits no longer, also behind a wait for the session of
// another, which takes no time from the hosts.
func TestMoreAddressesEndWithTheCaller(t *testing.T) {
	host := &smtptest.Host{GreetingDelay: 3 * time.Second, Greeting: "HTTP/1.1 400 Bad Request"}
	inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				more := func(ctx context.Context) []netip.Addr { <-ctx.Done(); return nil }
				r := b.ask(b.Context(), smtpprobe.Request{Target: target, Budget: 5 * time.Second, Hosts: moreOf(more)})
				if r.took != 5*time.Second || r.err != nil {
					b.Errorf("took %v, want five seconds (%v)", r.took, r.err)
				}
			})
		}
		all.Wait()
	})
}

// TestNobodyIsAskedForMore sees that nobody is when the time is over, or when
// one address, in two sessions, speaks for its host about extensions; and that
// what is found is checked.
func TestNobodyIsAskedForMore(t *testing.T) {
	silent := one(&smtptest.Host{Greeting: smtptest.Hangs})
	for name, s := range map[string]setting{
		"budget":   {hosts: silent, req: smtpprobe.Request{Budget: 5 * time.Second}},
		"deadline": {hosts: silent, timeout: 5 * time.Second},
		"SMTPUTF8": {hosts: one(good()), req: smtpprobe.Request{Target: "zoë@example.com", SMTPUTF8: true}},
	} {
		s.req.Hosts = moreOf(func(context.Context) []netip.Addr { t.Errorf("%s: asked for more", name); return nil })
		if o := probe(t, s); name == "SMTPUTF8" && (len(o.dials) != 2 || o.err != nil) {
			t.Errorf("dialled %v, error %v", o.dials, o.err)
		}
	}
	none := func(context.Context) []netip.Addr { return make([]netip.Addr, 1) }
	o := probe(t, setting{req: smtpprobe.Request{Hosts: moreOf(none)}})
	if o.err == nil || len(o.found.Sessions) != 1 || len(o.dials) != 1 {
		t.Errorf("error %v with %d sessions, dialled %v", o.err, len(o.found.Sessions), o.dials)
	}
}
