package keyring

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
)

// use verifies n times, and returns how often it was let.
func use(t *testing.T, k *Keyring, text string, n int) (admitted int) {
	t.Helper()
	for range n {
		grant, err := verify(t, k, text)
		if err == nil {
			grant.Done(true)
			admitted++
		} else if err != ErrQuota {
			t.Error(err)
		}
	}
	return admitted
}

func TestQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		k := open(t, Config{Store: s})
		text, id := create(t, k, store.Key{MonthlyQuota: 25})
		if got := use(t, k, text, 40); got != 25 {
			t.Errorf("%d of a quota of 25", got)
		}
		if spent := s.spent(id); spent != 25 {
			t.Errorf("the store knows of %d", spent)
		}
		asked := s.reserved()
		for range 5 {
			use(t, k, text, 1000)
			time.Sleep(askAgain)
		}
		if s.reserved() != asked {
			t.Error("the store is written to for requests beyond the quota")
		}
	})
}

// TestQuotaCounts: what is answered counts once; what is refused or not
// answered, and what is no verification, does not count.
func TestQuotaCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		k := open(t, Config{Store: s})
		text, id := create(t, k, store.Key{MonthlyQuota: 1000, Concurrency: 2, Scopes: []store.Scope{store.ScopeVerify, store.ScopeUsage}})
		for _, answered := range []bool{true, false, true, false, false} {
			grant, err := verify(t, k, text)
			if err != nil {
				t.Fatal(err)
			}
			grant.Done(answered)
			grant.Done(false) // once only
		}
		a, _ := verify(t, k, text)
		b, _ := verify(t, k, text)
		if _, err := verify(t, k, text); err == nil {
			t.Error("a third request was let through")
		}
		a.Done(true)
		b.Done(true)
		usage, err := k.Admit(t.Context(), text, store.ScopeUsage, somewhere)
		if err != nil {
			t.Fatal(err)
		}
		usage.Done(true)
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
		if spent := s.spent(id); spent != 4 {
			t.Errorf("%d counted, want 4", spent)
		}
	})
}

// TestQuotaRefused: a request that the quota refuses costs no token and no
// place.
func TestQuotaRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := open(t, Config{Store: newFakeStore()})
		text, _ := create(t, k, store.Key{MonthlyQuota: 1, Concurrency: 1, RatePerSecond: 0.001, Burst: 2})
		if got := use(t, k, text, 20); got != 1 {
			t.Errorf("%d of a quota of 1", got)
		}
	})
}

// TestIdleQuota: a block that nobody uses is given back in a moment, so that
// what counts as used is what was used.
func TestIdleQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		k := open(t, Config{Store: s})
		text, id := create(t, k, store.Key{MonthlyQuota: 100_000})
		for range 500 {
			use(t, k, text, 1)
			time.Sleep(time.Millisecond)
		}
		if s.spent(id) <= 500 {
			t.Error("nothing was reserved ahead")
		}
		time.Sleep(idleAfter + 2*upkeepEvery)
		if spent := s.spent(id); spent != 500 {
			t.Errorf("%d counted, want 500", spent)
		}
	})
}

// TestManyIdleQuotas: a slow disk that takes the blocks of many keys back does
// not keep the node from seeing that its keys are current.
func TestManyIdleQuotas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const keys = 500
		s := newFakeStore()
		s.returns = 20 * time.Millisecond
		for i := range keys {
			s.keys = append(s.keys, store.Key{ID: fmt.Sprint("key_", i), Hash: store.HashOf(fmt.Sprint(i)), MonthlyQuota: 1000})
		}
		k := open(t, Config{Store: s})
		left := func(e *entry, change int64) int64 {
			e.quota.mu.Lock()
			defer e.quota.mu.Unlock()
			e.quota.month, e.quota.left = monthOf(time.Now()), e.quota.left+change
			return e.quota.left
		}
		for _, e := range k.table.Load().all {
			left(e, 1)
		}
		for range 15 {
			time.Sleep(time.Second)
			if stale := k.Stale(); stale > tolerated {
				t.Fatalf("the keys are taken to be %v old", stale)
			}
		}
		for _, e := range k.table.Load().all {
			if left(e, 0) != 0 {
				t.Fatalf("%s has its block still", e.key.ID)
			}
		}
	})
}

// TestQuotaAhead: in steady traffic no request waits for the store, and the
// store is asked a few times a second.
func TestQuotaAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		k := open(t, Config{Store: s})
		text, _ := create(t, k, store.Key{MonthlyQuota: 1_000_000})
		second := func() {
			for range 1000 {
				use(t, k, text, 1)
				time.Sleep(time.Millisecond)
			}
		}
		second()
		s.mu.Lock()
		s.delay, s.reserves = 200*time.Millisecond, 0
		s.mu.Unlock()
		began := time.Now()
		second()
		second()
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("requests waited %v", took-2*time.Second)
		}
		if n := s.reserved(); n == 0 || n > 10 {
			t.Errorf("%d reservations in two seconds", n)
		}
	})
}

// TestManyWait: a crowd that comes at once shares few reservations.
func TestManyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		s.delay = 5 * time.Millisecond
		k := open(t, Config{Store: s})
		text, _ := create(t, k, store.Key{MonthlyQuota: 1_000_000})
		began := time.Now()
		var crowd sync.WaitGroup
		for range 500 {
			crowd.Go(func() { use(t, k, text, 1) })
		}
		crowd.Wait()
		if took := time.Since(began); took > 20*time.Millisecond {
			t.Errorf("they waited %v", took)
		}
	})
}

func TestMonthTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		february := time.Date(2000, 2, 1, 0, 0, 0, 0, time.UTC)
		ahead := time.Until(february) - 300*time.Millisecond
		s := newFakeStore()
		k := open(t, Config{Store: s, Now: func() time.Time { return time.Now().Add(ahead) }})
		text, id := create(t, k, store.Key{MonthlyQuota: 5000})
		open, err := verify(t, k, text)
		if err != nil {
			t.Fatal(err)
		}
		for range 299 {
			use(t, k, text, 1)
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Millisecond)
		if got := use(t, k, text, 7); got != 7 {
			t.Errorf("%d of 7 in the new month", got)
		}
		open.Done(false) // which was of January
		time.Sleep(10 * time.Second)
		if spent := s.spentAt(id, february); spent != 7 {
			t.Errorf("February has %d, want 7", spent)
		}
		if spent := s.spentAt(id, february.Add(-time.Second)); spent != 300 {
			t.Errorf("January has %d, want 300", spent)
		}
	})
}

// TestMonthTurnsMeanwhile: what is granted for a month that has ended meanwhile
// is given back, and used by nobody.
func TestMonthTurnsMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		february := time.Date(2000, 2, 1, 0, 0, 0, 0, time.UTC)
		ahead := time.Until(february) - 50*time.Millisecond
		s := newFakeStore()
		s.delay = 100 * time.Millisecond
		k := open(t, Config{Store: s, Now: func() time.Time { return time.Now().Add(ahead) }})
		text, id := create(t, k, store.Key{MonthlyQuota: 5000})
		var clients sync.WaitGroup
		for range 2 { // one on either side of the turn
			clients.Go(func() {
				if got := use(t, k, text, 1); got != 1 {
					t.Error("refused")
				}
			})
			time.Sleep(60 * time.Millisecond)
		}
		clients.Wait()
		time.Sleep(10 * time.Second)
		if january, here := s.spentAt(id, february.Add(-time.Second)), s.spentAt(id, february); january != 0 || here != 2 {
			t.Errorf("January has %d, February %d, want 0 and 2", january, here)
		}
	})
}

// TestEndOfQuota: towards the end a node holds less and less, so that others
// have their share.
func TestEndOfQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 5000
		s := newFakeStore()
		k := open(t, Config{Store: s})
		text, id := create(t, k, store.Key{MonthlyQuota: limit})
		for n := range int64(limit) {
			use(t, k, text, 1)
			time.Sleep(time.Millisecond)
			if held, left := s.spent(id)-(n+1), limit-n; held > max(2, left/5) {
				t.Fatalf("it holds %d of the last %d", held, left)
			}
		}
	})
}

// TestUnsureReturn: units whose return failed may have been returned, and are
// not used again.
func TestUnsureReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		k := open(t, Config{Store: &unsure{s}})
		text, _ := create(t, k, store.Key{MonthlyQuota: 100})
		admitted := 0
		for range 10 {
			for range 5 {
				admitted += use(t, k, text, 1)
				time.Sleep(time.Millisecond)
			}
			time.Sleep(idleAfter + 2*upkeepEvery)
		}
		if admitted += use(t, k, text, 100); admitted != 100 {
			t.Errorf("%d of a quota of 100", admitted)
		}
	})
}

// unsure is a store that takes units back and says that it failed.
type unsure struct{ *fakeStore }

func (u *unsure) ReturnQuota(ctx context.Context, r store.Reservation) error {
	_ = u.fakeStore.ReturnQuota(ctx, r)
	return store.ErrUnavailable
}

// TestQuotaUnavailable: without the store a key goes on with its block, and
// gets ErrUnavailable then, soon and cheaply.
func TestQuotaUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		k := open(t, Config{Store: s})
		text, id := create(t, k, store.Key{MonthlyQuota: 100_000, Concurrency: 1})
		free, _ := create(t, k, store.Key{})
		for range 500 {
			use(t, k, text, 1)
			time.Sleep(time.Millisecond)
		}
		s.fail(store.ErrUnavailable)
		admitted, asked := 500, s.asked
		for {
			grant, err := verify(t, k, text)
			if err != nil {
				if err != ErrUnavailable {
					t.Errorf("%v", err)
				}
				break
			}
			grant.Done(true)
			admitted++
			time.Sleep(time.Millisecond)
		}
		if admitted == 500 {
			t.Error("there was no block to go on with")
		}
		if n := s.asked - asked; n > 3 {
			t.Errorf("the store was asked %d times in less than a second", n)
		}
		if grant, err := verify(t, k, free); err != nil {
			t.Errorf("a key without a quota: %v", err)
		} else {
			grant.Done(true)
		}
		s.fail(nil)
		time.Sleep(askAgain)
		if got := use(t, k, text, 1); got != 1 {
			t.Error("it does not go on when the store is back")
		}
		_ = k.Close()
		if spent := s.spent(id); spent != int64(admitted+1) {
			t.Errorf("%d counted, want %d", spent, admitted+1)
		}
	})
}

// TestSilentStore checks that a call to a store that does not answer ends with
// its client or after a while.
func TestSilentStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		s.delay = time.Hour
		k := open(t, Config{Store: s})
		text, _ := create(t, k, store.Key{MonthlyQuota: 100, Concurrency: 1})
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := k.Admit(ctx, text, store.ScopeVerify, somewhere); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if _, err := verify(t, k, text); err != ErrUnavailable || time.Since(began) != time.Second+unitTimeout {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// TestNodes: several nodes use a quota up together, however they come and go,
// and never go beyond it.
func TestNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 20_000
		s := newFakeStore()
		s.delay = 3 * time.Millisecond
		nodes := []*Keyring{open(t, Config{Store: s}), open(t, Config{Store: s}), open(t, Config{Store: s})}
		text, id := create(t, nodes[0], store.Key{MonthlyQuota: limit})
		time.Sleep(time.Second)
		var admitted atomic.Int64
		var clients sync.WaitGroup
		for i := range 30 {
			clients.Go(func() {
				for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
					admitted.Add(int64(use(t, nodes[i%3], text, 1)))
				}
			})
		}
		clients.Wait()
		if got := admitted.Load(); got != limit {
			t.Errorf("%d of a quota of %d", got, limit)
		}
		if spent := s.spent(id); spent != limit {
			t.Errorf("the store knows of %d", spent)
		}
	})
}

// TestKilled: a node that vanishes takes no more than a block with it.
func TestKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, perSecond = 50_000, 200
		s := newFakeStore()
		keeper := open(t, Config{Store: s})
		text, id := create(t, keeper, store.Key{MonthlyQuota: limit})
		admitted := 0
		for range 20 {
			victim := open(t, Config{Store: &mortal{fakeStore: s}})
			for range 3 * perSecond {
				admitted += use(t, victim, text, 1)
				time.Sleep(time.Second / perSecond)
			}
			victim.store.(*mortal).dead.Store(true)
			time.Sleep(5 * time.Second) // whatever it still has to say is not heard
		}
		lost := s.spent(id) - int64(admitted)
		if lost <= 0 || lost > 20*(perSecond+1) {
			t.Errorf("twenty killed nodes with %d requests a second lost %d units", perSecond, lost)
		}
	})
}

// mortal is the store of a node that is killed: nothing is heard of it then.
type mortal struct {
	*fakeStore
	dead atomic.Bool
}

func (m *mortal) ReturnQuota(ctx context.Context, r store.Reservation) error {
	if m.dead.Load() {
		return store.ErrUnavailable
	}
	return m.fakeStore.ReturnQuota(ctx, r)
}

// TestUnsureStore: a store that fails after it has committed makes nobody go
// beyond the quota.
func TestUnsureStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		k := open(t, Config{Store: s})
		text, _ := create(t, k, store.Key{MonthlyQuota: 1000})
		admitted := 0
		for i := range 1000 {
			s.mu.Lock()
			s.lost, s.err = true, nil
			if i%3 == 0 {
				s.err = store.ErrUnavailable
			}
			s.mu.Unlock()
			for range 20 {
				if grant, err := verify(t, k, text); err == nil {
					grant.Done(true)
					admitted++
				}
			}
			time.Sleep(700 * time.Millisecond)
		}
		if admitted > 1000 || admitted < 500 {
			t.Errorf("%d of a quota of 1000", admitted)
		}
	})
}
