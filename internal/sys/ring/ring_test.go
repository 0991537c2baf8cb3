package ring

import "testing"

func TestQueue(t *testing.T) {
	var q Queue[int]
	in, out := 0, 0
	for _, step := range []struct{ push, pop int }{{3, 1}, {20, 5}, {40, 50}, {0, 7}, {1, 1}, {100, 99}} {
		for range step.push {
			q.Push(in)
			in++
		}
		if last := *q.At(q.Len() - 1); last != in-1 {
			t.Errorf("last is %d, want %d", last, in-1)
		}
		for range step.pop {
			if got := q.Pop(); got != out {
				t.Fatalf("got %d, want %d", got, out)
			}
			out++
		}
		if q.Len() != in-out {
			t.Errorf("length %d, want %d", q.Len(), in-out)
		}
	}
}
