package suite

import (
	"context"
	"fmt"
	"time"

	"github.com/rcpt/rcpt/lab/bench/drive"
	"github.com/rcpt/rcpt/lab/bench/process"
	"github.com/rcpt/rcpt/lab/bench/world"
)

// race is how scenarios are run.
type race struct {
	tools           []tool
	runs            int
	limit           time.Duration // for one tool in one run
	sessionsPerHost int           // of ours; 0: the default
	folder          string        // of the tools' commands
	progress        func(format string, args ...any)
}

// results are the samples of each tool in the order of the runs.
type results map[string][]sample

// run runs a scenario with all tools.
func (r race) run(ctx context.Context, s scenario) (results, error) {
	place, dns, err := startWorld(ctx, s.spec)
	if err != nil {
		return nil, err
	}
	all := make(results)
	for n := range r.runs {
		for _, t := range r.tools {
			r.progress("%s, run %d of %d: %s", s.name, n+1, r.runs, t.title)
			taken, err := r.once(ctx, s, t, place, dns)
			if err != nil {
				_ = place.End()
				return nil, fmt.Errorf("%s: %w", t.title, err)
			}
			all[t.name] = append(all[t.name], taken)
		}
	}
	return all, place.End()
}

// startWorld starts a world in a process of its own. It returns the address of
// its DNS server, too.
func startWorld(ctx context.Context, spec world.Spec) (place *process.Process, dns string, err error) {
	cmd, err := process.Self(ctx, "world")
	if err != nil {
		return nil, "", err
	}
	var ready world.Ready
	place, err = process.Start(cmd, spec, &ready)
	return place, ready.DNS, err
}

func (r race) once(ctx context.Context, s scenario, t tool, place *process.Process, dns string) (sample, error) {
	var taken sample
	var err error
	taken.Report, err = t.drive(ctx, r.folder, drive.Order{
		Limit: r.limit,
		Setting: drive.Setting{
			Spec: s.spec, DNS: dns, Concurrency: s.concurrency, SessionsPerHost: r.sessionsPerHost, Suggest: s.suggest,
		},
	})
	if err != nil {
		return taken, err
	}
	return taken, place.Ask("take", &taken.World)
}
