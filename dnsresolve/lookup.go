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
	errNotDomain = errors.New("not a domain name")
)

// isDomain reports whether the DNS can be asked about name.
func isDomain(name string) bool {
	_, ok := dns.IsDomainName(name)
	return ok && name != "" && name != "."
}

// notDomain is the evidence of a question that was not asked because the DNS
// has no such names.
func notDomain(name string, qtype uint16) Lookup {
	return Lookup{
		Name: plain(name), Type: dns.TypeToString[qtype], Status: StatusMalformed, Error: errNotDomain.Error(),
	}
}

// look answers a question from the cache or the servers, or after
// [Resolver.Anew] from the servers only, and returns the evidence. It returns
// as soon as ctx ends.
func (r *Resolver) look(ctx context.Context, domain string, qtype uint16) (*answer, Lookup) {
	q := question{dns.CanonicalName(domain), qtype}
	var a *answer
	if !r.anew {
		a = r.recall(q)
	}
	cached := a != nil
	r.counters.count(1, cached)
	var ttl uint32
	switch {
	case cached:
		ttl = secondsLeft(a.expires, time.Now())
	case r.anew:
		if a = r.question(ctx, q); a == nil {
			a = abandoned(ctx.Err())
		}
		ttl = a.ttl
	default:
		a = r.share(ctx, q)
		ttl = a.ttl
	}
	name := plain(q.name)
	r.log.LogAttrs(ctx, slog.LevelDebug, "dns look-up",
		slog.String("name", name), slog.String("type", dns.TypeToString[qtype]),
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

// call is a query in progress that other callers may wait for.
type call struct {
	done   chan struct{}
	answer *answer // nil: the caller that asked gave up
}

// share asks q, or waits for a caller that does. If that caller gives up before
// there is an answer, one of those that wait asks again.
func (r *Resolver) share(ctx context.Context, q question) *answer {
	for {
		if err := ctx.Err(); err != nil {
			return abandoned(err)
		}
		c, first := r.join(q)
		if first {
			return r.run(ctx, q, c)
		}
		select {
		case <-c.done:
			if c.answer != nil {
				return c.answer
			}
		case <-ctx.Done():
			return abandoned(ctx.Err())
		}
	}
}

// join returns the call for q, and whether it is a new one.
func (r *Resolver) join(q question) (c *call, first bool) {
	r.calling.Lock()
	defer r.calling.Unlock()
	if c := r.calls[q]; c != nil {
		return c, false
	}
	c = &call{done: make(chan struct{})}
	r.calls[q] = c
	return c, true
}

// end ends the call for q.
func (r *Resolver) end(q question, c *call) {
	r.calling.Lock()
	defer r.calling.Unlock()
	delete(r.calls, q)
	close(c.done)
}

// run asks q for all callers that share the call, and caches the answer.
func (r *Resolver) run(ctx context.Context, q question, c *call) *answer {
	defer r.end(q, c)
	if c.answer = r.question(ctx, q); c.answer == nil {
		return abandoned(ctx.Err())
	}
	return c.answer
}

// abandoned is the answer for a caller whose context ended. It says nothing
// about the question.
func abandoned(err error) *answer {
	status := StatusError
	if errors.Is(err, context.DeadlineExceeded) {
		status = StatusTimeout
	}
	return &answer{status: status, explain: err.Error()}
}

// question asks the servers, and returns nil if ctx ends before there is an
// answer. The wait for a free place among the queries in progress does not
// count against the time for the look-up.
func (r *Resolver) question(ctx context.Context, q question) *answer {
	if ctx.Err() != nil {
		return nil
	}
	if !r.enter() {
		return abandoned(errClosed)
	}
	defer r.leave()
	select {
	case r.places <- struct{}{}:
		defer func() { <-r.places }()
	case <-ctx.Done():
		return nil
	case <-r.base.Done():
		return abandoned(errClosed)
	}
	a := r.resolve(ctx, time.Now().Add(r.timeFor(q.qtype)), q.name, q.qtype)
	if ctx.Err() != nil && a.status.Temporary() {
		return nil
	}
	a.expires = time.Now().Add(time.Duration(a.ttl) * time.Second)
	if q.qtype == dns.TypeMX {
		a.memo = new(memo)
	}
	if r.base.Err() == nil {
		r.cache.put(q, a)
	}
	return a
}

// headStart is how long the query for a host's IPv4 addresses may take before
// the one for its IPv6 addresses is started: one try.
func (r *Resolver) headStart() time.Duration { return min(r.tryTimeout, r.timeout/2) }

// timeFor returns the time for a query. A later one ends with the first, so
// that a host takes no longer than one look-up.
func (r *Resolver) timeFor(qtype uint16) time.Duration {
	if qtype == dns.TypeAAAA && r.suffices != nil {
		return r.timeout - r.headStart()
	}
	return r.timeout
}
