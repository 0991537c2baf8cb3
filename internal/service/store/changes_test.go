//go:build unix

package store

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"
)

func TestWatch(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		other := o // another process on the same database
		other.Beside = true
		elsewhere := open(t, other)
		seen, err := s.Versions(t.Context())
		check(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		done, calls := make(chan struct{}), make(chan Versions)
		go func() {
			defer close(done)
			refused := false
			s.Watch(ctx, seen, func(_ context.Context, v Versions) error {
				if !refused {
					refused = true
					return errors.New("not now") // it is told again
				}
				calls <- v
				return nil
			})
		}()
		key := someKey(t, elsewhere, "secret")
		began := time.Now()
		if got := <-calls; got.Keys != seen.Keys+1 || got.Settings != seen.Settings {
			t.Errorf("after a key was made: %+v, before %+v", got, seen)
		}
		t.Logf("a key that was made elsewhere: known after %v", time.Since(began))
		check(t, s.SetSetting(t.Context(), "a", json.RawMessage(`1`)))
		if got := <-calls; got.Settings != seen.Settings+1 {
			t.Errorf("after a setting: %+v, before %+v", got, seen)
		}
		began = time.Now()
		check(t, elsewhere.RevokeKey(t.Context(), ByCommand("test"), key.ID))
		<-calls
		if took := time.Since(began); took > 10*pollEvery {
			t.Errorf("a revocation was known after %v", took)
		}
		cancel()
		<-done
	})
}

func TestFailedChangesAreNotCounted(t *testing.T) {
	onEngines(t, func(t *testing.T, o Options) {
		s := open(t, o)
		someKey(t, s, "secret")
		before, err := s.Versions(t.Context())
		check(t, err)
		_, err = s.CreateKey(t.Context(), ByCommand("test"), Key{Hash: HashOf("secret")})
		wantError(t, err, ErrExists)
		after, err := s.Versions(t.Context())
		check(t, err)
		if before != after {
			t.Errorf("%+v, then %+v", before, after)
		}
	})
}
