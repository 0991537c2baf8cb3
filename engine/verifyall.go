package engine

import (
	"context"
	"iter"
	"sync"

	"github.com/rcpt/rcpt/engine/address"
)

// Outcome is the result of one address, or the error that prevented it.
type Outcome struct {
	Result Result
	Err    error // as that of [Verifier.Verify]
}

// domainsAtOnce is how many domains VerifyAll works on at a time.
const domainsAtOnce = 100

// VerifyAll verifies addresses of one domain or of many, at less cost than one
// by one, and yields each outcome as soon as it is known, with the index of its
// address. The loop runs on the goroutine of the caller; leaving it cancels
// what is left, and VerifyAll then waits until that has ended.
//
// It keeps all addresses and outcomes in memory and does not retry temporary
// answers: for long lists, use package bulk.
func (v *Verifier) VerifyAll(ctx context.Context, addresses []string) iter.Seq2[int, Outcome] {
	return func(yield func(int, Outcome) bool) {
		ctx, cancel := context.WithCancel(ctx)
		known := make(chan numbered, len(addresses)) // a slow loop must not hold up the sessions
		go func() {
			defer close(known)
			v.verifyDomains(ctx, addresses, known)
		}()
		defer func() {
			cancel()
			for range known {
			}
		}()
		for o := range known {
			if !yield(o.number, o.Outcome) {
				return
			}
		}
	}
}

// numbered is the outcome of an address of a list.
type numbered struct {
	Outcome
	number int
}

// verifyDomains verifies addresses, those of one domain together.
func (v *Verifier) verifyDomains(ctx context.Context, addresses []string, known chan<- numbered) {
	var all sync.WaitGroup
	defer all.Wait()
	places := make(chan struct{}, domainsAtOnce)
	o := VerifyOptions{Waits: func(int, bool) {}} // any number may wait for one host
	for _, group := range byDomain(addresses) {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			names := make([]string, len(group))
			for i, number := range group {
				names[i] = addresses[number]
			}
			v.VerifyTogether(ctx, names, o, func(i int, result Result, err error) {
				known <- numbered{Outcome{result, err}, group[i]}
			})
		})
	}
}

// byDomain returns the indexes of addresses by domain, in the order in which
// the domains come. Texts that are no addresses are a group, too.
func byDomain(addresses []string) [][]int {
	var groups [][]int
	place := make(map[string]int)
	for i, given := range addresses {
		parsed, _ := address.Read(given)
		at, ok := place[parsed.Domain()]
		if !ok {
			at = len(groups)
			place[parsed.Domain()] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], i)
	}
	return groups
}
