// Package lru keeps what was used last, within a bound. It starts no goroutine
// and holds nothing that would have to be closed, so that a cache costs what is
// in it.
package lru

import (
	"container/list"
	"sync"
)

// Cache keeps values by their keys, and drops those that were not used for
// longest where they cost more than its bound. The zero value keeps nothing. It
// is safe for concurrent use.
type Cache[K comparable, V any] struct {
	most int64

	mu     sync.Mutex // guards what follows
	places map[K]*list.Element
	order  list.List // of entries; the one that was used last is in front
	cost   int64
}

type entry[K comparable, V any] struct {
	key   K
	value V
	cost  int64
}

// New returns a cache of values that cost so much together at most. The unit is
// the caller's.
func New[K comparable, V any](most int64) *Cache[K, V] { return &Cache[K, V]{most: most} }

// Get returns the value of a key, and whether there is one.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	place, ok := c.places[key]
	if !ok {
		return value, false
	}
	c.order.MoveToFront(place)
	return place.Value.(*entry[K, V]).value, true
}

// Put keeps a value in place of the one that its key had. One that costs more
// than the bound is not kept.
func (c *Cache[K, V]) Put(key K, value V, cost int64) {
	c.PutUnless(key, value, cost, func(V) bool { return false })
}

// PutUnless is Put, unless the value that is known stays. The function must not
// use the cache.
func (c *Cache[K, V]) PutUnless(key K, value V, cost int64, stays func(known V) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if place, ok := c.places[key]; ok {
		if stays(place.Value.(*entry[K, V]).value) {
			return
		}
		c.drop(place)
	}
	if cost > c.most {
		return
	}
	if c.places == nil {
		c.places = make(map[K]*list.Element)
	}
	c.places[key] = c.order.PushFront(&entry[K, V]{key, value, cost})
	for c.cost += cost; c.cost > c.most; {
		c.drop(c.order.Back())
	}
}

// Len returns the number of values.
func (c *Cache[K, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.places)
}

// drop takes an entry out. The lock is held.
func (c *Cache[K, V]) drop(place *list.Element) {
	e := c.order.Remove(place).(*entry[K, V])
	c.cost -= e.cost
	delete(c.places, e.key)
}

// Clear drops everything.
func (c *Cache[K, V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.places, c.cost = nil, 0
	c.order.Init()
}
