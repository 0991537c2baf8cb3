package engine_test

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// fickle answers from another world each time it is asked for an address, and
// lets nothing be kept.
type fickle struct {
	mu     sync.Mutex
	worlds []*dnstest.Server
	asked  int
}

func (f *fickle) Exchange(ctx context.Context, query []byte, network, server string) ([]byte, error) {
	asked := new(dns.Msg)
	if err := asked.Unpack(query); err != nil {
		return nil, err
	}
	f.mu.Lock()
	world := f.worlds[f.asked%len(f.worlds)]
	if asked.Question[0].Qtype == dns.TypeA {
		f.asked++
	}
	f.mu.Unlock()
	return world.Exchange(ctx, query, network, server)
}

func newFickle(ips ...string) *fickle {
	f := &fickle{}
	for _, ip := range ips {
		f.worlds = append(f.worlds, dnstest.New("example.test. 0 MX 10 mx.example.test.\nmx.example.test. 0 A "+ip+"\n"))
	}
	return f
}

// TestRebinding checks that the address that was looked at is the one that is
// dialled: a name that leads to a public address at one moment and to the
// loopback at the next cannot have us talk to the loopback, neither straight
// nor through a proxy, which is never told a name.
func TestRebinding(t *testing.T) {
	const proxyAddr = "10.0.0.1:1080"
	for _, proxied := range []bool{false, true} {
		for _, order := range [][]string{{"9.9.9.9", "127.0.0.1"}, {"127.0.0.1", "9.9.9.9"}, {"9.9.9.9", "10.0.0.25", "127.0.0.1", ownPublic}} {
			synctest.Test(t, func(t *testing.T) {
				network := smtptest.NewNetwork()
				defer network.Close()
				for _, ip := range order {
					network.Add(ip, &smtptest.Host{})
				}
				proxy := &smtptest.Proxy{Dialer: network}
				network.Add(proxyAddr, proxy)
				config := engine.Config{HELO: "verifier.test", Resolvers: []string{"192.0.2.53"}, Exchanger: newFickle(order...), Dialer: network, OwnAddrs: ownAddrs()}
				if proxied {
					config.Proxies = []*url.URL{{Scheme: "socks5", Host: proxyAddr}}
				}
				verifier, err := engine.New(config)
				if err != nil {
					t.Fatal(err)
				}
				defer verifier.Close()
				for range 3 * len(order) {
					evidence, err := verifier.Gather(t.Context(), "user@example.test")
					if err != nil {
						t.Fatal(err)
					}
					checkDialled(t, evidence)
					time.Sleep(time.Minute) // whatever was kept is forgotten
				}
				dialled := network.Dials()
				if proxied {
					dialled = slices.Concat(proxy.Targets(), slices.DeleteFunc(dialled, func(a string) bool { return a == proxyAddr }))
				}
				if len(dialled) == 0 {
					t.Error("nothing was dialled")
				}
				for _, addr := range dialled {
					if addr != "9.9.9.9:25" {
						t.Errorf("%v, through a proxy %t: %s was dialled", order, proxied, addr)
					}
				}
			})
		}
	}
}

// checkDialled sees that sessions were with addresses that the evidence of the
// DNS has as public ones.
func checkDialled(t *testing.T, evidence engine.Evidence) {
	t.Helper()
	if evidence.SMTP == nil {
		return
	}
	var checked []netip.Addr
	for _, host := range evidence.DNS.Hosts {
		for _, addr := range host.Addrs {
			if addr.Reserved == "" {
				checked = append(checked, addr.IP)
			}
		}
	}
	for _, session := range evidence.SMTP.Sessions {
		if !slices.Contains(checked, session.Addr.Addr()) {
			t.Errorf("a session with %s, which was not looked at", session.Addr)
		}
	}
}

// TestNamesAreNotDialled checks that a dialler only ever sees addresses, so
// that nothing below us looks a name up once more.
func TestNamesAreNotDialled(t *testing.T) {
	var dialled []string
	dialer := dialerFunc(func(_ context.Context, _, address string) (net.Conn, error) {
		dialled = append(dialled, address)
		return nil, net.ErrClosed
	})
	verifyWith(t, engine.Config{Exchanger: dnstest.New(zoneOf("9.9.9.9", "2620:fe::fe")), Dialer: dialer})
	if len(dialled) != 2 {
		t.Errorf("dialled %v", dialled)
	}
	for _, address := range dialled {
		if _, err := netip.ParseAddrPort(address); err != nil {
			t.Errorf("dialled %q: %v", address, err)
		}
	}
}

type dialerFunc func(ctx context.Context, network, address string) (net.Conn, error)

func (f dialerFunc) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return f(ctx, network, address)
}
