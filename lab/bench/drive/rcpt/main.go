// Command rcpt drives rcpt over the list of a world.
package main

import (
	"context"
	"io"
	"net/netip"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lab/bench/drive"
)

func main() { drive.Main(newTool) }

type tool struct{ verifier *engine.Verifier }

func newTool(s drive.Setting) (drive.Tool, error) {
	verifier, err := engine.New(engine.Config{
		Resolvers: []string{s.DNS}, HELO: drive.HELO, SMTPPort: s.Spec.Port,
		AllowNets:          []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		MaxSessionsPerHost: s.SessionsPerHost,
	})
	if err != nil {
		return nil, err
	}
	return &tool{verifier: verifier}, nil
}

// Run verifies a list as "rcpt bulk" does, and one address at a time as "rcpt
// verify" does.
func (t *tool) Run(ctx context.Context, queue *drive.Queue, concurrency int, report func(drive.Answer)) error {
	if concurrency > 1 {
		_, err := bulk.Run(ctx, source{queue}, sink{report, new(int)}, bulk.Options{
			Verifier: t.verifier, Concurrency: concurrency, Trim: rcpt.Result.WithoutDetails,
		})
		return err
	}
	verify := func(ctx context.Context, address string) (drive.Verdict, error) {
		result, err := t.verifier.Verify(ctx, address)
		return drive.Verdict(result.Verdict), err
	}
	return drive.RunEach(ctx, queue, concurrency, report, verify)
}

func (t *tool) Close() error { return t.verifier.Close() }

// source yields the addresses of a queue, which come in the order of their
// places.
type source struct{ queue *drive.Queue }

func (s source) Next(context.Context) (bulk.Item, error) {
	_, address, ok := s.queue.Next()
	if !ok {
		return bulk.Item{}, io.EOF
	}
	return bulk.Item{Email: address}, nil
}

// sink reports results, which come in the order of the source.
type sink struct {
	report func(drive.Answer)
	place  *int
}

func (sink) Flush(context.Context) error { return nil }

func (s sink) Write(_ context.Context, _ bulk.Item, result rcpt.Result) error {
	s.report(drive.Answer{Place: *s.place, Verdict: drive.Verdict(result.Verdict), Failed: result.Reason.Failed()})
	*s.place++
	return nil
}
