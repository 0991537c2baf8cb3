//go:build unix

package keyring

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
)

var twoNodes = map[string]func(t *testing.T, a, b *store.Store){"revocation": testRevocation, "quota": testQuota}

// TestTwoNodes runs with two stores on one database: on SQLite, and on
// PostgreSQL where it is installed.
func TestTwoNodes(t *testing.T) {
	for name, test := range twoNodes {
		t.Run("sqlite/"+name, func(t *testing.T) {
			folder := t.TempDir()
			a := openStore(t, store.Options{DataDir: folder})
			test(t, a, openStore(t, store.Options{DataDir: folder, Beside: true}))
		})
	}
	t.Run("postgresql", func(t *testing.T) {
		cluster := storetest.Start(t)
		for name, test := range twoNodes {
			t.Run(name, func(t *testing.T) {
				database := cluster.Database(t)
				a := openStore(t, store.Options{DatabaseURL: database})
				test(t, a, openStore(t, store.Options{DatabaseURL: database}))
			})
		}
	})
}

func openStore(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// testRevocation: a key that is made or revoked on one node is so on the other
// a second later.
func testRevocation(t *testing.T, a, b *store.Store) {
	here, there := open(t, Config{Store: a}), open(t, Config{Store: b})
	var made, revoked []time.Duration
	for range 3 {
		m, r := keyComesAndGoes(t, here, there)
		made, revoked = append(made, m), append(revoked, r)
	}
	if slices.Min(made) > time.Second || slices.Min(revoked) > time.Second { // the others may have waited for what else the machine does
		t.Errorf("keys worked there after %v, and did so for %v when they were revoked", made, revoked)
	}
}

// keyComesAndGoes makes a key here and revokes it, and tells how long it took
// to be so there.
func keyComesAndGoes(t *testing.T, here, there *Keyring) (made, revoked time.Duration) {
	t.Helper()
	text, id := create(t, here, store.Key{})
	works := func(k *Keyring) bool {
		grant, err := verify(t, k, text)
		if err == nil {
			grant.Done(true)
		}
		return err == nil
	}
	if !works(here) {
		t.Error("a new key does not work where it was made")
	}
	began := time.Now()
	testkit.Eventually(t, "the key works there", func() bool { return works(there) })
	made = time.Since(began)
	if err := here.Revoke(t.Context(), store.ByCommand("test"), id); err != nil {
		t.Fatal(err)
	}
	if works(here) {
		t.Error("a revoked key works where it was revoked")
	}
	began = time.Now()
	testkit.Eventually(t, "the revoked key is refused there", func() bool { return !works(there) })
	return made, time.Since(began)
}

// testQuota: two nodes use up exactly the quota, but for what a killed one had
// reserved.
func testQuota(t *testing.T, a, b *store.Store) {
	const limit, ofVictim = 3000, 500
	here, there := open(t, Config{Store: a}), open(t, Config{Store: b})
	text, _ := create(t, here, store.Key{MonthlyQuota: limit})
	victim := open(t, Config{Store: b})
	if got := use(t, victim, text, ofVictim); got != ofVictim {
		t.Fatalf("%d of %d", got, ofVictim)
	}
	kill(victim)

	testkit.Eventually(t, "the key is known there", func() bool { return len(there.List()) == 1 })
	total, failures := atomic.Int64{}, atomic.Int64{}
	total.Add(ofVictim)
	var clients sync.WaitGroup
	for i := range 8 {
		k := []*Keyring{here, there}[i%2]
		clients.Go(func() {
			for {
				grant, err := verify(t, k, text)
				switch err {
				case nil:
					total.Add(1)
					grant.Done(true)
				case ErrUnavailable: // a machine with much else to do
					failures.Add(1)
					time.Sleep(askAgain / 10) // as a client does after a 503
				default:
					return
				}
			}
		})
	}
	clients.Wait()
	if lost := (1 + failures.Load()) * limit / largestPart; total.Load() > limit || total.Load() < limit-lost {
		t.Errorf("%d of a quota of %d, of which %d may be lost", total.Load(), limit, lost)
	}
}

// kill ends a keyring as if its process had been killed: nothing is given back.
func kill(k *Keyring) {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	k.stop()
	k.routines.Wait()
	for _, e := range k.table.Load().all {
		e.quota.left = 0
	}
}
