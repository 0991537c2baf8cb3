package rhsbl

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/internal/sys/publicsuffix"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/lists"
)

const (
	// timeout is the time for the look-up of a domain: what a list says is
	// not worth a longer wait.
	timeout = 2 * time.Second
	// tryTimeout leaves time for a second query: UDP loses packets.
	tryTimeout = timeout / 2
	// restTime is how long a list that failed or refused is not asked: a dead
	// list delays no other addresses, and one that was asked too much is left
	// in peace.
	restTime = time.Minute
	// cacheBytes is room for some ten thousand answers.
	cacheBytes = 4 << 20

	maxDomain = 253 // octets in text (RFC 1035 §2.3.4)
	// minKey is the length from which the first label of a zone is taken for
	// its user's key and hidden. Keys of Spamhaus have 26 octets.
	minKey = 20
)

// Config configures [New].
type Config struct {
	// Zones are those of the lists, as [Zones] returns them.
	Zones []string
	// Servers, Exchanger and MaxQueries are as in [dnsresolve.Config].
	Servers    []string
	Exchanger  dnsresolve.Exchanger
	MaxQueries int
	// Logger receives the first failure of each list. Required.
	Logger *slog.Logger
}

// Lists are lists of domains in the DNS. They have a resolver of their own, so
// that slow lists do not delay the search for mail hosts. Lists is safe for
// concurrent use; nil has no lists.
type Lists struct {
	lists    []*list
	resolver *dnsresolve.Resolver
	log      *slog.Logger
}

type list struct {
	zone      string
	shown     string
	restUntil atomic.Int64 // Unix nanoseconds
	warned    sync.Once
}

// New returns the lists of the zones; nil without zones.
func New(config Config) (*Lists, error) {
	if len(config.Zones) == 0 {
		return nil, nil
	}
	l := &Lists{log: config.Logger}
	for _, zone := range config.Zones {
		l.lists = append(l.lists, &list{zone: zone, shown: withoutKey(zone)})
	}
	var err error
	l.resolver, err = dnsresolve.New(dnsresolve.Config{
		Servers: config.Servers, Exchanger: config.Exchanger, MaxQueries: config.MaxQueries,
		TryTimeout: tryTimeout, Timeout: timeout, CacheBytes: cacheBytes,
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Close frees the resolver.
func (l *Lists) Close() {
	if l != nil {
		l.resolver.Close()
	}
}

// Zones returns the names of zones in the form that the DNS knows, each once.
func Zones(given []string) ([]string, error) {
	var zones []string
	for _, name := range given {
		zone, err := address.Domain(name)
		if err != nil {
			return nil, fmt.Errorf("RHSBL %q is not the zone of a list: %w", name, err)
		}
		if !slices.Contains(zones, zone) {
			zones = append(zones, zone)
		}
	}
	return zones, nil
}

func withoutKey(zone string) string {
	if first, rest, _ := strings.Cut(zone, "."); len(first) >= minKey && strings.Contains(rest, ".") {
		return rest
	}
	return zone
}

// Domain returns the registrable domain that is looked up for an address in
// domain with these matches, and whether there is one. The domains of free
// providers are not looked up, because strangers share them, nor those that the
// user allows.
func (l *Lists) Domain(domain string, matches []lists.Match) (string, bool) {
	exempt := func(m lists.Match) bool { return m.List == lists.KindFree || m.List == lists.KindAllow }
	if l == nil || slices.ContainsFunc(matches, exempt) {
		return "", false
	}
	registrable, err := publicsuffix.EffectiveTLDPlusOne(domain)
	return registrable, err == nil
}

// LookUp asks all lists about a domain at the same time. Those that rest, and
// those whose names leave no room for the domain, are left out.
func (l *Lists) LookUp(ctx context.Context, timeout time.Duration, domain string) []Answer {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	awake := l.awake(domain)
	if len(awake) == 0 {
		return nil
	}
	answers := make([]Answer, len(awake))
	var all sync.WaitGroup
	for i, list := range awake {
		all.Go(func() { answers[i] = l.ask(ctx, list, domain) })
	}
	all.Wait()
	return answers
}

func (l *Lists) awake(domain string) []*list {
	var awake []*list
	for _, list := range l.lists {
		if time.Now().UnixNano() >= list.restUntil.Load() && len(domain)+len(".")+len(list.zone) <= maxDomain {
			awake = append(awake, list)
		}
	}
	return awake
}

// ask asks one list. A caller that gives up, or has no time left, is no failure
// of the list.
func (l *Lists) ask(ctx context.Context, list *list, domain string) Answer {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	found, _ := l.resolver.IPv4(limited, domain+"."+list.zone)
	answer := Answer{
		Zone: list.shown, Domain: domain, Status: found.Status, Addrs: found.Addrs,
		Error: strings.ReplaceAll(found.Error, list.zone, list.shown), // resolvers explain failures with the name
	}
	if fault := answer.fault(); fault != "" && ctx.Err() == nil {
		list.failed(l.log, fault)
	}
	return answer
}

// failed lets the list rest and logs its first failure.
func (b *list) failed(log *slog.Logger, fault string) {
	b.restUntil.Store(time.Now().Add(restTime).UnixNano())
	b.warned.Do(func() {
		const text = "a list of domains in the DNS gives no answers; this is said once"
		log.Warn(text, slog.String("rhsbl", b.shown), slog.String("fault", fault))
	})
}
