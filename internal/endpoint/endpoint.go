// Package endpoint is /api/v1/verify for clients that were let in: it reads the
// addresses of a request, verifies them with any Verifier within a limit of
// verifications in progress, and answers with their records. A verification
// whose client closes the connection goes on, as long as there are not too
// many, so that the next try has its answer; with a [Plain] Verifier it ends.
//
// Package server lets clients in by a key or by what the program decides, and
// the service by its keys, with their limits.
package endpoint

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/exchange"
)

// Verifier verifies addresses; *[engine.Verifier] is one.
type Verifier interface {
	// VerifyWith verifies an address. Of the options, Fresh and Timeout are
	// set. It ends within the Timeout. The error is non-nil only if the
	// verification could not be carried out.
	VerifyWith(ctx context.Context, address string, o engine.VerifyOptions) (rcpt.Result, error)
	// VerifyGroup verifies addresses of one domain together, at less cost. Of
	// the options, Fresh and Timeout are set. Done is called for each, perhaps
	// from several goroutines at a time; VerifyGroup returns after the last
	// call.
	VerifyGroup(
		ctx context.Context, addresses []string, o engine.GroupOptions,
		done func(i int, result rcpt.Result, err error),
	)
	// Recall returns the remembered result of an address, if there is one,
	// without asking anyone.
	Recall(ctx context.Context, address string) (rcpt.Result, bool)
}

// Grant is the permission to carry out one request, and what its client has
// left of its limits. It is used by one goroutine at a time.
type Grant interface {
	// ID names the client, in the log and in a [Verification].
	ID() string
	// More takes the rate of n more addresses than one, or nothing.
	More(n int) error
	// Pay sees to it that the request has n units of the client's quota.
	Pay(ctx context.Context, n int) error
	// Free gives the rate back: an invalid request is free.
	Free()
	// Cached notes that one more result was remembered, which costs less.
	Cached()
	// Unanswered gives back the units of n addresses.
	Unanswered(n int)
	// Describe sets the header fields that tell the client its limits.
	Describe(http.Header)
}

// Verification is one that was answered.
type Verification struct {
	Client string // the ID of its [Grant]
	Began  time.Time
	Took   time.Duration
	Result rcpt.Result // with its details
}

// Config configures an [Endpoint].
type Config struct {
	// Verifier does the work. Required.
	Verifier Verifier
	// Refuse answers a request with an error of its [Grant]. Required.
	Refuse func(x *exchange.Exchange, r *http.Request, err error)
	// Fails returns the error of a request that is refused because of its
	// address, before a mail host is asked, or nil. Default: none is refused.
	Fails func(address string) error
	// Verified is called for each verification that was answered, with the
	// context of its request, if that has not ended before, and Busy for each
	// that was refused because too many are running. They must be quick.
	// Default: nothing is.
	Verified func(context.Context, Verification)
	Busy     func()
	// Details includes details in answers unless the request has details=0.
	// Default: only if it has details=1.
	Details bool
	// Timeout bounds one verification; a request can ask for less. Default:
	// [engine.DefaultTimeout].
	Timeout time.Duration
	// Concurrency is the number of concurrent verifications. Default:
	// [DefaultConcurrency].
	Concurrency int
	// Logger receives what no line of a request has. Required.
	Logger *slog.Logger
}

// Endpoint answers verifications. It is safe for concurrent use.
type Endpoint struct {
	config  Config
	plain   bool // the Verifier is [Plain]
	slots   slots
	orphans *orphans
}

// New returns an Endpoint.
func New(config Config) (*Endpoint, error) {
	config.Timeout = cmp.Or(config.Timeout, engine.DefaultTimeout)
	config.Concurrency = cmp.Or(config.Concurrency, DefaultConcurrency)
	if config.Timeout < 0 || config.Concurrency < 0 {
		return nil, errors.New("timeout and concurrency must be positive")
	}
	e := &Endpoint{config: config, slots: newSlots(config.Concurrency, SlotWait)}
	most := config.Concurrency
	if _, e.plain = config.Verifier.(Plain); e.plain {
		most = 0 // a verification ends with its client
	}
	e.orphans = newOrphans(most)
	return e, nil
}

// Timeout is the most that a verification may take.
func (e *Endpoint) Timeout() time.Duration { return e.config.Timeout }

// Owed reports whether an answer may be there that was paid for.
func (e *Endpoint) Owed() bool { return e.orphans.any() }

// Close ends the verifications without clients, and waits for their ends, a
// second at most.
func (e *Endpoint) Close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, orphanWait)
	defer cancel()
	e.orphans.close(ctx)
}
