package dnsresolve

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/miekg/dns"
)

var (
	errClosed    = errors.New("the resolver is closed")
	errBusy      = errors.New("too many questions wait for the DNS servers")
	errNotDomain = errors.New("not a domain name")
)

// isDomain reports whether the DNS can be asked about name.
func isDomain(name string) bool {
	_, ok := dns.IsDomainName(name)
	return ok && name != "" && name != "."
}

// notDomain is the evidence of a question that was not asked: the DNS has no such names.
func notDomain(name string, qtype uint16) Lookup {
	return Lookup{Name: plain(name), Type: dns.TypeToString[qtype], Status: StatusMalformed, Error: errNotDomain.Error()}
}

// look answers a question from the cache or from the servers, and gives the evidence. It returns as soon as ctx ends.
func (r *Resolver) look(ctx context.Context, domain string, qtype uint16) (*answer, Lookup) {
	q := question{dns.CanonicalName(domain), qtype}
	a := r.recall(q)
	cached := a != nil
	r.counters.count(1, cached)
	var ttl uint32
	if cached {
		ttl = secondsLeft(a.expires, time.Now())
	} else {
		a = r.share(ctx, q)
		ttl = a.ttl
	}
	name := plain(q.name)
	r.log.LogAttrs(ctx, slog.LevelDebug, "dns look-up", slog.String("name", name), slog.String("type", dns.TypeToString[qtype]),
		slog.String("status", string(a.status)), slog.String("server", a.server), slog.Bool("cached", cached))
	return a, Lookup{
		Name:   name,
		Type:   dns.TypeToString[qtype],
		Status: a.status,
		Server: a.server,
		TTL:    ttl,
		AD:     a.ad,
		Cached: cached,
		CNAMEs: slices.Clone(a.aliases),
		Error:  a.explain,
	}
}

// recall looks for q in the cache of a Resolver that is not closed.
func (r *Resolver) recall(q question) *answer {
	if !r.enter() {
		return nil
	}
	defer r.leave()
	return r.cache.get(q)
}

// share asks q together with everyone who asks it meanwhile. The question is not bound to ctx: the first caller may leave, and the
// others still get their answer.
func (r *Resolver) share(ctx context.Context, q question) *answer {
	if err := ctx.Err(); err != nil {
		return abandoned(err)
	}
	shared := r.flights.DoChan(q.String(), func() (any, error) { return r.fly(q), nil })
	select {
	case result := <-shared:
		return result.Val.(*answer)
	case <-ctx.Done():
		return abandoned(ctx.Err())
	}
}

// abandoned is the answer for a caller whose context ended. It says nothing about the question.
func abandoned(err error) *answer {
	status := StatusError
	if errors.Is(err, context.DeadlineExceeded) {
		status = StatusTimeout
	}
	return &answer{status: status, explain: err.Error()}
}

// takePlace waits until one of the questions under way is done.
func (r *Resolver) takePlace() error {
	select {
	case r.places <- struct{}{}:
		return nil
	default:
	}
	defer r.queued.Add(-1)
	if r.queued.Add(1) > r.maxQueued {
		return errBusy
	}
	select {
	case r.places <- struct{}{}:
		return nil
	case <-r.base.Done():
		return r.base.Err()
	}
}

// fly asks q for all who share it and keeps the answer. The wait for a place does not count against the time for the look-up.
func (r *Resolver) fly(q question) *answer {
	if !r.enter() {
		return abandoned(errClosed)
	}
	defer r.leave()
	if err := r.takePlace(); err != nil {
		return abandoned(err)
	}
	defer func() { <-r.places }()
	a := r.resolve(time.Now().Add(r.timeout), q.name, q.qtype)
	a.expires = time.Now().Add(time.Duration(a.ttl) * time.Second)
	if q.qtype == dns.TypeMX {
		a.shelf = new(shelf)
	}
	if r.base.Err() == nil {
		r.cache.put(q, a)
	}
	return a
}
