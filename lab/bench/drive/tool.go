package drive

import (
	"context"
	"sync"

	"github.com/rcpt/rcpt/lab/bench/world"
)

// Verdict is what a tool says about an address.
type Verdict string

// The verdicts. A tool that knows fewer has its answers mapped to them in its
// command.
const (
	Deliverable   Verdict = "deliverable"
	Undeliverable Verdict = "undeliverable"
	AcceptAll     Verdict = "accept-all"
	Unknown       Verdict = "unknown"
)

// Tool is a verifier in the race.
type Tool interface {
	// Run verifies the addresses of queue, as many at a time as concurrency
	// says, and reports the verdict on each, on any goroutine. It returns when
	// all are done.
	Run(ctx context.Context, queue *Queue, concurrency int, report func(Answer)) error
	// Close ends what the tool has open. Its cost counts as the run's.
	Close() error
}

// Answer is a tool's answer about the address in a place of the queue.
type Answer struct {
	Place   int
	Verdict Verdict
	Failed  bool // the tool said that it could not do it
}

// Setting is what a tool is set up for.
type Setting struct {
	Spec            world.Spec
	DNS             string // HOST:PORT
	Concurrency     int
	SessionsPerHost int // for tools that bound them; 0: their default
	// Suggest asks for suggestions of domains for mistyped ones, in tools that
	// make them on demand.
	Suggest bool
	// Addresses are verified instead of the list of Spec, if there are any.
	// Then the report has the answers, and no tally.
	Addresses []string
}

// HELO and MailFrom are what every tool says of itself, where it can be told.
const (
	HELO     = "bench.test"
	MailFrom = "bench@bench.test"
)

// One verifies one address.
type One func(ctx context.Context, address string) (Verdict, error)

// RunEach is Run for a tool that verifies one address at a time: so many
// goroutines take from the queue.
func RunEach(ctx context.Context, queue *Queue, concurrency int, report func(Answer), verify One) error {
	var workers sync.WaitGroup
	for range concurrency {
		workers.Go(func() {
			for {
				place, address, ok := queue.Next()
				if !ok {
					return
				}
				verdict, err := verify(ctx, address)
				report(Answer{Place: place, Verdict: verdict, Failed: err != nil})
			}
		})
	}
	workers.Wait()
	return ctx.Err()
}
