package bulk

import (
	"context"
	"errors"
	"sync"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
)

// OneByOne returns a Verifier that calls verify for each address. It is for
// verifiers other than engine.Verifier, such as a client of a service or the
// fake of a test. Several addresses of a domain are verified by calls at the
// same time. Two things are lost. Each call finds out by itself what concerns
// the domain, unless verify remembers it. And the run does not learn which
// addresses wait for a session with a busy mail host: they count as in progress
// ([Options.Concurrency]), and [engine.ErrBusy] is tried again.
//
// Options.Level and Options.Fresh cannot be passed on to verify, and are an
// error.
func OneByOne(verify func(ctx context.Context, address string) (rcpt.Result, error)) Verifier {
	return oneByOne(verify)
}

type oneByOne func(ctx context.Context, address string) (rcpt.Result, error)

// errOneByOne reports options that a function does not take.
var errOneByOne = errors.New("bulk: Level and Fresh cannot be passed on by OneByOne")

// VerifyGroup implements [Verifier].
func (verify oneByOne) VerifyGroup(
	ctx context.Context, addresses []string, o engine.GroupOptions, done func(int, rcpt.Result, error),
) {
	if o.Level != "" || o.Fresh || o.Clean || o.Timeout != 0 {
		for i, address := range addresses {
			failed := rcpt.Result{Email: address, Verdict: rcpt.VerdictUnknown, Reason: rcpt.ReasonInternalError}
			done(i, failed, errOneByOne)
		}
		return
	}
	var others sync.WaitGroup
	for i := 1; i < len(addresses); i++ {
		others.Go(func() {
			result, err := verify(ctx, addresses[i])
			done(i, result, err)
		})
	}
	if len(addresses) > 0 {
		result, err := verify(ctx, addresses[0])
		done(0, result, err)
	}
	others.Wait()
}
