package keyring

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
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
		if err := first.More(10); !errors.As(err, &tooMany) || tooMany.Most != 10 {
			t.Errorf("eleven where ten fit: %v", err)
		}
		if err := first.More(9); err != nil || first.Rate().Remaining != 0 {
			t.Errorf("ten: %v, %d remain", err, first.Rate().Remaining)
		}
		if err := first.Pay(t.Context(), 10); err != nil {
			t.Errorf("ten units: %v", err)
		}
		first.Unanswered(3)
		first.Done(true) // seven of twelve are used

		time.Sleep(time.Minute)
		second, err := verify(t, k, text)
		if err != nil {
			t.Fatal(err)
		}
		if err := second.More(5); err != nil {
			t.Error(err)
		}
		if err := second.Pay(t.Context(), 6); err != ErrQuota {
			t.Errorf("six where five are left: %v", err)
		}
		for _, units := range []int{5, 2, 5, 5} {
			if err := second.Pay(t.Context(), units); err != nil {
				t.Errorf("%d where five are left: %v", units, err)
			}
		}
		if _, err := verify(t, k, text); err != ErrQuota {
			t.Errorf("all are taken: %v", err)
		}
		owed, err := k.AdmitOwed(text, store.ScopeVerify, somewhere)
		if err != nil {
			t.Fatal(err)
		}
		if err := owed.Pay(t.Context(), 0); err != nil {
			t.Errorf("nothing is to be paid: %v", err)
		}
		if err := owed.Pay(t.Context(), 1); err != ErrQuota {
			t.Errorf("one more: %v", err)
		}
		owed.Free()
		owed.Done(true)
		other, err := k.AdmitOwed(text, store.ScopeVerify, somewhere)
		if err != nil {
			t.Fatal(err)
		}
		var limit *LimitError
		if err := other.More(5); !errors.As(err, &limit) {
			t.Errorf("seven, six and one where ten fit: %v", err)
		}
		other.Free()
		other.Done(false)
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
