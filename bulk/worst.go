package bulk

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/rcpt/rcpt"
)

// worstCounted is how many domains are counted at a time to find the worst.
// When there are more, the rarer half is forgotten, so that a count may be too
// low.
const worstCounted = 10_000

// WorstDomain is how many addresses of a domain are unknown or undeliverable,
// and why, the most frequent reason first.
type WorstDomain struct {
	Name    string
	Count   int64
	Reasons []rcpt.Reason
}

// worst counts addresses that are unknown or undeliverable, by domain.
type worst struct {
	named int // how many domains are named; 0: nothing is counted
	bad   map[domainReason]int64
}

type domainReason struct {
	domain string
	reason rcpt.Reason
}

func newWorst(named int) worst { return worst{named, make(map[domainReason]int64)} }

// add counts the final result about an address.
func (c *worst) add(r rcpt.Result) {
	bad := r.Verdict == rcpt.VerdictUnknown || r.Verdict == rcpt.VerdictUndeliverable
	if c.named == 0 || r.Domain == "" || !bad {
		return
	}
	of := domainReason{r.Domain, r.Reason}
	if c.bad[of] == 0 {
		of.domain = strings.Clone(of.domain) // it may be a part of something long
		c.forgetRare()
	}
	c.bad[of]++
}

func (c *worst) forgetRare() {
	if len(c.bad) < worstCounted {
		return
	}
	ranking := c.ranking()
	for _, of := range ranking[len(ranking)/2:] {
		delete(c.bad, of)
	}
}

// ranking is what was counted, the most frequent first.
func (c *worst) ranking() []domainReason {
	return slices.SortedFunc(maps.Keys(c.bad), func(a, b domainReason) int {
		return cmp.Or(cmp.Compare(c.bad[b], c.bad[a]), strings.Compare(a.domain, b.domain),
			strings.Compare(string(a.reason), string(b.reason)))
	})
}

// domains returns the worst domains, the worst first.
func (c *worst) domains() []WorstDomain {
	var domains []WorstDomain
	place := make(map[string]int)
	for _, of := range c.ranking() {
		at, found := place[of.domain]
		if !found {
			at = len(domains)
			place[of.domain] = at
			domains = append(domains, WorstDomain{Name: of.domain})
		}
		domains[at].Count += c.bad[of]
		domains[at].Reasons = append(domains[at].Reasons, of.reason)
	}
	slices.SortStableFunc(domains, func(a, b WorstDomain) int { return cmp.Compare(b.Count, a.Count) })
	return slices.Clone(domains[:min(c.named, len(domains))])
}
