package keyring

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestOtherNode: what one node does the other knows within a second, and limits
// that have been changed hold for keys in use.
func TestOtherNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		here, there := open(t, Config{Store: s}), open(t, Config{Store: s})
		time.Sleep(300 * time.Millisecond)
		text, id := create(t, here, store.Key{RatePerSecond: 1.0 / 3600})
		time.Sleep(time.Second)
		if _, err := verify(t, there, text); err != nil {
			t.Errorf("a key made elsewhere: %v", err)
		}
		if _, err := verify(t, there, text); err == nil {
			t.Error("there is no limit")
		}
		_ = s.change(id, func(k *store.Key) { k.RatePerSecond = 1 })
		time.Sleep(time.Second)
		var limit *LimitError
		if _, err := verify(t, there, text); errors.As(err, &limit) {
			time.Sleep(limit.RetryAfter) // the bucket was empty
		}
		if limit == nil || limit.RetryAfter > time.Second {
			t.Errorf("after its limit was raised: %v", limit)
		}
		if _, err := verify(t, there, text); err != nil {
			t.Errorf("after its limit was raised: %v", err)
		}
		if err := here.Revoke(t.Context(), store.ByCommand("test"), id); err != nil {
			t.Fatal(err)
		}
		if _, err := verify(t, here, text); err != ErrUnauthorized {
			t.Errorf("revoked here: %v", err)
		}
		time.Sleep(time.Second)
		if _, err := verify(t, there, text); err != ErrUnauthorized {
			t.Errorf("revoked elsewhere: %v", err)
		}
		if keys := there.List(); len(keys) != 1 || keys[0].Revoked.IsZero() {
			t.Errorf("%+v", keys)
		}
	})
}

// TestRotation: both keys work until the old one ends, here at once and
// elsewhere within a second, and new limits hold at once.
func TestRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		here, there := open(t, Config{Store: s}), open(t, Config{Store: s})
		old, id := create(t, here, store.Key{Name: "shop"})
		fresh, key, err := here.Rotate(t.Context(), store.ByCommand("test"), id, time.Now().Add(time.Hour))
		if err != nil || key.Replaces != id || key.Name != "shop" || !strings.HasPrefix(fresh, TextPrefix) {
			t.Fatalf("%+v, %v", key, err)
		}
		admitted := func(keys *Keyring, text string) bool { _, err := verify(t, keys, text); return err == nil }
		if !admitted(here, old) || !admitted(here, fresh) {
			t.Error("one of the two does not work here at once")
		}
		time.Sleep(time.Second)
		if !admitted(there, old) || !admitted(there, fresh) {
			t.Error("one of the two does not work elsewhere")
		}
		time.Sleep(time.Hour)
		if admitted(here, old) || admitted(there, old) || !admitted(here, fresh) || !admitted(there, fresh) {
			t.Error("the old key has not ended, or the new one has")
		}
		key.RatePerSecond = 1.0 / 3600
		if err := here.Update(t.Context(), store.ByCommand("test"), key); err != nil {
			t.Fatal(err)
		}
		if !admitted(here, fresh) || admitted(here, fresh) {
			t.Error("the new limit does not hold at once")
		}
		if _, _, err := here.Rotate(t.Context(), store.ByCommand("test"), "nothing", time.Now()); err != store.ErrNotFound {
			t.Error(err)
		}
	})
}

// TestStateGoesOn: reading the keys anew gives nobody new tokens or places.
func TestStateGoesOn(t *testing.T) {
	k := open(t, Config{Store: newFakeStore()})
	text, _ := create(t, k, store.Key{Concurrency: 1})
	grant, err := verify(t, k, text)
	if err != nil {
		t.Fatal(err)
	}
	create(t, k, store.Key{})
	if _, err := verify(t, k, text); err == nil {
		t.Error("there is a second place")
	}
	grant.Done(true)
	if _, err := verify(t, k, text); err != nil {
		t.Error(err)
	}
}

// TestUnreadableKeys: a revocation holds where it was made although the keys
// cannot be read after it, and elsewhere it is known that they are stale.
func TestUnreadableKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, said := &unreadable{fakeStore: newFakeStore()}, new(testkit.Log)
		here, there := open(t, Config{Store: s}), open(t, Config{Store: s, Log: slog.New(slog.NewTextHandler(said, nil))})
		text, id := create(t, here, store.Key{})
		time.Sleep(time.Second)
		s.unreadable.Store(true)
		if err := here.Revoke(t.Context(), store.ByCommand("test"), id); err != nil {
			t.Fatal(err)
		}
		if _, err := verify(t, here, text); err != ErrUnauthorized {
			t.Errorf("%v", err)
		}
		time.Sleep(time.Minute)
		if stale := there.Stale(); stale < time.Minute || strings.Count(said.String(), "level=ERROR") != 1 {
			t.Errorf("stale for %v; the log: %s", stale, said)
		}
	})
}

// unreadable is a store whose keys cannot be read.
type unreadable struct {
	*fakeStore
	unreadable atomic.Bool
}

func (u *unreadable) Keys(ctx context.Context) ([]store.Key, error) {
	if u.unreadable.Load() {
		return nil, store.ErrInvalid
	}
	return u.fakeStore.Keys(ctx)
}

// TestStoreAway: known keys stay in use, the log has it once, and what was
// missed is taken up afterwards.
func TestStoreAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, said := newFakeStore(), new(testkit.Log)
		k := open(t, Config{Store: s, Log: slog.New(slog.NewTextHandler(said, nil))})
		text, id := create(t, k, store.Key{})
		time.Sleep(time.Minute)
		if stale := k.Stale(); stale > time.Second {
			t.Errorf("stale for %v with a store that answers", stale)
		}
		s.fail(store.ErrUnavailable)
		time.Sleep(time.Minute)
		if stale := k.Stale(); stale < time.Minute || stale > time.Minute+2*time.Second {
			t.Errorf("stale for %v after a minute", stale)
		}
		if _, err := verify(t, k, text); err != nil {
			t.Errorf("a known key: %v", err)
		}
		if err := k.Revoke(t.Context(), store.ByCommand("test"), id); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("revoked: %v", err)
		}
		if _, _, err := k.Create(t.Context(), store.ByCommand("test"), store.Key{}); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("created: %v", err)
		}
		s.fail(nil)
		_ = s.RevokeKey(t.Context(), store.ByCommand("test"), id)
		time.Sleep(time.Second)
		if _, err := verify(t, k, text); err != ErrUnauthorized {
			t.Errorf("revoked meanwhile: %v", err)
		}
		if lost, back := strings.Count(said.String(), "level=ERROR"), strings.Count(said.String(), "current again"); lost != 1 || back != 1 {
			t.Errorf("the log: %s", said)
		}
	})
}

// TestLastUseElsewhere: what other nodes have stored of last uses is seen after
// a while.
func TestLastUseElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		k := open(t, Config{Store: s})
		create(t, k, store.Key{})
		s.mu.Lock()
		s.keys[0].LastUsed = time.Now()
		s.mu.Unlock()
		time.Sleep(rereadEvery + upkeepEvery)
		if k.List()[0].LastUsed.IsZero() {
			t.Error("it counts as never used")
		}
	})
}

// TestOtherChanges: a change of settings is no reason to read the keys.
func TestOtherChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		k := open(t, Config{Store: s})
		_ = s.do(func() error { s.settings++; return nil })
		time.Sleep(5 * time.Second)
		if s.reads != 1 || k.Stale() > time.Second {
			t.Errorf("read %d times, stale for %v", s.reads, k.Stale())
		}
	})
}

// TestFixedKeyIsNeverStale: there is nothing that it could be older than.
func TestFixedKeyIsNeverStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := open(t, Config{Fixed: "a-key-of-the-operator"})
		time.Sleep(time.Hour)
		if stale := k.Stale(); stale != 0 {
			t.Errorf("stale for %v", stale)
		}
	})
}

func TestOpenWithoutStore(t *testing.T) {
	s := newFakeStore()
	s.fail(store.ErrUnavailable)
	if _, err := Open(t.Context(), Config{Store: s}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if _, err := Open(t.Context(), Config{}); err == nil {
		t.Error("no store is no error")
	}
}

// TestClosed: what comes after Close finds nothing to wait for.
func TestClosed(t *testing.T) {
	k := open(t, Config{Store: newFakeStore()})
	text, _ := create(t, k, store.Key{MonthlyQuota: 100})
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := verify(t, k, text); err != ErrUnavailable {
		t.Errorf("%v", err)
	}
}
