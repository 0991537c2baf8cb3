//go:build unix

package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// waits adds a reservation as a caller would that waits for its turn.
func waits(s *Store, key string, want, limit int64) *reservation {
	r := &reservation{
		Reservation: Reservation{Key: key, Month: monthOf(time.Now())}, want: want, limit: limit, done: make(chan struct{}),
	}
	s.reservations.add(r)
	return r
}

func TestReservationsAreCommittedTogether(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		first, second, third := waits(s, "b", 40, 100), waits(s, "a", 40, 100), waits(s, "b", 70, 100)
		usedUp := waits(s, "b", 1, 100)
		last, err := s.ReserveQuota(t.Context(), "c", time.Now(), 5, 100)
		check(t, err)
		if last.Key != "c" || last.Units != 5 {
			t.Errorf("who committed got %+v", last)
		}
		for _, r := range []struct {
			*reservation
			units int64
		}{{first, 40}, {second, 40}, {third, 60}, {usedUp, 0}} {
			select {
			case <-r.done:
			default:
				t.Fatal("the commit left out one who waited")
			}
			if r.err != nil || r.Units != r.units {
				t.Errorf("%s: %d units, %v; want %d", r.Key, r.Units, r.err, r.units)
			}
		}
		for key, want := range map[string]int64{"a": 40, "b": 100, "c": 5} {
			if used, err := s.QuotaUsed(t.Context(), key, time.Now()); err != nil || used != want {
				t.Errorf("%s: %d units are stored as used, %v; want %d", key, used, err, want)
			}
		}
	})
}

func TestReservationsOfOneCommit(t *testing.T) {
	s := &Store{reservations: newReservations()}
	for i := range maxReservations + 200 {
		waits(s, fmt.Sprint(i%7), 1, 1)
	}
	for _, want := range []int{maxReservations, 200, 0} {
		batch := s.reservations.take()
		if len(batch) != want {
			t.Errorf("a commit has %d reservations, want %d", len(batch), want)
		}
		if !slices.IsSortedFunc(batch, func(a, b *reservation) int { return strings.Compare(a.Key, b.Key) }) {
			t.Error("the rows are not in order")
		}
	}
}

// watched tells when somebody begins to wait for its end.
type watched struct {
	context.Context
	waits chan struct{}
}

func (w watched) Done() <-chan struct{} {
	close(w.waits)
	return w.Context.Done()
}

// A caller that gives up before the commit has reserved nothing.
func TestReservationIsWithdrawn(t *testing.T) {
	s := open(t, sqliteEngine.empty(t))
	s.reservations.turn <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	waiting, done := watched{ctx, make(chan struct{})}, make(chan error)
	go func() {
		_, err := s.ReserveQuota(waiting, "key", time.Now(), 5, 100)
		done <- err
	}()
	<-waiting.waits
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	<-s.reservations.turn
	if batch := s.reservations.take(); len(batch) != 0 {
		t.Error("the reservation waits still")
	}
}

// One commit that fails reserves nothing for anybody in it.
func TestReservationsFailTogether(t *testing.T) {
	s := open(t, sqliteEngine.empty(t))
	_, err := s.db.writer.Exec(`CREATE TRIGGER no BEFORE INSERT ON quotas WHEN NEW.api_key = 'b' BEGIN SELECT RAISE(ABORT, 'no'); END`)
	check(t, err)
	other := waits(s, "a", 5, 100)
	mine, err := s.ReserveQuota(t.Context(), "b", time.Now(), 5, 100)
	<-other.done
	for _, r := range []reservation{{Reservation: mine, err: err}, *other} {
		if r.err == nil || r.Units != 0 {
			t.Errorf("%s: %d units, error %v", r.Key, r.Units, r.err)
		}
	}
}
