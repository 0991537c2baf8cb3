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

// sized is a limit of sessions that has grown to a size.
func sized(l *limits, size int) *limits {
	for l.sessions.size(start) < size {
		l.sessions.succeeded(start)
	}
	return l
}

// TestFirstSessions sees with how many sessions a host begins, and that it gets
// one more with each success.
func TestFirstSessions(t *testing.T) {
	for _, tt := range []struct{ first, most, from int }{{4, 20, 4}, {2, 20, 2}, {4, 3, 3}, {4, 1, 1}, {0, 5, 1}, {4, 0, 1}} {
		l := newLimits(&Config{MaxSessionsPerHost: tt.most}, tt.first)
		for want := tt.from; want <= tt.most; want++ {
			if got := l.sessions.size(start); got != want {
				t.Fatalf("first %d, most %d: %d sessions, want %d", tt.first, tt.most, got, want)
			}
			l.sessions.succeeded(start)
		}
		if got := l.sessions.size(start); got != max(1, tt.most) {
			t.Errorf("first %d, most %d: %d sessions at last", tt.first, tt.most, got)
		}
	}
}

// TestSessionsHalveOnce has 20 sessions refused that began together, one that
// began later beside five others, and one beside none.
func TestSessionsHalveOnce(t *testing.T) {
	l := newLimits(&Config{MaxSessionsPerHost: 20}, pace.FirstSessions)
	sized(&l, 20)
	for i := range 20 {
		l.full(20-i, start, start.Add(time.Duration(100+i)*time.Millisecond))
	}
	if got := l.sessions.size(start); got != 10 {
		t.Errorf("%d sessions after refusals at the same time, want 10", got)
	}
	for _, open := range []int{6, 1} {
		if l.full(open, start.Add(time.Minute), start.Add(time.Minute)); l.sessions.size(start) != 3 {
			t.Errorf("%d sessions after a refusal of one of %d, want 3", l.sessions.size(start), open)
		}
	}
}

// TestSessionsAreForgotten sees that what a host has shown is forgotten when
// nothing has changed for an hour.
func TestSessionsAreForgotten(t *testing.T) {
	for name, learn := range map[string]func(*limits){
		"grown":               func(l *limits) { sized(l, 20) },
		"halved":              func(l *limits) { l.full(4, start, start) },
		"halved to its first": func(l *limits) { sized(l, 8).full(8, start, start) },
		"shut":                func(l *limits) { l.shut(start) },
	} {
		l := newLimits(&Config{MaxSessionsPerHost: 20}, pace.FirstSessions)
		learn(&l)
		before := l.sessions.size(start)
		if got := l.sessions.size(start.Add(limitsLast)); got != before {
			t.Errorf("%s: %d sessions after an hour, want %d", name, got, before)
		}
		later := start.Add(limitsLast + 1)
		if got := l.sessions.size(later); got != pace.FirstSessions {
			t.Errorf("%s: %d sessions after more than an hour", name, got)
		}
		if l.sessions.succeeded(later); l.sessions.size(later) != pace.FirstSessions+1 {
			t.Errorf("%s: it is remembered that it was halved", name)
		}
	}
}

// TestTroubleIsForgotten sees that trouble is forgotten after an hour, whatever
// has changed since, and that nothing else is then.
func TestTroubleIsForgotten(t *testing.T) {
	for successes, want := range map[int]int{0: pace.FirstSessions, 1: pace.FirstSessions, 36: 9} {
		l := newLimits(&Config{MaxSessionsPerHost: 20}, pace.FirstSessions)
		l.shut(start)
		for range successes {
			l.sessions.succeeded(start.Add(30 * time.Minute))
		}
		if got := l.sessions.size(start.Add(limitsLast + 1)); got != want {
			t.Errorf("after %d successes there are %d sessions, want %d", successes, got, want)
		}
	}
}

// TestRefusalsOfASession sees when a session shows whether the host takes more
// refusals than nine, and that a limit which was halved grows by one with eight
// sessions that used it up.
func TestRefusalsOfASession(t *testing.T) {
	c := testConfig()
	l := newLimits(&c, pace.FirstSessions)
	want := func(refused int, trial bool) {
		t.Helper()
		if got := l.refused.size(start); got != refused || l.trial(start) != trial {
			t.Errorf("a session may have %d refusals, trial %t; want %d, %t", got, l.trial(start), refused, trial)
		}
	}
	l.succeeded(use{refused: ManyRefused}, start)
	want(ManyRefused, true)
	l.succeeded(use{refused: ManyRefused + 1}, start)
	want(mostRefused, false)
	l.slowedDown(start)
	l.succeeded(use{refused: ManyRefused + 1}, start)
	want(ManyRefused, false)
	l.hostile(use{refused: 4}, start)
	want(2, false)
	for range 15 {
		l.ended(use{usedUp: true}, start)
	}
	l.ended(use{}, start)
	want(3, false)
	l.ended(use{usedUp: true}, start)
	want(4, false)

	c.Refused = 5
	l = newLimits(&c, pace.FirstSessions)
	l.succeeded(use{refused: 6}, start)
	want(5, false)
}

// TestUntilRefused sees how many recipients a session may have, going by what
// the host has refused.
func TestUntilRefused(t *testing.T) {
	c := testConfig()
	for _, tt := range []struct {
		asked, refused int // recipients of the host
		before         int // refusals of the session
		want           int
	}{
		{0, 0, 0, 14}, // as if half were refused
		{100, 100, 0, 7}, {100, 0, 0, 374}, {100, 50, 4, 7},
		{100, 100, ManyRefused, 1}, {100, 8, ManyRefused, 9}, // to show whether it takes more
	} {
		h := &host{limits: newLimits(&c, 4), asked: tt.asked, refused: tt.refused}
		if got := h.untilRefused(tt.before, start); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
		if h.limits.slowedDown(start); tt.before == ManyRefused && h.untilRefused(tt.before, start) > 0 {
			t.Errorf("%+v: another one at a host that is slow behind nine", tt)
		}
	}
}

// TestWhichLimit sees which limit trouble halves.
func TestWhichLimit(t *testing.T) {
	c := testConfig()
	for _, tt := range []struct {
		used use
		want [3]int // recipients, transactions, refusals
	}{
		{use{recipients: 12, transactions: 1, refused: 4}, [3]int{6, mostTransactions, ManyRefused}},
		{use{recipients: 12, transactions: 6, refused: 4}, [3]int{firstRecipients, 3, ManyRefused}},
		{use{recipients: 12, transactions: 6, refused: 10}, [3]int{firstRecipients, mostTransactions, 5}},
		{use{recipients: 1, transactions: 1}, [3]int{1, mostTransactions, ManyRefused}},
	} {
		l := newLimits(&c, 4)
		l.failed(tt.used, start)
		if got := [3]int{l.recipients.size(start), l.transactions.size(start), l.refused.size(start)}; got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.used, got, tt.want)
		}
	}
}

// TestTransactionSize sees that transactions are small where each recipient
// takes long, and that the jobs of such a host are spread over its sessions.
func TestTransactionSize(t *testing.T) {
	c := testConfig()
	for _, tt := range []struct {
		each    time.Duration // recipient
		waiting int           // jobs
		want    int
	}{
		{0, 100, firstRecipients}, {time.Millisecond, 100, firstRecipients}, {time.Second, 100, 3}, {10 * time.Second, 100, 1},
		{50 * time.Millisecond, 39, 10}, {50 * time.Millisecond, 100, firstRecipients}, {100 * time.Millisecond, 3, 5},
	} {
		h := &host{provider: &provider{}, proofs: &proofs{}, limits: newLimits(&c, 4), perRecipient: tt.each}
		for range tt.waiting {
			h.queue.lineUp(&job{host: h})
		}
		if got := h.transactionSize(start); got != tt.want {
			t.Errorf("%v a recipient, %d jobs: %d, want %d", tt.each, tt.waiting, got, tt.want)
		}
	}
}
