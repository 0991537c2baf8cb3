package feed

import (
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/testkit"
)

// rules are retries of a domain whose grid begins at zero.
func rules(window time.Duration) Retries {
	return Retries{Window: window, Grid: func(string) uint64 { return 0 }}
}

// TestRetries holds when an address comes again if the same comes of each try,
// and is asked about at once when it is due.
func TestRetries(t *testing.T) {
	const s, m = time.Second, time.Minute
	ending := rules(time.Hour)
	ending.Ends = true
	tests := map[string]struct {
		rules Retries
		kind  Kind
		hint  time.Duration
		at    []time.Duration // the first tries, beginning at 0
		ends  bool            // behind them
	}{
		"a temporary answer":         {rules(30 * m), Answered, s, []time.Duration{0, m, 3 * m, 8 * m, 18 * m, 30 * m}, true},
		"a long hint":                {rules(30 * m), Answered, 12 * m, []time.Duration{0, 12 * m, 24 * m}, true},
		"a hint beyond all":          {rules(30 * m), Answered, time.Hour, []time.Duration{0}, true},
		"an answer that is final":    {rules(30 * m), Answered, 0, []time.Duration{0}, true},
		"no retries":                 {rules(0), Answered, s, []time.Duration{0}, true},
		"a busy host":                {rules(0), Busy, 0, []time.Duration{0, s, 4 * s, 8 * s, 16 * s, 32 * s, 64 * s}, false},
		"held back":                  {rules(0), HeldBack, 0, []time.Duration{0, s, 4 * s, 8 * s, 16 * s, 32 * s, 48 * s}, false},
		"held back for a known time": {rules(0), HeldBack, 64 * s, []time.Duration{0, 64 * s, 128 * s}, false},
		"held back at the end":       {ending, HeldBack, time.Hour, []time.Duration{0, s, 4 * s}, false},
		"a fault":                    {rules(time.Hour), Fault, 0, []time.Duration{0, 2 * s, 6 * s}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var tries Tries
			for i, now := range tt.at {
				due, again := tt.rules.Next(&tries, "a.example", tt.kind, tt.hint, now)
				last := i == len(tt.at)-1
				if !last && (!again || due != tt.at[i+1]) {
					t.Fatalf("after the try at %v: again %t at %v, want %v", now, again, due, tt.at[i+1])
				}
				if last && again == tt.ends {
					t.Errorf("after the last try, at %v: again %t", now, again)
				}
			}
		})
	}
}

// TestBusyEnds checks that a host that stays busy is given up, and one that
// holds back is not, as long as it takes.
func TestBusyEnds(t *testing.T) {
	for kind, ends := range map[Kind]bool{Busy: true, HeldBack: false} {
		var tries Tries
		now, again := time.Duration(0), true
		for again && now < 24*time.Hour {
			now, again = rules(0).Next(&tries, "a.example", kind, 0, now)
		}
		if again == ends || ends && now > busyWindow+time.Minute {
			t.Errorf("kind %d: again %t after %v", kind, again, now)
		}
	}
}

// TestTogether checks that what is asked again of one domain comes at the same
// instant, and of others at others.
func TestTogether(t *testing.T) {
	r := Retries{Window: time.Hour, Grid: func(domain string) uint64 { return uint64(domain[0]) * 1e9 }}
	seen := map[time.Duration]bool{}
	for n := range 10 {
		for _, domain := range []string{"a", "b"} {
			due, _ := r.Next(&Tries{}, domain, Answered, time.Second, time.Minute+time.Duration(n)*time.Millisecond)
			seen[due] = true
		}
	}
	if len(seen) > 4 {
		t.Errorf("twenty retries of two domains come at %d instants", len(seen))
	}
}

// TestFirstInstant checks that a retry comes at the first instant of the grid
// that is not too early, also where the grid begins later than that.
func TestFirstInstant(t *testing.T) {
	for at, want := range map[time.Duration]time.Duration{2: 5, 5: 5, 6: 11, 11: 11, 12: 17} {
		r := Retries{Grid: func(string) uint64 { return uint64(5 * time.Second) }}
		if got := r.spread("a.example", at*time.Second, 6*time.Second); got != want*time.Second {
			t.Errorf("not before %v s: at %v, want %v s", int64(at), got, int64(want))
		}
	}
}

// TestImports holds that the feeding of a list is a value.
func TestImports(t *testing.T) {
	testkit.Pure(t, "cmp", "container/heap", "math/bits", "time", "github.com/rcpt/rcpt/internal/sys/ring")
}

// TestLimits holds how many may be in progress.
func TestLimits(t *testing.T) {
	l := Limits{Asked: 10, Waiting: 30}
	for _, tt := range []struct{ allowed, waiting, room int }{
		{10, 0, 10}, {20, 5, 15}, {3, 30, 33}, {10, 99, 40},
	} {
		if room := l.Room(tt.allowed, tt.waiting); room != tt.room {
			t.Errorf("%+v: room for %d", tt, room)
		}
	}
}
