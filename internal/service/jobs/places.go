package jobs

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// BusyError means that too much of a kind is in progress at the moment.
type BusyError struct {
	What string // "lists that are being sent"
	Most int
	Own  bool // of the same owner; false: of all
}

func (e *BusyError) Error() string {
	whose := "on this server"
	if e.Own {
		whose = "of yours"
	}
	return fmt.Sprintf("there are %d %s %s at the moment: wait for the end of one", e.Most, e.What, whose)
}

// places bounds what is in progress at a time, in all and of one owner.
type places struct {
	what      string
	all, each int

	mu    sync.Mutex
	taken int
	of    map[string]int // by owner
	freed chan struct{}  // is closed, and replaced, when a place becomes free
}

func newPlaces(what string, all, each int) *places {
	return &places{what: what, all: all, each: each, of: make(map[string]int), freed: make(chan struct{})}
}

// take takes a place, waiting for a while until one is free; give returns it.
// The error is a *[BusyError], or that of the context.
func (p *places) take(ctx context.Context, owner string) (give func(), err error) {
	limit := time.NewTimer(placeWait)
	defer limit.Stop()
	for {
		freed, busy := p.try(owner)
		if busy == nil {
			return sync.OnceFunc(func() { p.give(owner) }), nil
		}
		select {
		case <-freed:
		case <-limit.C:
			return nil, busy
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// try takes a place if one is free. If not, freed is closed when one may be.
func (p *places) try(owner string) (freed <-chan struct{}, busy *BusyError) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.of[owner] >= p.each:
		return p.freed, &BusyError{p.what, p.each, true}
	case p.taken >= p.all:
		return p.freed, &BusyError{p.what, p.all, false}
	}
	p.taken++
	p.of[owner]++
	return nil, nil
}

func (p *places) give(owner string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	if p.of[owner]--; p.of[owner] == 0 {
		delete(p.of, owner)
	}
	close(p.freed)
	p.freed = make(chan struct{})
}

// BeginUpload takes one of the places for lists that are being sent, which
// bound the temporary files and open connections of an owner and in all. Call
// end when the list is stored or refused. The error is a *[BusyError], or that
// of the context.
func (m *Manager) BeginUpload(ctx context.Context, owner string) (end func(), err error) {
	return m.uploads.take(ctx, owner)
}
