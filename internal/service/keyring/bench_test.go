package keyring

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
)

const manyKeys = 5000

// crowded returns a store with many keys that have everything a key can have,
// and the text of one of them.
func crowded() (*fakeStore, string) {
	s, text := newFakeStore(), NewText(false)
	for i := range manyKeys {
		hash := store.HashOf(fmt.Sprint(i))
		if i == manyKeys/2 {
			hash = store.HashOf(text)
		}
		_, _ = s.CreateKey(context.Background(), store.ByCommand("test"), store.Key{
			Hash: hash, Name: fmt.Sprintf("key %d of the tests", i), Account: fmt.Sprintf("acc_%020d", i),
			Scopes:        []store.Scope{store.ScopeVerify, store.ScopeBulk, store.ScopeUsage},
			Networks:      []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")},
			RatePerSecond: 1e8, Burst: 1e9, Concurrency: 1e6, MonthlyQuota: 1 << 60, Expires: time.Now().Add(time.Hour),
		})
	}
	return s, text
}

// BenchmarkAdmit is one request of a key with every limit.
func BenchmarkAdmit(b *testing.B) {
	s, text := crowded()
	k := open(b, Config{Store: s})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			grant, err := k.Admit(context.Background(), text, store.ScopeVerify, somewhere)
			if err != nil {
				b.Error(err)
				return
			}
			grant.Cached()
			_ = grant.Rate()
			grant.Done(true)
		}
	})
}

// BenchmarkUnknown is a request with a wrong key.
func BenchmarkUnknown(b *testing.B) {
	s, _ := crowded()
	k := open(b, Config{Store: s})
	wrong := NewText(false)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Admit(context.Background(), wrong, store.ScopeVerify, somewhere); err != ErrUnauthorized {
			b.Fatal(err)
		}
	}
}

func TestAllocations(t *testing.T) {
	s, text := crowded()
	k := open(t, Config{Store: s})
	for range 1000 {
		use(t, k, text, 1)
	}
	if n := testing.AllocsPerRun(1000, func() { use(t, k, text, 1) }); n > 2 {
		t.Errorf("%v allocations a request", n)
	}
}

// TestMemory: thousands of keys take a few megabytes.
func TestMemory(t *testing.T) {
	s, _ := crowded()
	before := heap()
	k := open(t, Config{Store: &copying{s}})
	took := heap() - before
	t.Logf("%d keys take %d kB", manyKeys, took>>10)
	if took > 5<<20 {
		t.Errorf("%d keys take %d octets", manyKeys, took)
	}
	runtime.KeepAlive(k)
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// copying is a store that, as a real one does, returns keys that share no
// memory with its own.
type copying struct{ *fakeStore }

func (c *copying) Keys(ctx context.Context) ([]store.Key, error) {
	keys, err := c.fakeStore.Keys(ctx)
	for i := range keys {
		k := &keys[i]
		k.ID, k.Name, k.Account = string([]byte(k.ID)), string([]byte(k.Name)), string([]byte(k.Account))
		k.Networks = append([]netip.Prefix(nil), k.Networks...)
		scopes := k.Scopes
		k.Scopes = nil
		for _, scope := range scopes {
			k.Scopes = append(k.Scopes, store.Scope([]byte(scope)))
		}
	}
	return keys, err
}
