package engine

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/address"
)

// Outcome is the result of one address, or the error that prevented it.
type Outcome struct {
	Result rcpt.Result
	Err    error // as that of [Verifier.Verify]
}

// domainsAtOnce is how many domains VerifyAll works on at a time.
const domainsAtOnce = 100

// VerifyAll verifies addresses of one domain or of many, at less cost than one
// by one, and yields each outcome as soon as it is known, with the index of its
// address. The loop runs on the goroutine of the caller; leaving it cancels
// what is left, and VerifyAll then waits until that has ended.
//
// The addresses are a list: single checks come before them at busy mail hosts.
// VerifyOptions.Timeout is the time limit of each, in which the wait for a
// session with a busy mail host does not count; Detach cannot be used.
// With options that cannot be used, each outcome is that error.
//
// It keeps all addresses and outcomes in memory and does not retry temporary
// answers: for long lists, use package bulk.
func (v *Verifier) VerifyAll(ctx context.Context, addresses []string, o VerifyOptions) iter.Seq2[int, Outcome] {
	return func(yield func(int, Outcome) bool) {
		ctx, cancel := context.WithCancel(ctx)
		known := make(chan numbered, len(addresses)) // a slow loop must not hold up the sessions
		go func() {
			defer close(known)
			v.verifyDomains(ctx, addresses, o, known)
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
func (v *Verifier) verifyDomains(ctx context.Context, addresses []string, o VerifyOptions, known chan<- numbered) {
	err := o.check()
	if o.Detach {
		err = errors.New("engine: VerifyOptions.Detach: is for one address at a time")
	}
	if err != nil {
		for i, address := range addresses {
			known <- numbered{Outcome{v.notCarriedOut(address, err), err}, i}
		}
		return
	}
	how := GroupOptions{Level: o.Level, Fresh: o.Fresh, Clean: o.Clean, Timeout: o.Timeout, Caller: new(Caller)}
	var all sync.WaitGroup
	defer all.Wait()
	places := make(chan struct{}, domainsAtOnce)
	for _, group := range byDomain(addresses, o.Clean) {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			v.verifyDomain(ctx, addresses, group, how, known)
		})
	}
}

// verifyDomain verifies the addresses with the indexes of a group.
func (v *Verifier) verifyDomain(
	ctx context.Context, addresses []string, group []int, how GroupOptions, known chan<- numbered,
) {
	names := make([]string, len(group))
	for i, number := range group {
		names[i] = addresses[number]
	}
	v.VerifyGroup(ctx, names, how, func(i int, result rcpt.Result, err error) {
		known <- numbered{Outcome{result, err}, group[i]}
	})
}

// byDomain returns the indexes of addresses, or of texts to be cleaned, by
// domain, in the order in which the domains come. Texts that are no addresses
// are a group, too.
func byDomain(addresses []string, clean bool) [][]int {
	var groups [][]int
	place := make(map[string]int)
	for i, given := range addresses {
		if clean {
			given = address.Clean(given).Address
		}
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
