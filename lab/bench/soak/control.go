package soak

import (
	"io"

	"github.com/rcpt/rcpt/lab/bench/process"
)

// Ready is what a world that was started by [Control] says first.
type Ready struct {
	DNS  string
	Port uint16
}

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
			Ready:  Ready{DNS: w.DNS(), Port: w.Port()},
			Answer: func() (any, error) { return w.Counters(), nil },
			End:    func() error { w.Close(); return nil },
		}, nil
	})
}
