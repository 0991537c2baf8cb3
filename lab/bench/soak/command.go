package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/rcpt/rcpt/lab/bench/process"
)

// Command is "bench soak".
type Command struct {
	For     time.Duration `default:"10m" help:"How long the load lasts."`
	Every   time.Duration `default:"20s" help:"Time between two rows of the table."`
	Rcpt    string        `placeholder:"PATH" required:"" help:"The rcpt binary."`
	Hosts   int           `default:"3" help:"Mail hosts of each hostile kind."`
	Users   int           `default:"250" help:"Addresses that the server, and as many that the library, is asked about at a time."`
	List    int           `default:"5000" help:"Addresses of a list for rcpt bulk."`
	Timeout time.Duration `default:"5s" help:"Time for one address."`
	MaxRSS  uint64        `default:"150" help:"Most memory of the server, in MB."`
	Seed    uint64        `default:"1" help:"Another seed, another world of the same kind."`
}

// The world of the command.
const (
	subnet    = 90
	dnsFaults = 0.05
	turn      = 7 * time.Second
)

// lookEvery is how often the figures of a subject are read.
const lookEvery = time.Second

// Run puts all subjects under load, prints what they take up and say, and fails
// when something is wrong with that.
func (c *Command) Run(ctx context.Context) error {
	spec := Spec{Seed: c.Seed, Subnet: subnet, Hosts: c.Hosts, DNSFaults: dnsFaults, Turn: turn}
	cmd, err := process.Self(ctx, "soak-world")
	if err != nil {
		return err
	}
	var ready Ready
	place, err := process.Start(cmd, spec, &ready)
	if err != nil {
		return err
	}
	s := &soak{Command: c, spec: spec, ready: ready, out: os.Stdout}
	err = s.run(ctx)
	var counted Counters
	err = errors.Join(err, place.Ask("count", &counted), place.End())
	s.tell(counted)
	return errors.Join(err, s.wrong.err())
}

// soak is one run of the command.
type soak struct {
	*Command
	spec   Spec
	ready  Ready
	out    io.Writer
	trials []*trial
	lists  *lists
	wrong  faults
	most   figures // of the server
}

func (s *soak) run(ctx context.Context) (err error) {
	folder, err := os.MkdirTemp("", "rcpt-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	s.lists = &lists{
		binary: s.Rcpt, folder: folder, spec: s.spec, ready: s.ready,
		timeout: s.Timeout, size: s.List, wrong: &s.wrong,
	}
	server, err := newWeb(ctx, s.Rcpt, folder, s.spec, s.ready, s.Timeout)
	if err != nil {
		return err
	}
	defer server.close(&s.wrong)
	engine, err := newLibrary(s.spec, s.ready, s.Timeout)
	if err != nil {
		return err
	}
	defer engine.close(&s.wrong)
	for _, subject := range []subject{server, engine} {
		t, err := newTrial(subject, &s.wrong)
		if err != nil {
			return err
		}
		s.trials = append(s.trials, t)
	}
	writeHead(s.out)
	err = s.work(ctx)
	server.client.CloseIdleConnections()
	return errors.Join(err, s.rest(ctx))
}

// work is the load, and the table beside it.
func (s *soak) work(ctx context.Context) error {
	began := time.Now()
	more := func() bool { return time.Since(began) < s.For }
	var load sync.WaitGroup
	for i, t := range s.trials {
		next := s.spec.Addresses(uint64(i))
		load.Go(func() { t.load(ctx, s.Users, func() (string, bool) { return next(), more() }) })
	}
	var failed error
	load.Go(func() {
		for run := 0; failed == nil && ctx.Err() == nil && more(); run++ {
			failed = s.lists.pass(ctx, run)
		}
	})
	over := make(chan struct{})
	go func() {
		load.Wait()
		close(over)
	}()
	s.watch(began, over)
	return failed
}

// watch prints the table until the load is over.
func (s *soak) watch(began time.Time, over <-chan struct{}) {
	look, row := time.NewTicker(lookEvery), time.NewTicker(s.Every)
	defer look.Stop()
	defer row.Stop()
	since := make([]figures, len(s.trials)) // the most since the last row
	for {
		select {
		case <-look.C:
			for i, t := range s.trials {
				since[i] = since[i].most(t.look())
			}
		case <-row.C:
			s.writeRows(time.Since(began), since)
			clear(since)
		case <-over:
			s.writeRows(time.Since(began), since)
			return
		}
	}
}

func (s *soak) writeRows(at time.Duration, since []figures) {
	for i, t := range s.trials {
		writeRow(s.out, at, t.name(), since[i], t.tally.take())
	}
	writeRow(s.out, at, "bulk", s.lists.takeLatest(), s.lists.tally.take())
	s.most = s.most.most(since[0])
}

// rest sees that all subjects have come to rest, and looks back at what they
// did.
func (s *soak) rest(ctx context.Context) error {
	for _, t := range s.trials {
		f, err := t.rest(ctx)
		if err != nil {
			return err
		}
		writeRow(s.out, s.For, t.name()+".", f, counted{})
		t.growth.check(t.name(), highest, &s.wrong)
		t.tally.check(t.name(), &s.wrong)
	}
	s.lists.growth.check("bulk", usual, &s.wrong)
	s.lists.tally.check("bulk", &s.wrong)
	if s.most.rss > s.MaxRSS*1e6 {
		s.wrong.add("the server had %s MB of memory", megabytes(s.most.rss))
	}
	return nil
}

// tell sums up what the world has seen.
func (s *soak) tell(c Counters) {
	fmt.Fprintf(s.out, "\nThe world has seen %d connections, up to %d at a time, and %d DNS queries. "+
		"A name with a dot is a subject at rest.\n", c.Connections, c.PeakOpen, c.Queries)
	for what, n := range c.Harm {
		s.wrong.add("%s: %d times", what, n)
	}
	for _, t := range s.trials {
		fmt.Fprintf(s.out, "%s: %d answers, %d unsettled about honest hosts.\n",
			t.name(), t.tally.all, t.tally.unsettled)
	}
	if s.lists != nil {
		fmt.Fprintf(s.out, "bulk: %d lists, %d answers, %d unsettled about honest hosts.\n",
			len(s.lists.growth.history), s.lists.tally.all, s.lists.tally.unsettled)
	}
}
