package lru_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/rcpt/rcpt/internal/sys/lru"
)

// kept returns the keys among "a" to "f" that a cache has. It asks in the order
// in which they were used, so that it changes nothing.
func kept(c *lru.Cache[string, int], order ...string) (keys []string) {
	for _, key := range order {
		if _, ok := c.Get(key); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

func TestCache(t *testing.T) {
	stays := func(int) bool { return true }
	for _, tt := range []struct {
		name string
		most int64
		use  func(c *lru.Cache[string, int])
		want []string // from the one that was used first
	}{
		{"within the bound", 3, func(c *lru.Cache[string, int]) { c.Put("a", 1, 1); c.Put("b", 2, 2) }, []string{"a", "b"}},
		{"the first goes", 3, func(c *lru.Cache[string, int]) { c.Put("a", 1, 2); c.Put("b", 2, 1); c.Put("c", 3, 1) }, []string{"b", "c"}},
		{"but for one that was used", 2, func(c *lru.Cache[string, int]) {
			c.Put("a", 1, 1)
			c.Put("b", 2, 1)
			c.Get("a")
			c.Put("c", 3, 1)
		}, []string{"a", "c"}},
		{"several go for a large one", 3, func(c *lru.Cache[string, int]) {
			c.Put("a", 1, 1)
			c.Put("b", 2, 1)
			c.Put("c", 3, 1)
			c.Put("d", 4, 2)
		}, []string{"c", "d"}},
		{"one that has no room", 3, func(c *lru.Cache[string, int]) { c.Put("a", 1, 1); c.Put("b", 2, 4) }, []string{"a"}},
		{"nor in place of another", 3, func(c *lru.Cache[string, int]) { c.Put("a", 1, 1); c.Put("a", 2, 4) }, nil},
		{"the cost of what was replaced is free", 2, func(c *lru.Cache[string, int]) {
			c.Put("a", 1, 1)
			c.Put("a", 1, 1)
			c.Put("b", 2, 1)
		}, []string{"a", "b"}},
		{"one that stays does not count twice", 2, func(c *lru.Cache[string, int]) {
			c.Put("a", 1, 1)
			c.PutUnless("a", 2, 2, stays)
			c.PutUnless("b", 2, 1, stays)
		}, []string{"a", "b"}},
		{"cleared", 2, func(c *lru.Cache[string, int]) { c.Put("a", 1, 2); c.Clear(); c.Put("b", 2, 1); c.Put("c", 3, 1) }, []string{"b", "c"}},
		{"no room", 0, func(c *lru.Cache[string, int]) { c.Put("a", 1, 1); c.Clear() }, nil},
		{"a negative bound", -1, func(c *lru.Cache[string, int]) { c.Put("a", 1, 0) }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := lru.New[string, int](tt.most)
			tt.use(c)
			if got := kept(c, "a", "b", "c", "d"); !slices.Equal(got, tt.want) {
				t.Errorf("kept %q, want %q", got, tt.want)
			}
			if c.Len() != len(tt.want) {
				t.Errorf("%d are kept, want %d", c.Len(), len(tt.want))
			}
		})
	}
}

func TestPutUnless(t *testing.T) {
	c := lru.New[string, int](10)
	larger := func(new int) func(int) bool { return func(known int) bool { return known > new } }
	for i, want := range []int{1, 3, 3, 4} {
		n := []int{1, 3, 2, 4}[i]
		c.PutUnless("a", n, 1, larger(n))
		if got, _ := c.Get("a"); got != want {
			t.Errorf("after %d: %d, want %d", n, got, want)
		}
	}
}

func TestManyUsers(t *testing.T) {
	c := lru.New[int, int](100)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 1000 {
				c.Put(i%150, i, 1)
				c.Get(i % 50)
			}
		})
	}
	all.Wait()
	n := 0
	for i := range 150 {
		if _, ok := c.Get(i); ok {
			n++
		}
	}
	if n != 100 {
		t.Errorf("%d are kept, want 100", n)
	}
}

func BenchmarkGet(b *testing.B) {
	c := lru.New[int, int](10_000)
	for i := range 10_000 {
		c.Put(i, i, 1)
	}
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			c.Get(i % 10_000)
		}
	})
}
