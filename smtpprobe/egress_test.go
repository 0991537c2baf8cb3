package smtpprobe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// secret is the password of the proxies.
const secret = "hunter2"

// proxyAt is the egress through the proxy at an address.
func proxyAt(t *testing.T, addr string, forward smtpprobe.Dialer) egress.Egress {
	t.Helper()
	e, err := egress.Proxy(&url.URL{Scheme: "socks5", Host: addr, User: url.UserPassword("user", secret)}, forward)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// throughProxies runs f in a bubble with a pool that goes out through proxies
// at 10.0.0.1:1080, 10.0.0.2:1080 and so on; nil: no proxy.
func throughProxies(t *testing.T, c smtpprobe.Config, proxies []*smtptest.Proxy, f func(b *bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		for i, p := range proxies {
			addr := fmt.Sprintf("10.0.0.%d:1080", i+1)
			if p != nil {
				p.Dialer = network
				network.Add(addr, p)
			}
			c.Egresses = append(c.Egresses, proxyAt(t, addr, network))
		}
		b := &bubble{T: t, network: network, pool: newProber(t, c, nil)}
		f(b)
		if err := b.pool.Close(); err != nil {
			t.Error(err)
		}
		network.Close()
	})
}

// TestThroughAProxy sees that the proxy is told addresses and no names, that
// sessions are shared through it as without it, and that the findings name it.
func TestThroughAProxy(t *testing.T) {
	proxy := &smtptest.Proxy{Username: "user", Password: secret}
	throughProxies(t, smtpprobe.Config{}, []*smtptest.Proxy{proxy}, func(b *bubble) {
		b.add("192.0.2.1", &peer{})
		for _, r := range b.askInTurn(aboutAll(mailboxes(5, none, "a.example"))) {
			if s := r.last(); s.Target == nil || s.Egress != "socks5://10.0.0.1:1080" {
				b.Errorf("through %q: %v", s.Egress, r)
			}
		}
	})
	if got := proxy.Targets(); len(got) != 1 || got[0] != "192.0.2.1:25" {
		t.Errorf("the proxy was asked for %v", got)
	}
}

// TestOwnNameThroughAProxy sees that hosts are not told the address by which
// this machine knows itself, which they do not see.
func TestOwnNameThroughAProxy(t *testing.T) {
	for bound, want := range map[string]string{"203.0.113.9:999": "EHLO [203.0.113.9]", "0.0.0.0:0": "EHLO [127.0.0.1]"} {
		proxy := &smtptest.Proxy{Bound: netip.MustParseAddrPort(bound)}
		throughProxies(t, smtpprobe.Config{HELO: ownAddress}, []*smtptest.Proxy{proxy}, func(b *bubble) {
			b.add("192.0.2.1", &peer{})
			r := b.ask(b.Context(), about("good@a.example"))
			if said := transcript(r.last()); !strings.Contains(said, want) {
				b.Errorf("bound to %s: want %q in\n%s", bound, want, said)
			}
		})
	}
}

// TestBrokenProxies sees that a proxy that does not work is told as ours, in
// time and without its password, and that no host is blamed for it.
func TestBrokenProxies(t *testing.T) {
	const ours, hosts = smtp.KindEgress, smtp.KindTimeout
	tests := []struct {
		name  string
		proxy *smtptest.Proxy // nil: no proxy
		kind  smtp.Kind
		text  string
	}{
		{"not there", nil, ours, "socks5://10.0.0.1:1080: connect: connection refused"},
		{"stalls", &smtptest.Proxy{Fault: smtptest.ProxyStalls}, ours, "socks5://10.0.0.1:1080: no answer in time"},
		{"hangs up", &smtptest.Proxy{Fault: smtptest.ProxyCloses}, ours, "socks5://10.0.0.1:1080: the server closed the connection"},
		{"garbage", &smtptest.Proxy{Fault: smtptest.ProxyIsHTTP}, ours, "socks5://10.0.0.1:1080: it does not speak SOCKS5"},
		{"another version", &smtptest.Proxy{Fault: smtptest.ProxyIsSOCKS4}, ours, "socks5://10.0.0.1:1080: it does not speak SOCKS5"},
		{"wrong password", &smtptest.Proxy{Username: "user", Password: "x"}, ours, "socks5://10.0.0.1:1080: it refuses the user name and password"},
		{"rules", &smtptest.Proxy{Reply: 2}, ours, "socks5://10.0.0.1:1080: its rules do not allow the connection"},
		{"host is silent", &smtptest.Proxy{Fault: smtptest.ProxyStallsAtRequest}, hosts, "no answer in time"},
		{"host refuses", &smtptest.Proxy{Reply: 5}, smtp.KindRefused, "connection refused"},
		{"no route", &smtptest.Proxy{Reply: 3}, smtp.KindUnreachable, "network is unreachable"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			config := smtpprobe.Config{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
			throughProxies(t, config, []*smtptest.Proxy{tt.proxy}, func(b *bubble) {
				r := b.ask(b.Context(), about("good@a.example"))
				failure := r.last().Failure
				if r.err != nil || failure == nil || failure.Kind != tt.kind || !strings.Contains(failure.Text, tt.text) {
					b.Errorf("%v (%v); want %s: %s", failure, r.err, tt.kind, tt.text)
				}
				if r.took > 7*time.Second {
					b.Errorf("took %v", r.took)
				}
				synctest.Wait() // the session is logged when it has its answer, which does not wait for that
				if said, _ := json.Marshal(r.found); bytes.Contains(said, []byte(secret)) || strings.Contains(log.String(), secret) {
					b.Errorf("the password is in %s\n%s", said, log.String())
				}
			})
		})
	}
}

// TestSessionsOutliveTheProxy sees that those who can be served by a session
// that is open are, when the proxy takes no more.
func TestSessionsOutliveTheProxy(t *testing.T) {
	throughProxies(t, smtpprobe.Config{}, []*smtptest.Proxy{{}}, func(b *bubble) {
		b.add("192.0.2.1", &peer{RCPTDelay: 200 * time.Millisecond})
		var first sync.WaitGroup
		first.Go(func() { b.ask(b.Context(), about("good@a.example")) })
		time.Sleep(2 * time.Second)
		b.network.Unreachable("10.0.0.1:1080")
		b.checkAnswered(b.askAll(aboutAll(mailboxes(30, none, "a.example"))), 250) // over the session that is open
		first.Wait()
	})
}

var errAny = errors.New("any error")

// TestNoWayToTheFamily sees that a host which no source address leads to is
// told so, is passed over for one that can be reached, and costs no connection.
func TestNoWayToTheFamily(t *testing.T) {
	inBubble(t, smtpprobe.Config{}, one(&peer{}), func(b *bubble) {
		if err := b.pool.SetEgresses(egress.Egresses{{Name: "198.51.100.1", Dialer: b.gauges, Only4: true}}, nil); err != nil {
			b.Fatal(err)
		}
		addrs := []string{"2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8::4", "2001:db8::5", "2001:db8::6", "2001:db8::7", "192.0.2.1"}
		r := b.ask(b.Context(), about("good@a.example", addrs...))
		if r.code() != 250 || r.last().Egress != "198.51.100.1" {
			b.Errorf("found %v", r)
		}
		if first := r.found.Sessions[0].Failure; first == nil || first.Kind != smtp.KindEgress || !strings.Contains(first.Text, "of the other family") {
			b.Errorf("the first session: %v", first)
		}
		for address, want := range map[string]error{"[2001:db8::1]:25": egress.ErrNone, "mx.example:25": errAny, "192.0.2.1:25": nil} {
			conn, err := b.pool.DialContext(b.Context(), "tcp", address)
			if (err == nil) != (want == nil) || want != errAny && !errors.Is(err, want) {
				b.Errorf("DialContext(%s): %v, want %v", address, err, want)
			}
			if err == nil {
				_ = conn.Close()
			}
		}
		if v4 := b.pool.ReachesIPv4(); !v4 {
			b.Error("IPv4 is out of reach")
		}
		if dials := b.network.Dials(); len(dials) != 2 {
			b.Errorf("dialled %v", dials)
		}
	})
}

// TestDialersMayBlameThemselves sees that an embedding program's own dialer can
// tell its failure from the host's.
func TestDialersMayBlameThemselves(t *testing.T) {
	broken := func(smtpprobe.Dialer) smtpprobe.Dialer {
		return dialerFunc(func(context.Context, string, string) (net.Conn, error) {
			return nil, fmt.Errorf("tunnel: %w", &egress.Error{Egress: "tunnel 7", Err: errors.New("the tunnel is down")})
		})
	}
	o := probe(t, setting{by: broken}, &peer{})
	failure := o.last().Failure
	if o.err != nil || failure == nil || failure.Kind != smtp.KindEgress || failure.Text != "tunnel 7: the tunnel is down" {
		t.Errorf("%v (%v)", failure, o.err)
	}
}

// dialerFunc is a function as a dialer.
type dialerFunc func(ctx context.Context, network, address string) (net.Conn, error)

func (f dialerFunc) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return f(ctx, network, address)
}
