package engine

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/lists"
)

const (
	// rhsblPatience bounds the look-up of a domain: what a list says is not worth a longer wait.
	rhsblPatience = 2 * time.Second
	// rhsblTry leaves time for a second question: UDP loses packets.
	rhsblTry = rhsblPatience / 2
	// rhsblRest is how long a list is left alone that failed or refused: a dead one delays nobody else, and one that we asked too much is
	// not asked more.
	rhsblRest = time.Minute
	// rhsblCacheBytes is some ten thousand answers.
	rhsblCacheBytes = 4 << 20

	maxDomain = 253 // octets in text (RFC 1035 §2.3.4)
	// minKey is the length from which the first label of a zone is taken for its user's key, and not shown. Spamhaus gives keys of 26 octets.
	minKey = 20
)

// RHSBLAnswer is what a list of domains in the DNS said about a domain.
type RHSBLAnswer struct {
	Zone   string            `json:"zone"` // of the list, without the label that is its user's key
	Domain string            `json:"domain"`
	Status dnsresolve.Status `json:"status"`
	Addrs  []netip.Addr      `json:"addrs,omitempty"` // in ascending order
	Error  string            `json:"error,omitempty"`
}

// rhsbls are lists of domains in the DNS. They have a resolver to themselves, so that slow lists take no room from the search for mail hosts.
type rhsbls struct {
	lists    []*rhsbl
	resolver *dnsresolve.Resolver // nil where there are no lists
	log      *slog.Logger
}

type rhsbl struct {
	zone      string
	shown     string
	restUntil atomic.Int64 // Unix nanoseconds
	warned    sync.Once
}

func newRHSBLs(config Config, questions int) (*rhsbls, error) {
	l := &rhsbls{log: config.Logger}
	if len(config.RHSBLs) == 0 {
		return l, nil
	}
	for _, zone := range config.RHSBLs {
		l.lists = append(l.lists, &rhsbl{zone: zone, shown: withoutKey(zone)})
	}
	var err error
	l.resolver, err = dnsresolve.New(dnsresolve.Config{
		Servers: config.Resolvers, Exchanger: config.Exchanger,
		TryTimeout: rhsblTry, Timeout: rhsblPatience, CacheBytes: rhsblCacheBytes, MaxQueries: questions,
	})
	return l, err
}

func (l *rhsbls) close() {
	if l.resolver != nil {
		l.resolver.Close()
	}
}

// rhsblZones brings the names of zones into the form DNS knows.
func rhsblZones(given []string) ([]string, error) {
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

// domainOf returns the registrable domain of an address if it is to be looked up. Strangers share the domain of a free provider, and a user's
// word for a domain outweighs a list's.
func (l *rhsbls) domainOf(evidence Evidence) (string, bool) {
	if len(l.lists) == 0 || matches(evidence.Matches, lists.Free) || matches(evidence.Matches, lists.Allow) {
		return "", false
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(evidence.Domain)
	return domain, err == nil
}

// lookUp asks the lists about domain at the same time.
func (l *rhsbls) lookUp(ctx context.Context, timeout time.Duration, domain string) []RHSBLAnswer {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	awake := l.awake(domain)
	if len(awake) == 0 {
		return nil
	}
	answers := make([]RHSBLAnswer, len(awake))
	var all sync.WaitGroup
	for i, list := range awake {
		all.Go(func() { answers[i] = l.ask(ctx, list, domain) })
	}
	all.Wait()
	return answers
}

// awake are the lists that do not rest, and whose names leave room for domain.
func (l *rhsbls) awake(domain string) []*rhsbl {
	var lists []*rhsbl
	for _, list := range l.lists {
		if time.Now().UnixNano() >= list.restUntil.Load() && len(domain)+len(".")+len(list.zone) <= maxDomain {
			lists = append(lists, list)
		}
	}
	return lists
}

// ask asks one list. A caller who gives up, or has no time left, is no failure of the list.
func (l *rhsbls) ask(ctx context.Context, list *rhsbl, domain string) RHSBLAnswer {
	patient, cancel := context.WithTimeout(ctx, rhsblPatience)
	defer cancel()
	found, err := l.resolver.IPv4(patient, domain+"."+list.zone)
	answer := RHSBLAnswer{
		Zone: list.shown, Domain: domain, Status: found.Status, Addrs: found.Addrs,
		Error: strings.ReplaceAll(found.Error, list.zone, list.shown), // resolvers explain failures with the name
	}
	if fault := answer.fault(); fault != "" && err == nil && ctx.Err() == nil {
		list.failed(l.log, fault)
	}
	return answer
}

// failed lets the list rest, and tells of it the first time.
func (b *rhsbl) failed(log *slog.Logger, fault string) {
	b.restUntil.Store(time.Now().Add(rhsblRest).UnixNano())
	b.warned.Do(func() {
		log.Warn("a list of domains in the DNS gives no answers; this is said once", slog.String("rhsbl", b.shown), slog.String("fault", fault))
	})
}
