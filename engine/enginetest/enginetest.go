// Package enginetest makes a small world of fake domains and mail hosts, for
// offline tests of programs that embed the engine. Inside a [testing/synctest]
// bubble, evidence and results are the same each time, with their times.
//
//	world := enginetest.New(t)
//	world.Domain("example.org", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}})
//	verifier := world.Verifier(engine.Config{})
//
// [Result] makes a single result, for tests of what a program does with it.
package enginetest

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// Control is the local-part of the control mailbox in every domain. Hosts with
// [smtptest.Host] refuse it as they refuse every mailbox that they do not have.
const Control = "control.mailbox"

// networks are those for documentation (RFC 5737), in which the mail hosts are.
var networks = []netip.Prefix{
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
}

// World is a set of domains and mail hosts. Its fields may be used for more
// than the methods offer: faults of the DNS, hosts that cannot be reached, what
// was asked.
type World struct {
	DNS  *dnstest.Server
	Mail *smtptest.Network

	tb   testing.TB
	next netip.Addr // of the next mail host
}

// New returns an empty World. It is closed at the end of the test, which fails
// if a client broke the rules of SMTP ([smtptest.Network.Err]).
func New(tb testing.TB) *World {
	w := &World{DNS: dnstest.New(""), Mail: smtptest.NewNetwork(), tb: tb, next: networks[0].Addr().Next()}
	tb.Cleanup(func() {
		w.Mail.Close()
		if err := w.Mail.Err(); err != nil {
			tb.Errorf("enginetest: %v", err)
		}
	})
	return w
}

// Domain adds a domain with one mail exchanger, mx. and its name, and returns
// the address of that. If host is nil, the exchanger refuses connections. There
// is room for 762 domains.
func (w *World) Domain(name string, host smtptest.Handler) netip.Addr {
	w.tb.Helper()
	ip := w.next
	in := slices.IndexFunc(networks, func(n netip.Prefix) bool { return n.Contains(ip) })
	if in < 0 {
		w.tb.Fatalf("enginetest: there are too many domains")
	}
	w.next = ip.Next()
	if w.next.As4()[3] == 255 && in+1 < len(networks) { // the last address is that of a broadcast
		w.next = networks[in+1].Addr().Next()
	} else if w.next.As4()[3] == 255 {
		w.next = netip.Addr{}
	}
	w.DNS.Add(fmt.Sprintf("%s. MX 10 mx.%s.\nmx.%s. A %s\n", name, name, name, ip))
	if host != nil {
		w.Mail.Add(ip.String(), host)
	}
	return ip
}

// Verifier returns a Verifier that knows only this world. It is closed at the
// end of the test. In config, Exchanger, Resolvers, Dialer and AllowNets belong
// to the world; HELO and Control have defaults.
func (w *World) Verifier(config engine.Config) *engine.Verifier {
	w.tb.Helper()
	config.Exchanger, config.Dialer = w.DNS, w.Mail
	config.Resolvers = []string{"192.0.2.53"} // which no query reaches
	config.AllowNets = append(slices.Clone(networks), config.AllowNets...)
	if config.HELO == "" {
		config.HELO = "verifier.test"
	}
	if config.Control == nil {
		config.Control = func(string, time.Time) string { return Control }
	}
	v, err := engine.New(config)
	if err != nil {
		w.tb.Fatalf("enginetest: %v", err)
	}
	w.tb.Cleanup(func() {
		if err := v.Close(); err != nil {
			w.tb.Errorf("enginetest: %v", err)
		}
	})
	return v
}
