package bulk

import (
	"container/heap"
	"time"
)

// waits are the tasks that wait for a retry, the one due first on top.
type waits []*task

func (w *waits) add(t *task) { heap.Push(w, t) }

// due takes a task that is due now, or returns nil.
func (w *waits) due(now time.Duration) *task {
	if len(*w) == 0 || (*w)[0].due > now {
		return nil
	}
	return heap.Pop(w).(*task)
}

// takeAnswered takes all tasks that have an answer.
func (w *waits) takeAnswered() []*task {
	var answered []*task
	rest := (*w)[:0]
	for _, t := range *w {
		if t.tries.answers > 0 {
			answered = append(answered, t)
		} else {
			rest = append(rest, t)
		}
	}
	clear((*w)[len(rest):])
	*w = rest
	heap.Init(w)
	return answered
}

// For container/heap.

func (w waits) Len() int { return len(w) }

func (w waits) Less(i, j int) bool {
	if w[i].due != w[j].due {
		return w[i].due < w[j].due
	}
	return w[i].place < w[j].place
}

func (w waits) Swap(i, j int) { w[i], w[j] = w[j], w[i] }

func (w *waits) Push(t any) { *w = append(*w, t.(*task)) }

func (w *waits) Pop() any {
	last := len(*w) - 1
	t := (*w)[last]
	(*w)[last] = nil
	*w = (*w)[:last]
	return t
}
