package world

import (
	"context"
	"io"
	"time"

	"github.com/rcpt/rcpt/lab/bench/process"
)

// Ready is what a world that was started by [Control] says first.
type Ready struct{ DNS string }

// settleLimit is how long sessions may go on after the counters were asked for.
const settleLimit = 10 * time.Second

// Control runs a world for another process: it reads the Spec, says [Ready],
// and answers each further value with [Counters] until the input ends. All of
// it is JSON.
func Control(in io.Reader, out io.Writer) error {
	return process.Serve(in, out, func(spec Spec) (process.Service, error) {
		w, err := Start(spec)
		if err != nil {
			return process.Service{}, err
		}
		return process.Service{
			Ready:  Ready{DNS: w.DNS()},
			Answer: func() (any, error) { return w.settled(), nil },
			End:    func() error { w.Close(); return nil },
		}, nil
	})
}

func (w *World) settled() Counters {
	ctx, cancel := context.WithTimeout(context.Background(), settleLimit)
	defer cancel()
	return w.Take(ctx)
}
