package endpoint

import (
	"context"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
)

// Plain is a [Verifier] that asks one with a single method. Each address is
// verified by itself, and a verification ends with its client: what such a
// Verifier remembers, and what it goes on with, is its own affair.
type Plain struct {
	Verifier rcpt.Verifier
	Fresh    rcpt.Verifier // instead, where no remembered result is wanted
}

// VerifyWith implements [Verifier]. The Timeout is the deadline of the context.
func (p Plain) VerifyWith(ctx context.Context, address string, o engine.VerifyOptions) (rcpt.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	if o.Fresh {
		return p.Fresh.Verify(ctx, address)
	}
	return p.Verifier.Verify(ctx, address)
}

// VerifyGroup implements [Verifier].
func (p Plain) VerifyGroup(
	ctx context.Context, addresses []string, o engine.GroupOptions,
	done func(i int, result rcpt.Result, err error),
) {
	until := time.Now().Add(o.Timeout)
	for i, address := range addresses {
		result, err := p.VerifyWith(ctx, address, engine.VerifyOptions{Fresh: o.Fresh, Timeout: time.Until(until)})
		done(i, result, err)
	}
}

// Recall implements [Verifier]: nothing is known to be remembered.
func (Plain) Recall(context.Context, string) (rcpt.Result, bool) { return rcpt.Result{}, false }
