// Package ring is a queue in one piece of memory.
package ring

// Queue is first in, first out, in a ring that doubles when it is full. The
// zero value is empty.
type Queue[T any] struct {
	ring  []T // its length is a power of two, or zero
	first int
	count int
}

// Len is the number of elements.
func (q *Queue[T]) Len() int { return q.count }

// At returns the place of the element with index i.
func (q *Queue[T]) At(i int) *T { return &q.ring[(q.first+i)&(len(q.ring)-1)] }

// Push appends an element.
func (q *Queue[T]) Push(value T) {
	if q.count == len(q.ring) {
		q.grow()
	}
	q.count++
	*q.At(q.count - 1) = value
}

// Pop takes the first element.
func (q *Queue[T]) Pop() T {
	var zero T
	value := *q.At(0)
	*q.At(0) = zero
	q.first = (q.first + 1) & (len(q.ring) - 1)
	q.count--
	return value
}

func (q *Queue[T]) grow() {
	larger := make([]T, max(16, 2*len(q.ring)))
	n := copy(larger, q.ring[q.first:])
	copy(larger[n:], q.ring[:q.first])
	q.ring, q.first = larger, 0
}
