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

	"github.com/rcpt/rcpt/internal/fakeproxy"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// secret is the password of the proxies.
const secret = "hunter2"

// proxyAt is the way through the proxy at an address.
func proxyAt(t *testing.T, addr string, forward smtpprobe.Dialer) egress.Egress {
	t.Helper()
	way, err := egress.Proxy(&url.URL{Scheme: "socks5", Host: addr, User: url.UserPassword("user", secret)}, forward)
	if err != nil {
		t.Fatal(err)
	}
	return way
}

// throughProxies runs f in a bubble with a pool that goes out through proxies
// at 10.0.0.1:1080, 10.0.0.2:1080 and so on; nil: no proxy.
func throughProxies(t *testing.T, c smtpprobe.Config, proxies []*fakeproxy.Proxy, f func(b *bubble)) {
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
	proxy := &fakeproxy.Proxy{Username: "user", Password: secret}
	throughProxies(t, smtpprobe.Config{}, []*fakeproxy.Proxy{proxy}, func(b *bubble) {
		b.network.Add("192.0.2.1", &peer{})
		for i := range 5 {
			r := b.ask(b.Context(), about(fmt.Sprintf("good%d@a.example", i)))
			if s := r.last(); s.Target == nil || s.Egress != "socks5://10.0.0.1:1080" {
				b.Errorf("through %q: %s (%v)", s.Egress, summaries(r.found), r.err)
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
		proxy := &fakeproxy.Proxy{Bound: netip.MustParseAddrPort(bound)}
		throughProxies(t, smtpprobe.Config{HELO: ownAddress}, []*fakeproxy.Proxy{proxy}, func(b *bubble) {
			b.network.Add("192.0.2.1", &peer{})
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
		proxy *fakeproxy.Proxy // nil: no proxy
		kind  smtp.Kind
		text  string
	}{
		{"not there", nil, ours, "socks5://10.0.0.1:1080: connect: connection refused"},
		{"stalls", &fakeproxy.Proxy{Fault: fakeproxy.Stalls}, ours, "socks5://10.0.0.1:1080: no answer in time"},
		{"hangs up", &fakeproxy.Proxy{Fault: fakeproxy.Closes}, ours, "socks5://10.0.0.1:1080: the server closed the connection"},
		{"garbage", &fakeproxy.Proxy{Fault: fakeproxy.IsHTTP}, ours, "socks5://10.0.0.1:1080: it does not speak SOCKS5"},
		{"another version", &fakeproxy.Proxy{Fault: fakeproxy.IsSOCKS4}, ours, "socks5://10.0.0.1:1080: it does not speak SOCKS5"},
		{"wrong password", &fakeproxy.Proxy{Username: "user", Password: "x"}, ours, "socks5://10.0.0.1:1080: it refuses the user name and password"},
		{"rules", &fakeproxy.Proxy{Reply: 2}, ours, "socks5://10.0.0.1:1080: its rules do not allow the connection"},
		{"host is silent", &fakeproxy.Proxy{Fault: fakeproxy.StallsAtRequest}, hosts, "no answer in time"},
		{"host refuses", &fakeproxy.Proxy{Reply: 5}, smtp.KindRefused, "connection refused"},
		{"no route", &fakeproxy.Proxy{Reply: 3}, smtp.KindUnreachable, "network is unreachable"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			config := smtpprobe.Config{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
			throughProxies(t, config, []*fakeproxy.Proxy{tt.proxy}, func(b *bubble) {
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

// TestBrokenProxyIsNotRemembered sees that once the proxy works, the host is
// asked at once: nothing is held against it.
func TestBrokenProxyIsNotRemembered(t *testing.T) {
	stalls := &fakeproxy.Proxy{Fault: fakeproxy.Stalls}
	throughProxies(t, smtpprobe.Config{}, []*fakeproxy.Proxy{stalls}, func(b *bubble) {
		b.network.Add("192.0.2.1", &peer{})
		for _, r := range b.askAll(aboutAll(mailboxes(100, func(int) bool { return false }, "a.example"))) {
			if r.last().Failure == nil || r.last().Failure.Kind != smtp.KindEgress {
				b.Fatalf("found %s (%v)", summaries(r.found), r.err)
			}
		}
		if n := len(b.network.Dials()); n > 30 {
			b.Errorf("%d connections to a proxy that does not answer", n)
		}
		b.network.Add("10.0.0.1:1080", &fakeproxy.Proxy{Dialer: b.network})
		if r := b.ask(b.Context(), about("good@a.example")); r.last().Target == nil {
			b.Errorf("found %s (%v)", summaries(r.found), r.err)
		}
	})
}

// TestSessionsOutliveTheProxy sees that those who can be served by a session
// that is open are, when the proxy takes no more.
func TestSessionsOutliveTheProxy(t *testing.T) {
	throughProxies(t, smtpprobe.Config{}, []*fakeproxy.Proxy{{}}, func(b *bubble) {
		b.network.Add("192.0.2.1", &peer{wait: func(*visit, string) time.Duration { return 200 * time.Millisecond }})
		var first sync.WaitGroup
		first.Go(func() { b.ask(b.Context(), about("good@a.example")) })
		time.Sleep(2 * time.Second)
		b.network.Unreachable("10.0.0.1:1080")
		answered := 0
		for _, r := range b.askAll(aboutAll(mailboxes(30, func(int) bool { return false }, "a.example"))) {
			if r.last().Target != nil {
				answered++
			}
		}
		first.Wait()
		if answered < 30 {
			b.Errorf("%d of 30 were answered over the session that was open", answered)
		}
	})
}

// TestAHostIsMetThroughOneProxy sees that a host which put us off sees the same
// client again, and that several proxies share the hosts.
func TestAHostIsMetThroughOneProxy(t *testing.T) {
	proxies := []*fakeproxy.Proxy{{}, {}, {}}
	const hosts = 60
	throughProxies(t, smtpprobe.Config{}, proxies, func(b *bubble) {
		for round := range 3 {
			for i := range hosts {
				addr := fmt.Sprintf("192.0.%d.1", i)
				b.network.Add(addr, &smtptest.Host{RCPT: "451 4.7.1 greylisted"})
				if r := b.ask(b.Context(), about(fmt.Sprintf("u%d@a%d.example", round, i), addr)); r.last().Target == nil {
					b.Fatalf("found %s (%v)", summaries(r.found), r.err)
				}
			}
			time.Sleep(10 * time.Minute)
		}
	})
	through := map[string]int{}
	for i, p := range proxies {
		targets := p.Targets()
		if len(targets) < hosts/6*3 {
			t.Errorf("%d sessions through the %d. proxy", len(targets), i+1)
		}
		for _, target := range targets {
			if before, ok := through[target]; ok && before != i {
				t.Fatalf("%s was met through two proxies", target)
			}
			through[target] = i
		}
	}
	if len(through) != hosts {
		t.Errorf("%d hosts were met", len(through))
	}
}

// TestABlockConcernsOneWay sees that a provider which blocks one of our
// addresses is still asked from the others, and that the state says which it
// is.
func TestABlockConcernsOneWay(t *testing.T) {
	proxies := []*fakeproxy.Proxy{{}, {}}
	throughProxies(t, smtpprobe.Config{}, proxies, func(b *bubble) {
		ask := func(i int) {
			addr := fmt.Sprintf("192.0.%d.1", i)
			b.network.Add(addr, &smtptest.Host{RCPT: "550 5.7.1 your address is on a block list"})
			req := about(fmt.Sprintf("u@a%d.example", i), addr)
			req.Hosts[0].Name = "aspmx.l.google.com"
			b.ask(b.Context(), req)
		}
		for i := 0; len(b.pool.Stats().Paused) == 0 && i < 40; i++ {
			ask(i)
		}
		paused := b.pool.Stats().Paused
		if len(paused) != 1 || !strings.HasPrefix(paused[0].Egress, "socks5://10.0.0.") {
			b.Fatalf("left alone: %+v", paused)
		}
		before := [2]int{len(proxies[0].Targets()), len(proxies[1].Targets())}
		for i := 40; i < 60; i++ {
			ask(i)
		}
		for i, proxy := range proxies {
			blocked := paused[0].Egress == fmt.Sprintf("socks5://10.0.0.%d:1080", i+1)
			if asked := len(proxy.Targets()) > before[i]; asked == blocked {
				b.Errorf("proxy %d: blocked %t, asked %t", i+1, blocked, asked)
			}
		}
	})
}

// TestNoWayToTheFamily sees that a host which no source address leads to is
// told so, is passed over for one that can be reached, and costs no connection.
func TestNoWayToTheFamily(t *testing.T) {
	network := smtptest.NewNetwork()
	defer network.Close()
	network.Add("192.0.2.1", &peer{})
	pool := newProber(t, smtpprobe.Config{Egresses: egress.Egresses{{Name: "198.51.100.1", Dialer: network, Only4: true}}}, nil)
	defer func() { _ = pool.Close() }()
	addrs := []string{"2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8::4", "2001:db8::5", "2001:db8::6", "2001:db8::7", "192.0.2.1"}
	found, err := pool.Probe(t.Context(), about("good@a.example", addrs...))
	if last := (told{found: found}).last(); err != nil || last.Target == nil || last.Egress != "198.51.100.1" {
		t.Errorf("found %s (%v)", summaries(found), err)
	}
	if first := found.Sessions[0].Failure; first == nil || first.Kind != smtp.KindEgress || !strings.Contains(first.Text, "of the other family") {
		t.Errorf("the first session: %v", first)
	}
	if dials := network.Dials(); len(dials) != 1 {
		t.Errorf("dialled %v", dials)
	}
}

// TestDialersMayBlameThemselves sees that an embedding program's own dialer can
// tell its failure from the host's.
func TestDialersMayBlameThemselves(t *testing.T) {
	down := errors.New("the tunnel is down")
	dialer := dialerFunc(func(context.Context, string, string) (net.Conn, error) {
		return nil, fmt.Errorf("tunnel: %w", &egress.Error{Egress: "tunnel 7", Err: down})
	})
	pool := newProber(t, smtpprobe.Config{}, dialer)
	defer func() { _ = pool.Close() }()
	found, err := pool.Probe(t.Context(), about("good@a.example"))
	failure := (told{found: found}).last().Failure
	if err != nil || failure == nil || failure.Kind != smtp.KindEgress || failure.Text != "tunnel 7: the tunnel is down" {
		t.Errorf("%v (%v)", failure, err)
	}
}

type dialerFunc func(ctx context.Context, network, address string) (net.Conn, error)

func (f dialerFunc) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return f(ctx, network, address)
}
