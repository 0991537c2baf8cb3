package smtptest

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

const (
	// closeGrace is how long Close waits for clients to end their sessions
	// before it cuts them off, so that a client that leaks a connection fails a
	// test instead of blocking it.
	closeGrace = 5 * time.Second
	// maxRecords is how many sessions and dials are remembered, so that a
	// demonstration can run for days.
	maxRecords = 10_000
)

// sessions runs handlers and keeps the records of their connections.
type sessions struct {
	mu      sync.Mutex
	records []*record
	open    map[net.Conn]struct{}
	closed  bool
	wg      sync.WaitGroup
}

// start runs h on conn, or closes conn where no more sessions are wanted.
func (s *sessions) start(h Handler, conn net.Conn, addr string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close()
		return false
	}
	var rec *record
	if !isUnrecorded(h) {
		rec = newRecord(addr)
		s.records = remember(s.records, rec)
	}
	if s.open == nil {
		s.open = make(map[net.Conn]struct{})
	}
	s.open[conn] = struct{}{}
	s.wg.Go(func() {
		w := newWire(conn, rec)
		h.ServeSMTP(w)
		_ = w.Close()
		s.forget(conn)
	})
	return true
}

func isUnrecorded(h Handler) bool {
	host, ok := h.(*Host)
	_, unrecorded := h.(unrecordedHandler)
	return ok && host.Forgets || unrecorded
}

// remember appends to list, which forgets its oldest element when it is full.
func remember[T any](list []T, element T) []T {
	if len(list) == maxRecords {
		list = list[1:]
	}
	return append(list, element)
}

func (s *sessions) forget(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, conn)
}

// close waits until all sessions have ended, and cuts off those that have not
// after closeGrace.
func (s *sessions) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	timer := time.AfterFunc(closeGrace, s.cut)
	defer timer.Stop()
	s.wg.Wait()
}

func (s *sessions) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn := range s.open {
		_ = conn.Close()
	}
}

func (s *sessions) list() []Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Session, len(s.records))
	for i, rec := range s.records {
		list[i] = rec.snapshot()
	}
	return list
}

// err joins what clients did wrong.
func (s *sessions) err() error {
	var errs []error
	for i, session := range s.list() {
		if session.Err != nil {
			errs = append(errs, fmt.Errorf("session %d, %s: %w", i+1, session.Addr, session.Err))
		}
	}
	return errors.Join(errs...)
}
