package dnsresolve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// Exchanger sends one query to one server and returns the answer, both as
// messages of RFC 1035 §4 without the length that precedes them over TCP.
// network is "udp" or "tcp", server is HOST:PORT: the names of [Config.Servers]
// with a port. An Exchanger may ignore both; package doh has one that does.
//
// Exchange returns when ctx ends at the latest. It does not change the query,
// and keeps neither message. The Resolver parses the answer and checks that it
// has the ID and the question of the query. It asks over "tcp" what was
// truncated over "udp".
type Exchanger interface {
	Exchange(ctx context.Context, query []byte, network, server string) (answer []byte, err error)
}

// Config configures a [Resolver]. Every zero field has the default that its
// comment names.
type Config struct {
	Servers    []string      // HOST:PORT or HOST (port 53); default: the system's
	Exchanger  Exchanger     // default: UDP and TCP sockets
	TryTimeout time.Duration // for one question to one server; default 3 s
	Timeout    time.Duration // for one look-up, every try included; default 10 s
	MaxHosts   int           // mail exchangers looked up; default 5
	MaxAddrs   int           // addresses kept of one host, public ones before reserved ones; default 4
	CacheBytes int64         // cost bound of the cache; default 16 MiB; negative: no cache
	MaxQueries int           // queries in progress at a time, each with a socket; others wait; default 512
	Logger     *slog.Logger  // default: silent

	// SkipIPv6 reports whether a host with this IPv4 address needs no others
	// for now. Its IPv6 addresses are then asked for by [Resolver.AddIPv6]
	// only, or if the IPv4 addresses are not known after the time of one try.
	// Default: both kinds are asked for at the same time.
	SkipIPv6 func(Addr) bool
}

// Resolver finds the mail exchangers of domains. It is safe for concurrent use.
type Resolver struct {
	*shared
	anew bool // neither the cache nor queries of other callers answer
	turn int  // how many servers are passed over
}

// shared is what a Resolver has in common with those of [Resolver.Anew].
type shared struct {
	servers    servers
	exchanger  Exchanger
	sockets    sockets // used without an exchanger
	tryTimeout time.Duration
	timeout    time.Duration
	maxHosts   int
	maxAddrs   int
	log        *slog.Logger
	suffices   func(Addr) bool
	shuffle    shuffler

	counters counters

	cache   cache
	calling sync.Mutex // guards calls
	calls   map[question]*call
	places  chan struct{} // one for each query in progress

	base   context.Context // ends with Close
	cancel context.CancelFunc
	mu     sync.Mutex // guards closed, and users against Add after Wait
	closed bool
	users  sync.WaitGroup
}

// New returns a Resolver. It returns an error if the name of a server is
// invalid, a limit is negative, or there are neither servers of the system (in
// /etc/resolv.conf, or of the network adapters on Windows) nor configured ones.
// [Resolver.Close] frees its resources.
func New(config Config) (*Resolver, error) {
	return newResolver(config, systemServers)
}

func newResolver(config Config, ofSystem system) (*Resolver, error) {
	if min(config.MaxHosts, config.MaxAddrs, config.MaxQueries) < 0 || min(config.TryTimeout, config.Timeout) < 0 {
		return nil, errors.New("dnsresolve: a limit or timeout of the Config is negative")
	}
	all, err := addresses(config.Servers, ofSystem)
	switch {
	case err == nil:
	case errors.Is(err, errNoServers) && config.Exchanger != nil: // which may need no server's name
		all = []string{net.JoinHostPort(localServer, defaultPort)}
	default:
		return nil, err
	}
	most := cmp.Or(config.MaxQueries, defaultMaxQueries)
	r := &Resolver{shared: &shared{
		servers:    servers{all: all},
		sockets:    sockets{maxIdle: idleSockets(most)},
		exchanger:  config.Exchanger,
		tryTimeout: cmp.Or(config.TryTimeout, defaultTryTimeout),
		timeout:    cmp.Or(config.Timeout, defaultTimeout),
		maxHosts:   cmp.Or(config.MaxHosts, defaultMaxHosts),
		maxAddrs:   cmp.Or(config.MaxAddrs, defaultMaxAddrs),
		log:        cmp.Or(config.Logger, slog.New(slog.DiscardHandler)),
		suffices:   config.SkipIPv6,
		shuffle:    rand.Shuffle,
		cache:      newCache(cmp.Or(config.CacheBytes, defaultCacheBytes)),
		places:     make(chan struct{}, most),
		calls:      make(map[question]*call),
	}}
	r.log.Debug("DNS servers", "servers", all)
	r.base, r.cancel = context.WithCancel(context.Background())
	return r, nil
}

// MailHosts finds where mail for domain (lower-case A-labels) goes. The error
// is non-nil only if ctx ended, by a cancel or by its deadline: it wraps
// ctx.Err() and the cause, and what was not found by then has a temporary
// status, which says nothing about the domain. Every outcome in the DNS is in
// the findings.
func (r *Resolver) MailHosts(ctx context.Context, domain string) (Findings, error) {
	found := r.gather(ctx, domain)
	return found, gaveUp(ctx, "mail hosts of "+domain)
}

// gaveUp is the error of a search whose context ended.
func gaveUp(ctx context.Context, search string) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	switch {
	case err == nil:
		return nil
	case errors.Is(cause, err):
		return fmt.Errorf("dnsresolve: %s: %w", search, cause)
	}
	return fmt.Errorf("dnsresolve: %s: %w: %w", search, err, cause)
}

// Close ends the queries in progress and frees the cache. All methods may still
// be called: a closed Resolver sends no queries and finds nothing, and its
// findings have [StatusError], which is temporary and says nothing about the
// domain.
func (r *Resolver) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.sockets.close()
	r.users.Wait()
	r.cache.store.Clear()
}

// enter registers a user of the cache, unless the Resolver is closed. It is
// paired with leave.
func (r *Resolver) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.users.Add(1)
	return true
}

func (r *Resolver) leave() { r.users.Done() }
