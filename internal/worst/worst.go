// Package worst finds the domains of a list with the most addresses that are
// unknown or undeliverable. The command has a run of package bulk count them.
package worst

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/engine"
)

const (
	// named is how many domains are returned.
	named = 10
	// counted is how many are counted at a time to find them. When there are
	// more, the rarer half is forgotten, so that a count may be too low.
	counted = 10_000
)

// Domain is how many addresses of a domain are unknown or undeliverable, and
// why, the most frequent reason first.
type Domain struct {
	Name    string
	Count   int64
	Reasons []engine.Reason
}

// Counter counts results. It is not safe for concurrent use.
type Counter struct{ bad map[domainReason]int64 }

type domainReason struct {
	domain string
	reason engine.Reason
}

// NewCounter returns a Counter that has counted nothing.
func NewCounter() *Counter { return &Counter{make(map[domainReason]int64)} }

// Add counts the final result about an address. A nil Counter counts nothing.
func (c *Counter) Add(r engine.Result, reason engine.Reason) {
	bad := r.Verdict == engine.VerdictUnknown || r.Verdict == engine.VerdictUndeliverable
	if c == nil || r.Domain == "" || !bad {
		return
	}
	of := domainReason{r.Domain, reason}
	if c.bad[of] == 0 {
		of.domain = strings.Clone(of.domain) // it may be a part of something long
		c.forgetRare()
	}
	c.bad[of]++
}

func (c *Counter) forgetRare() {
	if len(c.bad) < counted {
		return
	}
	ranking := c.ranking()
	for _, of := range ranking[len(ranking)/2:] {
		delete(c.bad, of)
	}
}

// ranking is what was counted, the most frequent first.
func (c *Counter) ranking() []domainReason {
	return slices.SortedFunc(maps.Keys(c.bad), func(a, b domainReason) int {
		return cmp.Or(cmp.Compare(c.bad[b], c.bad[a]), strings.Compare(a.domain, b.domain),
			strings.Compare(string(a.reason), string(b.reason)))
	})
}

// Domains returns the worst domains, the worst first.
func (c *Counter) Domains() []Domain {
	var domains []Domain
	place := make(map[string]int)
	for _, of := range c.ranking() {
		at, found := place[of.domain]
		if !found {
			at = len(domains)
			place[of.domain] = at
			domains = append(domains, Domain{Name: of.domain})
		}
		domains[at].Count += c.bad[of]
		domains[at].Reasons = append(domains[at].Reasons, of.reason)
	}
	slices.SortStableFunc(domains, func(a, b Domain) int { return cmp.Compare(b.Count, a.Count) })
	return slices.Clone(domains[:min(named, len(domains))])
}

type key struct{}

// With returns a context under which a run of package bulk counts its final
// results.
func With(ctx context.Context, c *Counter) context.Context { return context.WithValue(ctx, key{}, c) }

// Of returns the Counter of the context, or nil.
func Of(ctx context.Context) *Counter {
	c, _ := ctx.Value(key{}).(*Counter)
	return c
}
