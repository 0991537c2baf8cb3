package accuracy

import (
	"context"
	"sync"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/demo"
)

// Situations verifies the addresses of package demo, all at a time, and counts
// the verdicts. It takes as long as the mail hosts that never answer: some
// seconds.
func Situations(ctx context.Context) (Tally, error) {
	world, err := demo.New()
	if err != nil {
		return Tally{}, err
	}
	defer world.Close()
	verifier, err := engine.New(world.Config())
	if err != nil {
		return Tally{}, err
	}
	defer verifier.Close()
	cases := demo.Cases()
	results, errs := make([]rcpt.Result, len(cases)), make([]error, len(cases))
	var all sync.WaitGroup
	for i, c := range cases {
		all.Go(func() { results[i], errs[i] = verifier.Verify(ctx, c.Address) })
	}
	all.Wait()
	var tally Tally
	for i, c := range cases {
		if errs[i] != nil {
			return Tally{}, errs[i]
		}
		tally.Add(results[i].Verdict, c.Verdict)
	}
	return tally, nil
}
