package keyring

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// fakeStore is a store in memory for any number of keyrings, which can be made
// to fail and to be slow.
type fakeStore struct {
	mu       sync.Mutex
	keys     []store.Key
	version  int64
	used     map[string]int64 // by key and month
	touches  int
	reserves int
	asked    int           // for the quota used
	reads    int           // of all keys
	settings int64         // their version
	err      error         // of everything
	delay    time.Duration // of reservations
	returns  time.Duration // delay of what is given back
	lost     bool          // an error comes after the work is done
}

func newFakeStore() *fakeStore { return &fakeStore{version: 1, used: map[string]int64{}} }

func quotaRow(key string, at time.Time) string { return key + at.UTC().Format(" 2006-01") }

// do runs f as one transaction.
func (s *fakeStore) do(f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil || s.lost {
		if err := f(); err != nil {
			return err
		}
	}
	return s.err
}

func (s *fakeStore) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *fakeStore) Keys(context.Context) (keys []store.Key, err error) {
	err = s.do(func() error {
		s.reads++
		keys = append(keys, s.keys...)
		return nil
	})
	return keys, err
}

func (s *fakeStore) Versions(context.Context) (v store.Versions, err error) {
	err = s.do(func() error { v.Keys, v.Settings = s.version, s.settings; return nil })
	return v, err
}

func (s *fakeStore) Watch(ctx context.Context, seen store.Versions, changed func(context.Context, store.Versions) error) {
	for ctx.Err() == nil {
		if now, err := s.Versions(ctx); err == nil && now != seen && changed(ctx, now) == nil {
			seen = now
		}
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
	}
}

func (s *fakeStore) CreateKey(_ context.Context, _ store.Actor, k store.Key) (store.Key, error) {
	err := s.do(func() error {
		s.version++
		k.ID, k.Created = fmt.Sprintf("%s_%d", rows.KindOfID(k.Test), len(s.keys)+1), time.Now()
		s.keys = append(s.keys, k)
		return nil
	})
	return k, err
}

// change changes a key in place.
func (s *fakeStore) change(id string, change func(*store.Key)) error {
	return s.do(func() error {
		for i := range s.keys {
			if s.keys[i].ID == id {
				change(&s.keys[i])
				s.version++
				return nil
			}
		}
		return store.ErrNotFound
	})
}

func (s *fakeStore) UpdateKey(_ context.Context, _ store.Actor, key store.Key) error {
	return s.change(key.ID, func(k *store.Key) { *k = key })
}

func (s *fakeStore) RotateKey(ctx context.Context, by store.Actor, id string, hash store.Hash, until time.Time) (fresh store.Key, err error) {
	if err := s.change(id, func(k *store.Key) { fresh, k.Expires = *k, until }); err != nil {
		return fresh, err
	}
	fresh.Hash, fresh.Replaces = hash, id
	return s.CreateKey(ctx, by, fresh)
}

func (s *fakeStore) RevokeKey(_ context.Context, _ store.Actor, id string) error {
	return s.change(id, func(k *store.Key) { k.Revoked = time.Now() })
}

func (s *fakeStore) TouchKey(id string, at time.Time) {
	_ = s.do(func() error { s.touches++; return nil })
}

func (s *fakeStore) QuotaUsed(_ context.Context, key string, at time.Time) (used int64, err error) {
	s.mu.Lock()
	s.asked++
	s.mu.Unlock()
	err = s.do(func() error { used = s.used[quotaRow(key, at)]; return nil })
	return used, err
}

func (s *fakeStore) ReserveQuota(ctx context.Context, key string, at time.Time, want, limit int64) (store.Reservation, error) {
	r := store.Reservation{Key: key, Month: monthOf(at).begin()}
	s.mu.Lock()
	delay := s.delay
	s.mu.Unlock()
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return r, ctx.Err()
		}
	}
	err := s.do(func() error {
		s.reserves++
		row := quotaRow(key, at)
		r.Units = max(0, min(want, limit-s.used[row]))
		s.used[row] += r.Units
		return nil
	})
	if err != nil {
		r.Units = 0
	}
	return r, err
}

func (s *fakeStore) ReturnQuota(_ context.Context, r store.Reservation) error {
	time.Sleep(s.returns)
	return s.do(func() error { s.used[quotaRow(r.Key, r.Month)] -= r.Units; return nil })
}

// spentAt is how many units of a month's quota are used or reserved.
func (s *fakeStore) spentAt(key string, at time.Time) (units int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used[quotaRow(key, at)]
}

func (s *fakeStore) spent(key string) int64 { return s.spentAt(key, time.Now()) }

func (s *fakeStore) reserved() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reserves
}

// open opens a keyring that is closed with the test.
func open(t testing.TB, c Config) *Keyring {
	t.Helper()
	k, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// create makes a key that may verify.
func create(t testing.TB, k *Keyring, key store.Key) (text, id string) {
	t.Helper()
	if key.Scopes == nil {
		key.Scopes = []store.Scope{store.ScopeVerify}
	}
	text, created, err := k.Create(t.Context(), store.ByCommand("test"), key)
	if err != nil {
		t.Fatal(err)
	}
	return text, created.ID
}

var somewhere = netip.MustParseAddr("192.0.2.1")

// verify asks for leave to verify.
func verify(t testing.TB, k *Keyring, text string) (*Grant, error) {
	return k.Admit(t.Context(), text, store.ScopeVerify, somewhere)
}
