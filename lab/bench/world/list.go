package world

import (
	"iter"
	"math"
	"sort"
	"strconv"
)

// Names of the world. ".test" is nobody's (RFC 6761 §6.2).
const (
	localPrefix  = "box"
	domainPrefix = "d"
	domainSuffix = ".test"
)

// List yields the addresses of the world with their places on the list, each
// once.
func (s Spec) List() iter.Seq2[int, string] {
	domainOf := s.domains()
	return func(yield func(int, string) bool) {
		for i := range s.Addresses {
			if !yield(i, localPrefix+strconv.Itoa(i)+"@"+domainName(domainOf(i))) {
				return
			}
		}
	}
}

// domains returns which domain an address belongs to, by its place on the list.
func (s Spec) domains() func(place int) int {
	if s.Skew == 0 {
		return func(place int) int { return place % s.Domains }
	}
	until := make([]float64, s.Domains) // the sum of the shares up to and including a domain
	sum := 0.0
	for n := range until {
		sum += math.Pow(float64(n+1), -s.Skew)
		until[n] = sum
	}
	return func(place int) int {
		at := s.share("place", strconv.Itoa(place)) * sum
		return min(sort.SearchFloat64s(until, at), s.Domains-1)
	}
}

func domainName(n int) string { return domainPrefix + strconv.Itoa(n) + domainSuffix }
