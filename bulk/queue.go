package bulk

// queue is first in, first out, in a ring that doubles when it is full.
type queue[T any] struct {
	ring  []T // its length is a power of two, or zero
	first int
	count int
}

func (q *queue[T]) len() int { return q.count }

// at returns the place of the element with index i.
func (q *queue[T]) at(i int) *T { return &q.ring[(q.first+i)&(len(q.ring)-1)] }

func (q *queue[T]) push(value T) {
	if q.count == len(q.ring) {
		q.grow()
	}
	q.count++
	*q.at(q.count - 1) = value
}

func (q *queue[T]) pop() T {
	var zero T
	value := *q.at(0)
	*q.at(0) = zero
	q.first = (q.first + 1) & (len(q.ring) - 1)
	q.count--
	return value
}

func (q *queue[T]) grow() {
	larger := make([]T, max(16, 2*len(q.ring)))
	n := copy(larger, q.ring[q.first:])
	copy(larger[n:], q.ring[:q.first])
	q.ring, q.first = larger, 0
}
