package bulk

import "testing"

func TestQueue(t *testing.T) {
	var q queue[int]
	in, out := 0, 0
	for _, step := range []struct{ push, pop int }{{3, 1}, {20, 5}, {40, 50}, {0, 7}, {1, 1}, {100, 99}} {
		for range step.push {
			q.push(in)
			in++
		}
		if last := *q.at(q.len() - 1); last != in-1 {
			t.Errorf("last is %d, want %d", last, in-1)
		}
		for range step.pop {
			if got := q.pop(); got != out {
				t.Fatalf("got %d, want %d", got, out)
			}
			out++
		}
		if q.len() != in-out {
			t.Errorf("length %d, want %d", q.len(), in-out)
		}
	}
}
