package smtpprobe_test

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// restsBetween asks about mailboxes one after the other, resting between two.
func (b *bubble) restsBetween(rest time.Duration, mailboxes ...string) {
	b.Helper()
	for i, m := range mailboxes {
		if i > 0 {
			time.Sleep(rest)
		}
		b.checkAnswered([]told{b.ask(b.Context(), about(m))}, want(m))
	}
}

// TestSessionIsReused sees what the next probe says in a session that was kept:
// RSET before MAIL, in one group where the host takes one.
func TestSessionIsReused(t *testing.T) {
	const wanted = `
		EHLO probe.example
		MAIL FROM:<>
		RCPT TO:<good1@a.example>
		RCPT TO:<*@a.example>
		RSET
		MAIL FROM:<>
		RCPT TO:<good2@a.example>
		RCPT TO:<*@a.example>
		RSET
		QUIT`
	for name, tt := range map[string]struct {
		inTurn bool
		writes int64 // EHLO, two transactions, QUIT
	}{
		"pipelined": {false, 4},
		"in turn":   {true, 10},
	} {
		t.Run(name, func(t *testing.T) {
			var writes atomic.Int64
			counting := hooked(func(string) {}, func(string) { writes.Add(1) })
			sessions := inBubbleBy(t, smtpprobe.Config{}, one(&peer{NoPipelining: tt.inTurn}), counting, func(b *bubble) {
				b.restsBetween(time.Second, "good1@a.example", "good2@a.example")
			})
			if len(sessions) != 1 {
				t.Fatalf("%d sessions", len(sessions))
			}
			commands := sessions[0].Commands
			for _, i := range []int{3, 7} {
				commands[i] = "RCPT TO:<*" + commands[i][strings.IndexByte(commands[i], '@'):]
			}
			if diff := cmp.Diff(wire(wanted), wire(strings.Join(commands, "\n"))); diff != "" {
				t.Errorf("client (-want +got):\n%s", diff)
			}
			if got := writes.Load(); got != tt.writes {
				t.Errorf("%d writes, want %d", got, tt.writes)
			}
		})
	}
}

// TestSessionIsReusedOverTLS sees that a session is kept over TLS, whose reads
// end when it is woken, and that the next probes are asked in it.
func TestSessionIsReusedOverTLS(t *testing.T) {
	host := &peer{STARTTLS: smtptest.TLSWorks}
	sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		b.restsBetween(3*time.Second, "good1@a.example", "good2@a.example", "good3@a.example")
	})
	if len(sessions) != 1 || count(sessions, "MAIL") < 3 || count(sessions, "QUIT") != 1 {
		t.Errorf("%d sessions: %d times MAIL, %d times QUIT", len(sessions), count(sessions, "MAIL"), count(sessions, "QUIT"))
	}
}

// TestSessionEndsInTime sees that no session is used beyond its caps, and that
// each ends with QUIT.
func TestSessionEndsInTime(t *testing.T) {
	half := []string{"good1@a.example", "bad2@a.example", "good3@a.example", "bad4@a.example"}
	live := mailboxes(4, none, "a.example")
	for _, tt := range []struct {
		name     string
		list     []string
		caps     smtpprobe.SessionCaps
		rest     time.Duration
		sessions []string // the number of transactions and recipients of each
	}{
		// Each refusal has a proof behind it, in a transaction of its own,
		// with which its session ends.
		{"kept by default", half, smtpprobe.SessionCaps{}, time.Second, []string{"3/5", "3/5"}},
		{"idle by default", half, smtpprobe.SessionCaps{}, 6 * time.Second, []string{"1/2", "2/3", "1/2", "2/3"}},
		{"idle", half, smtpprobe.SessionCaps{Idle: time.Minute}, 50 * time.Second, []string{"3/5", "3/5"}},
		{"2 minutes old", live, smtpprobe.SessionCaps{Idle: time.Minute}, 50 * time.Second, []string{"3/6", "1/2"}},
		{"refused", half, smtpprobe.SessionCaps{Refused: 2}, time.Second, []string{"1/2", "2/3", "1/2", "2/3"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range inBubble(t, smtpprobe.Config{Session: tt.caps}, one(&peer{}), func(b *bubble) { b.restsBetween(tt.rest, tt.list...) }) {
				got = append(got, fmt.Sprintf("%d/%d", len(withVerb(s, "MAIL")), len(withVerb(s, "RCPT"))))
				if !s.QUIT {
					t.Errorf("no QUIT: %q", s.Client)
				}
			}
			if diff := cmp.Diff(tt.sessions, got); diff != "" {
				t.Errorf("transactions/recipients of the sessions (-want +got):\n%s", diff)
			}
		})
	}
}

// TestIdleSessionThatSpoke sees that a session in which the host hung up or
// said something while it was idle is not used again.
func TestIdleSessionThatSpoke(t *testing.T) {
	for name, end := range map[string]string{
		"hung up":          "close",
		"reset":            "reset",
		"421":              "S: 421 4.4.2 idle for too long\nclose",
		"421, still there": "S: 421 4.4.2 idle for too long",
		"a reply":          "S: 250 ok",
		"half a reply":     "raw: 2",
		"a long one":       "S: 250-" + strings.Repeat("x", 8000),
		"another protocol": `raw: \x16\x03\x01`,
		"a refusal":        "S: 550 5.1.1 no such user\nclose",
	} {
		t.Run(name, func(t *testing.T) {
			first := smtptest.Script(group + "S: 250 ok\nS: 250 yes\nS: 550 5.1.1 no\nS: 250 reset\nsleep 1s\n" + end)
			sessions := inBubble(t, smtpprobe.Config{}, one(inOrder(first, &peer{})), func(b *bubble) {
				b.restsBetween(2*time.Second, "good1@a.example", "bad2@a.example")
			})
			if len(sessions) != 2 || len(withVerb(sessions[0], "MAIL")) != 1 {
				t.Errorf("%d sessions; client of the first: %q", len(sessions), sessions[0].Client)
			}
		})
	}
}

// TestKeptSessionThatFails sees that an ask for which a kept session turns out
// to be of no use is answered in a new one.
func TestKeptSessionThatFails(t *testing.T) {
	for name, end := range map[string]string{
		"hangs up at RSET":    "C: RSET\nclose",
		"hangs up at MAIL":    "C: RSET\nS: 250 ok\nC: MAIL *\nclose",
		"hangs up at RCPT":    "C: RSET\nS: 250 ok\nC: MAIL *\nS: 250 ok\nC: RCPT *\nclose",
		"half a reply":        "C: RSET\nS: 250 ok\nC: MAIL *\nS: 250 ok\nC: RCPT *\nraw: 550 5.1.1 n\nclose",
		"421 to RSET":         "C: RSET\nS: 421 enough\nclose",
		"421 to MAIL":         "C: RSET\nS: 250 ok\nC: MAIL *\nS: 421 enough\nclose",
		"421 to RCPT":         "C: RSET\nS: 250 ok\nC: MAIL *\nS: 250 ok\nC: RCPT *\nS: 421 4.3.2 shutting down\nclose",
		"RSET refused":        "C: RSET\nS: 550 no\nC: MAIL *\nS: 503 no\nC: RCPT *\nS: 503 no",
		"RSET not known":      "C: RSET\nS: 502 what?\nC: MAIL *\nS: 503 nested MAIL\nC: RCPT *\nS: 503 no",
		"MAIL refused":        "C: RSET\nS: 250 ok\nC: MAIL *\nS: 452 4.5.0 one message per session\nC: RCPT *\nS: 503 no",
		"blocked at MAIL":     "C: RSET\nS: 250 ok\nC: MAIL *\nS: 550 5.7.1 too many messages\nC: RCPT *\nS: 503 no",
		"too many at RCPT":    "C: RSET\nS: 250 ok\nC: MAIL *\nS: 250 ok\nC: RCPT *\nS: 550 5.7.1 too many recipients",
		"limited at RCPT":     "C: RSET\nS: 250 ok\nC: MAIL *\nS: 250 ok\nC: RCPT *\nS: 452 4.5.3 too many recipients",
		"rejected at RCPT":    "C: RSET\nS: 250 ok\nC: MAIL *\nS: 250 ok\nC: RCPT *\nS: 550 rejected",
		"silent at RCPT":      "C: RSET\nS: 250 ok\nC: MAIL *\nS: 250 ok\nC: RCPT *\nhang",
		"221 to RCPT":         "C: RSET\nS: 250 ok\nC: MAIL *\nS: 250 ok\nC: RCPT *\nS: 221 bye",
		"a reply too many":    "C: RSET\nC: MAIL *\nC: RCPT *\n" + `raw: 250 late\r\n250 reset\r\n250 sender\r\n550 5.1.1 no\r\n`,
		"one, and much later": "C: RSET\nC: MAIL *\nC: RCPT *\n" + `raw: 250 late\r\n250 reset\r\n250 sender\r\n` + "\nsleep 5ms\nS: 550 5.1.1 no",
	} {
		t.Run(name, func(t *testing.T) {
			first := smtptest.Script(group + "S: 250 ok\nS: 250 yes\nS: 550 5.1.1 no\nS: 250 reset\n" + end)
			sessions := inBubble(t, smtpprobe.Config{}, one(inOrder(first, &peer{})), func(b *bubble) {
				b.restsBetween(time.Second, "good1@a.example", "bad2@a.example")
			})
			if len(sessions) != 2 || len(withVerb(sessions[1], "RCPT")) == 0 {
				t.Errorf("%d sessions; client of the first: %q", len(sessions), sessions[0].Client)
			}
		})
	}
}

// inOrder gives each connection the next of the handlers, and all that follow
// the last.
func inOrder(handlers ...smtptest.Handler) smtptest.Handler {
	var mu sync.Mutex
	n := -1
	return smtptest.HandlerFunc(func(c net.Conn) {
		mu.Lock()
		n++
		h := honest(handlers[min(n, len(handlers)-1)])
		mu.Unlock()
		h.ServeSMTP(c)
	})
}

// TestNobodyWaitsForAGoodbye has a host end an idle session that a request
// would have had, with 421 or by hanging up. The request gets another one
// before the host answers QUIT, and the host is not taken for one that has had
// enough of a transaction: its next session serves one after the other.
func TestNobodyWaitsForAGoodbye(t *testing.T) {
	for _, ends := range []string{"421 enough", closes} {
		host := &peer{}
		host.Say = func(v *visit, c, due string) string {
			if v.Number > 1 || c != "RSET" {
				return ""
			}
			return due + "\nsleep 1s\n" + ends
		}
		sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
			for i := range 4 {
				r := b.ask(b.Context(), about("good@a.example"))
				if r.code() != 250 || len(r.found.Sessions) != 1 || r.took > time.Second {
					b.Errorf("%d: %v after %v", i, r, r.took)
				}
				time.Sleep(2 * time.Second)
			}
		})
		if len(sessions) != 2 {
			t.Errorf("%q: %d sessions, want 2", ends, len(sessions))
		}
	}
}

// TestEachIdleSessionEndsInItsTime sees that nobody has to come for an idle
// session to end, and that the end of one is not forgotten over that of
// another.
func TestEachIdleSessionEndsInItsTime(t *testing.T) {
	inBubble(t, smtpprobe.Config{}, nil, func(b *bubble) {
		began := time.Now()
		for _, step := range []struct {
			at   time.Duration
			ask  string
			idle int // just before
		}{
			{0, "192.0.2.1", 0}, {2 * time.Second, "192.0.2.2", 1}, {4900 * time.Millisecond, "", 2}, {5100 * time.Millisecond, "", 1},
			{6900 * time.Millisecond, "", 1}, {7100 * time.Millisecond, "", 0}, {20 * time.Second, "192.0.2.3", 0},
			{24900 * time.Millisecond, "", 1}, {25100 * time.Millisecond, "", 0},
		} {
			time.Sleep(time.Until(began.Add(step.at)))
			synctest.Wait()
			if n, open := b.pool.Stats().Idle, b.gauges.now(); n != step.idle || open != n {
				b.Errorf("after %v: %d are idle and %d open, want %d", step.at, n, open, step.idle)
			}
			if step.ask != "" {
				b.network.Add(step.ask, good())
				b.checkAnswered([]told{b.ask(b.Context(), about(target, step.ask))}, 250)
			}
		}
	})
}
