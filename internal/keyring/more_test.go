package keyring

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/internal/store"
)

// TestRateAtOnce: a rate of N in its window allows N requests at once, and no
// more.
func TestRateAtOnce(t *testing.T) {
	for _, c := range []struct {
		key  store.Key
		want int
	}{
		{store.Key{RatePerSecond: 5}, 5},
		{store.Key{RatePerSecond: 0.5}, 1},
		{store.Key{RatePerSecond: 10.0 / 60, Burst: DefaultBurst(10)}, 10},
		{store.Key{RatePerSecond: 5, Burst: 2}, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := open(t, Config{Store: newFakeStore()})
			text, _ := create(t, k, c.key)
			admitted := 0
			for range c.want + 3 {
				if _, err := verify(t, k, text); err == nil {
					admitted++
				}
			}
			if admitted != c.want {
				t.Errorf("%v a second, burst %d: %d at once, want %d", c.key.RatePerSecond, c.key.Burst, admitted, c.want)
			}
		})
	}
}

// TestMore: a request about several addresses costs what as many requests do,
// or nothing.
func TestMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := open(t, Config{Store: newFakeStore()})
		text, _ := create(t, k, store.Key{RatePerSecond: 1, Burst: 10, MonthlyQuota: 12})
		first, err := verify(t, k, text)
		if err != nil {
			t.Fatal(err)
		}
		var tooMany *TooManyError
		if err := first.More(t.Context(), 10); !errors.As(err, &tooMany) || tooMany.Most != 10 {
			t.Errorf("eleven where ten fit: %v", err)
		}
		if err := first.More(t.Context(), 9); err != nil || first.Rate().Remaining != 0 {
			t.Errorf("ten: %v, %d remain", err, first.Rate().Remaining)
		}
		first.Unanswered(3)
		first.Done(true) // seven of twelve are used

		time.Sleep(time.Minute)
		second, err := verify(t, k, text)
		if err != nil {
			t.Fatal(err)
		}
		if err := second.More(t.Context(), 5); err != ErrQuota || second.Rate().Remaining != 9 {
			t.Errorf("six where five are left: %v, %d remain", err, second.Rate().Remaining)
		}
		if err := second.More(t.Context(), 4); err != nil {
			t.Errorf("five where five are left: %v", err)
		}
		var limit *LimitError
		if err := second.More(t.Context(), 5); !errors.As(err, &limit) && !errors.Is(err, ErrQuota) {
			t.Errorf("more: %v", err)
		}
		second.Free()
		if remaining := second.Rate().Remaining; remaining != 10 {
			t.Errorf("a mistake of the client costs %d", 10-remaining)
		}
		second.Done(false)
		if used := k.entryOf(t, text).quota.left; used != 5 {
			t.Errorf("%d units are at hand after it", used)
		}
	})
}

// TestFreeAfterCached: what was given back is not given back twice.
func TestFreeAfterCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := open(t, Config{Store: newFakeStore()})
		text, _ := create(t, k, store.Key{RatePerSecond: 1, Burst: 10})
		kept, _ := verify(t, k, text)
		grant, err := verify(t, k, text)
		if err != nil {
			t.Fatal(err)
		}
		grant.Cached()
		grant.Free()
		if remaining := kept.Rate().Remaining; remaining != 9 {
			t.Errorf("%d remain of ten beside one request", remaining)
		}
	})
}

func (k *Keyring) entryOf(t *testing.T, text string) *entry {
	t.Helper()
	return k.table.Load().byHash[store.HashOf(text)]
}
