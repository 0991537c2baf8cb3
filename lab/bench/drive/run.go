package drive

import (
	"context"
	"os"
	"sync"
	"time"
)

// Report is what a run cost and what came of it. Times and mallocs are those of
// the run, without the set-up of the tool.
type Report struct {
	Tally     Tally
	Addresses int           // on the list; more than were answered when the time was used up
	Wall      time.Duration // until the last verdict
	CPU       time.Duration // user and system, the end of the tool included
	SetupCPU  time.Duration // of the process until the run
	Mallocs   uint64
	PeakRSS   int64 // bytes, of the process
	Answers   []Answer
}

// Run runs a tool over the list of its world; after limit it begins no more
// addresses.
func Run(
	ctx context.Context, setting Setting, limit time.Duration, newTool func(Setting) (Tool, error),
) (Report, error) {
	addresses := setting.Addresses
	if addresses == nil {
		for _, address := range setting.Spec.List() {
			addresses = append(addresses, address)
		}
	}
	tool, err := newTool(setting)
	if err != nil {
		return Report{}, err
	}
	answers := &answers{all: make([]Answer, 0, len(addresses))}
	before, err := used()
	if err != nil {
		return Report{}, err
	}
	if err := tool.Run(ctx, newQueue(addresses, limit), setting.Concurrency, answers.add); err != nil {
		return Report{}, err
	}
	wall := time.Since(before.at)
	if err := tool.Close(); err != nil {
		return Report{}, err
	}
	after, err := used()
	if err != nil {
		return Report{}, err
	}
	peak, err := PeakRSS(os.Getpid())
	if err != nil {
		return Report{}, err
	}
	report := Report{
		Addresses: len(addresses), Wall: wall,
		CPU: after.cpu - before.cpu, SetupCPU: before.cpu, Mallocs: after.mallocs - before.mallocs, PeakRSS: peak,
	}
	if setting.Addresses != nil {
		report.Answers = answers.all
	} else {
		report.Tally = answers.tally(setting, addresses)
	}
	return report, nil
}

// answers collects answers; they are judged when the run is over, so that
// judging costs the run nothing.
type answers struct {
	mu  sync.Mutex
	all []Answer
}

func (a *answers) add(answer Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, answer)
}

func (a *answers) tally(setting Setting, addresses []string) Tally {
	var t Tally
	for _, answer := range a.all {
		t.add(answer, setting.Spec.Truth(addresses[answer.Place]))
	}
	return t
}
