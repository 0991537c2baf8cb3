package soak

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// subject is something that verifies addresses one at a time.
type subject interface {
	name() string
	verify(ctx context.Context, address string) (said, error)
	figures() (figures, error)
	patience() time.Duration // for one address
	close(wrong *faults)
}

// grace is by how much a verification may outlive its timeout.
const grace = time.Second

// trial is a subject under load.
type trial struct {
	subject
	tally  tally
	growth growth
	start  figures // at rest, before the load
	wrong  *faults
}

func newTrial(s subject, wrong *faults) (*trial, error) {
	start, err := s.figures()
	return &trial{subject: s, start: start, wrong: wrong}, err
}

// load has so many users ask about the next address until next has no more. It
// returns when the last one has an answer.
func (t *trial) load(ctx context.Context, users int, next func() (address string, more bool)) {
	var all sync.WaitGroup
	var mu sync.Mutex
	for range users {
		all.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				address, more := next()
				mu.Unlock()
				if !more {
					return
				}
				t.ask(ctx, address)
			}
		})
	}
	all.Wait()
}

func (t *trial) ask(ctx context.Context, address string) {
	began := time.Now()
	answer, err := t.verify(ctx, address)
	took := time.Since(began)
	switch {
	case ctx.Err() != nil: // somebody has ended the soak
		return
	case err != nil:
		t.wrong.add("%s about %s: %w", t.name(), address, err)
		return
	case took > t.patience()+grace:
		t.wrong.add("%s took %v for %s, and had %v", t.name(), took.Round(time.Millisecond), address, t.patience())
	}
	t.tally.add(address, answer, took, t.wrong)
}

// look reads the figures.
func (t *trial) look() figures {
	f, err := t.figures()
	if err != nil {
		t.wrong.add("%s: %w", t.name(), err)
		return f
	}
	t.growth.add(f)
	return f
}

// restLimit is how long a subject has to come to rest: sessions are kept for
// five seconds, and connections of DNS as long.
const restLimit = 20 * time.Second

// rest waits until the subject is at rest, which it must come to.
func (t *trial) rest(ctx context.Context) (figures, error) {
	look := time.NewTicker(bulkLook)
	defer look.Stop()
	end := time.Now().Add(restLimit)
	for {
		f, err := t.figures()
		switch {
		case err != nil:
			return f, fmt.Errorf("%s: %w", t.name(), err)
		case f.atRest(t.start), ctx.Err() != nil:
			return f, nil
		case time.Now().After(end):
			t.wrong.add("%s does not come to rest: %d goroutines and %d file descriptors, "+
				"and had %d and %d before the load", t.name(), f.Goroutines, f.fds, t.start.Goroutines, t.start.fds)
			return f, nil
		}
		<-look.C
	}
}
