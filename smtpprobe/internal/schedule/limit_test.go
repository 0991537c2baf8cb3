package schedule

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/pace"
)

var start = time.Unix(1_800_000_000, 0)

// TestSessionsOfAHost plays random events: there is always one session and
// never more than the most, one event changes their number by one or halves it,
// and it does not grow within a minute after it was halved.
func TestSessionsOfAHost(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		most := 1 + r.IntN(30)
		l, now, halved := newLimits(&Config{MaxSessionsPerHost: most}, 1+r.IntN(8)), start, time.Time{}
		for range 500 {
			now = now.Add(time.Duration(r.Int64N(int64(3 * time.Second))))
			if r.IntN(200) == 0 {
				now = now.Add(2 * time.Hour)
			}
			before := l.sessions.size(now)
			began := now.Add(-time.Duration(r.Int64N(int64(5 * time.Second))))
			open := r.IntN(before + 2)
			switch r.IntN(6) {
			case 0:
				l.full(open, began, now)
			case 1:
				if r.IntN(10) == 0 {
					l.shut(now)
				}
			default:
				l.sessions.succeeded(now)
			}
			after := l.sessions.size(now)
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

// TestSessionsAtHosts plays hosts that tolerate so many sessions at a time, and
// refuse each further one, in rounds of 100 ms with addresses always waiting:
// few are refused, and most of what the host tolerates is used.
func TestSessionsAtHosts(t *testing.T) {
	for _, tolerated := range []int{1, 2, 3, 5, 8, 10, 15, 20, 50} {
		l, now := newLimits(&Config{MaxSessionsPerHost: 20}, pace.FirstSessions), start
		open, refused, used, rounds := 0, 0, 0, 0
		for range 10 * 60 * 10 { // ten minutes
			began, size := now, l.sessions.size(now)
			now = now.Add(100 * time.Millisecond)
			open = min(open, size)
			for ; open < size && open < tolerated; open++ {
			}
			for n := open; n < size; n++ {
				refused++
				l.full(size, began, now)
			}
			for range open {
				if open == l.sessions.size(now) {
					l.sessions.succeeded(now)
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
