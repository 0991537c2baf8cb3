package pace

import (
	"math/rand/v2"
	"testing"
	"time"
)

// widen has a window grow to n.
func widen(w *Window, n int, now time.Time) {
	for w.Size(now) < n {
		w.Succeeded(now)
	}
}

func TestWindowGrowsWithEachSuccess(t *testing.T) {
	for _, tt := range []struct{ first, most, from int }{{4, 20, 4}, {2, 20, 2}, {4, 3, 3}, {4, 1, 1}, {0, 5, 1}} {
		w := NewWindow(tt.first, tt.most)
		for want := tt.from; want <= tt.most; want++ {
			if got := w.Size(start); got != want {
				t.Fatalf("first %d, most %d: %d sessions, want %d", tt.first, tt.most, got, want)
			}
			w.Succeeded(start)
		}
		if got := w.Size(start); got != tt.most {
			t.Errorf("first %d, most %d: %d sessions at last", tt.first, tt.most, got)
		}
	}
}

// TestWindowHalvesOnce has 20 sessions refused that began together, and one
// that began later.
func TestWindowHalvesOnce(t *testing.T) {
	w := NewWindow(FirstSessions, 20)
	widen(w, 20, start)
	refused := start.Add(100 * time.Millisecond)
	for i := range 20 {
		w.AtLimit(20-i, start, refused.Add(time.Duration(i)*time.Millisecond))
	}
	if got := w.Size(refused); got != 10 {
		t.Errorf("%d sessions after refusals at the same time, want 10", got)
	}
	w.AtLimit(6, refused.Add(time.Second), refused.Add(2*time.Second))
	if got := w.Size(refused); got != 3 {
		t.Errorf("%d sessions after a refusal beside five others, want 3", got)
	}
	w.AtLimit(1, refused.Add(3*time.Second), refused.Add(4*time.Second))
	if got := w.Size(refused); got != 3 {
		t.Errorf("%d sessions after a refusal beside none, want 3", got)
	}
}

// TestWindowRests sees that a window that was halved does not grow for a
// minute, and then by one with as many successes as it has sessions.
func TestWindowRests(t *testing.T) {
	w := NewWindow(FirstSessions, 20)
	w.AtLimit(4, start, start)
	for range 100 {
		w.Succeeded(start.Add(time.Minute - 1))
	}
	if got := w.Size(start); got != 2 {
		t.Fatalf("%d sessions within a minute, want 2", got)
	}
	now := start.Add(time.Minute)
	for _, want := range []int{2, 3, 3, 3, 4, 4, 4, 4, 5} {
		w.Succeeded(now)
		if got := w.Size(now); got != want {
			t.Fatalf("%d sessions, want %d", got, want)
		}
	}
}

func TestWindowForgets(t *testing.T) {
	for name, learn := range map[string]func(*Window){
		"grown":               func(w *Window) { widen(w, 20, start) },
		"halved":              func(w *Window) { w.AtLimit(4, start, start) },
		"halved to its first": func(w *Window) { widen(w, 8, start); w.AtLimit(8, start, start) },
		"shut":                func(w *Window) { w.Shut(start) },
	} {
		w := NewWindow(FirstSessions, 20)
		learn(w)
		before := w.Size(start)
		if got := w.Size(start.Add(time.Hour)); got != before {
			t.Errorf("%s: %d sessions after an hour, want %d", name, got, before)
		}
		later := start.Add(time.Hour + 1)
		if got := w.Size(later); got != FirstSessions {
			t.Errorf("%s: %d sessions after more than an hour", name, got)
		}
		if w.Succeeded(later); w.Size(later) != FirstSessions+1 {
			t.Errorf("%s: it is remembered that it was halved", name)
		}
	}
}

// TestWindowProperties plays random events: there is always one session and
// never more than the most, one event changes the size by one or halves it, and
// a window does not grow within a minute after it was halved.
func TestWindowProperties(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		most := 1 + r.IntN(30)
		w, now, halved := NewWindow(1+r.IntN(8), most), start, time.Time{}
		for range 500 {
			now = now.Add(time.Duration(r.Int64N(int64(3 * time.Second))))
			if r.IntN(200) == 0 {
				now = now.Add(2 * time.Hour)
			}
			before := w.Size(now)
			began := now.Add(-time.Duration(r.Int64N(int64(5 * time.Second))))
			open := r.IntN(before + 2)
			switch r.IntN(6) {
			case 0:
				w.AtLimit(open, began, now)
			case 1:
				if r.IntN(10) == 0 {
					w.Shut(now)
				}
			default:
				w.Succeeded(now)
			}
			after := w.Size(now)
			switch {
			case after < 1 || after > most:
				t.Fatalf("seed %d: %d sessions of at most %d", seed, after, most)
			case after > before && (after > before+1 || now.Sub(halved) < time.Minute):
				t.Fatalf("seed %d: from %d to %d, %v after it was halved", seed, before, after, now.Sub(halved))
			case after < before && after != 1 && (began.Before(halved) || after > before/2):
				t.Fatalf("seed %d: from %d to %d; began %v, was halved %v", seed, before, after, began, halved)
			}
			if after < before {
				halved = now
			}
		}
	}
}

// TestWindowAtHosts plays hosts that tolerate so many sessions at a time, and
// refuse each further one, in rounds of 100 ms with addresses always waiting:
// few are refused, and most of what the host tolerates is used.
func TestWindowAtHosts(t *testing.T) {
	for _, tolerated := range []int{1, 2, 3, 5, 8, 10, 15, 20, 50} {
		w, now := NewWindow(FirstSessions, 20), start
		open, refused, used, rounds := 0, 0, 0, 0
		for range 10 * 60 * 10 { // ten minutes
			began, size := now, w.Size(now)
			now = now.Add(100 * time.Millisecond)
			open = min(open, size)
			for ; open < size && open < tolerated; open++ {
			}
			for n := open; n < size; n++ {
				refused++
				w.AtLimit(size, began, now)
			}
			for range open {
				if open == w.Size(now) {
					w.Succeeded(now)
				}
			}
			used += open
			rounds++
		}
		share := float64(used) / float64(rounds*min(tolerated, 20))
		t.Logf("tolerates %d: %d refused, %.2f used", tolerated, refused, share)
		if refused > 3*10+20 || share < 0.5 {
			t.Errorf("a host that tolerates %d refused %d sessions; %.2f of them were used", tolerated, refused, share)
		}
	}
}
