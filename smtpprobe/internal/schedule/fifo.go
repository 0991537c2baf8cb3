package schedule

// fifo is a queue that gives its room back when it is empty.
type fifo[T any] struct {
	all  []T
	head int
}

func (q *fifo[T]) len() int { return len(q.all) - q.head }

func (q *fifo[T]) push(x T) { q.all = append(q.all, x) }

func (q *fifo[T]) first() T { return q.all[q.head] }

func (q *fifo[T]) pop() T {
	x := q.all[q.head]
	var none T
	q.all[q.head] = none
	if q.head++; q.head == len(q.all) {
		q.all, q.head = q.all[:0], 0
	} else if q.head > 64 && q.head > len(q.all)/2 {
		n := copy(q.all, q.all[q.head:])
		clear(q.all[n:])
		q.all, q.head = q.all[:n], 0
	}
	return x
}

// book remembers no more than so many things. When it is full, the older half
// is forgotten, but for what was looked up since: it can be asked again.
type book[K comparable, V any] struct {
	most       int
	young, old map[K]V
}

func (b *book[K, V]) get(key K) (V, bool) {
	if v, ok := b.young[key]; ok {
		return v, true
	}
	v, ok := b.old[key]
	if ok {
		b.put(key, v)
	}
	return v, ok
}

func (b *book[K, V]) put(key K, v V) {
	if b.young == nil || len(b.young) >= b.most/2 {
		b.young, b.old = make(map[K]V), b.young
	}
	b.young[key] = v
}
