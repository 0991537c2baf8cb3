package dnsresolve

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"github.com/miekg/dns"
)

// Exchanger sends one query to one server and returns its answer. network is "udp" or "tcp", server is HOST:PORT.
type Exchanger interface {
	Exchange(ctx context.Context, query *dns.Msg, network, server string) (*dns.Msg, error)
}

// Config configures a [Resolver]. Every zero field has the default that its comment names.
type Config struct {
	Servers    []string      // HOST:PORT or HOST (port 53); default: the system's (/etc/resolv.conf)
	Exchanger  Exchanger     // default: UDP and TCP sockets
	TryTimeout time.Duration // for one question to one server; default 3 s
	Timeout    time.Duration // for one look-up, every try included; default 10 s
	MaxHosts   int           // mail exchangers looked up; default 5
	MaxAddrs   int           // addresses kept of one mail exchanger; default 4
	CacheBytes int64         // cost bound of the cache; default 16 MiB; negative: no cache
	Logger     *slog.Logger  // default: silent
}

// Resolver finds the mail exchangers of domains. It is safe for concurrent use.
type Resolver struct{}

// New returns a Resolver.
func New(Config) (*Resolver, error) { panic("not here yet") }

// MailHosts finds where mail for domain (lower-case A-labels) goes. The error is non-nil only when ctx was cancelled; every outcome
// in the DNS, a deadline of ctx included, is in the findings.
func (r *Resolver) MailHosts(ctx context.Context, domain string) (Findings, error) {
	panic("not here yet")
}

// Close frees the cache.
func (r *Resolver) Close() {}

// Reserved names the special-purpose block that ip is in, or returns "".
func Reserved(ip netip.Addr) string { panic("not here yet") }
