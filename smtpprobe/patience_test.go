package smtpprobe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
)

// refusing is a host whose patience ends with so many refused recipients of a session.
func refusing(most int) *peer {
	return &peer{greet: greeting, wait: working, rcpt: func(v *visit, m string) string {
		if v.refused >= most {
			return "421 4.7.0 too many errors"
		}
		return usual(m)
	}}
}

// A host takes its time for a greeting, and for each recipient.
func greeting(*visit) string {
	time.Sleep(100 * time.Millisecond)
	return "220 mx"
}

func working(*visit, string) time.Duration { return time.Millisecond }

// TestOneSessionTriesPatience sees that a host whose patience ends early loses it with one session, and that what this one could not ask about is asked
// again in company, and soon.
func TestOneSessionTriesPatience(t *testing.T) {
	host := refusing(20)
	list := mailboxes(600, func(i int) bool { return i%4 == 0 }, "a.example", "b.example")
	found, sessions := crowd(t, smtpprobe.Config{}, host, list)
	checkTruth(t, found)
	lost, most := 0, 0
	for _, v := range host.visits {
		if v.refused >= 20 {
			lost++
		}
		most = max(most, v.refused)
	}
	if lost < 1 || lost > 4 { // one that tried; others stop short of it, and chance may have them name more bad ones in a row than is likely
		t.Errorf("%d sessions came to the end of the host's patience, want 1 and hardly more; at most %d refused", lost, most)
	}
	if len(sessions) > 20 { // 150 refused, 18 in each at the most
		t.Errorf("%d sessions", len(sessions))
	}
	if n := count(sessions, "RCPT"); n > len(list)*6/5 {
		t.Errorf("%d recipients named for %d", n, len(list))
	}
}

// TestPatienceIsUsed sees that a host that bears more soon has more recipients in a session.
func TestPatienceIsUsed(t *testing.T) {
	list := mailboxes(600, func(i int) bool { return i%4 == 0 }, "a.example", "b.example")
	found, sessions := crowd(t, smtpprobe.Config{}, &peer{greet: greeting, wait: working}, list)
	checkTruth(t, found)
	if len(sessions) > 12 {
		t.Errorf("%d sessions", len(sessions))
	}
}

// TestSlowMailboxIsNoImpatience sees that a host is not taken for impatient over refusals that take long by themselves, and is where all do from some
// point on.
func TestSlowMailboxIsNoImpatience(t *testing.T) {
	for _, tt := range []struct {
		name        string
		slow        func(refused int) bool
		least, most int // refused in one of the last sessions
		ever        int // refused in any session; a transaction is planned by what the host has refused so far
	}{
		{"some mailboxes", func(refused int) bool { return refused == 11 || refused == 13 }, 15, 72, 72},
		{"the first beyond what any host bears", func(refused int) bool { return refused == 9 }, 15, 72, 72},
		{"from some point on", func(refused int) bool { return refused >= 10 }, 5, 16, 30},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host := &peer{wait: func(v *visit, m string) time.Duration {
				if strings.HasPrefix(m, "bad") && tt.slow(v.refused) {
					return time.Second
				}
				return working(v, m)
			}}
			host.greet = func(*visit) string {
				time.Sleep(2 * time.Second)
				return "220 mx"
			}
			list := mailboxes(2400, func(i int) bool { return i%4 == 0 }, "a.example", "b.example")
			found, _ := crowd(t, smtpprobe.Config{}, host, list)
			checkTruth(t, found)
			most, ever := 0, 0
			for i, v := range host.visits {
				ever = max(ever, v.refused)
				if i >= len(host.visits)-8 {
					most = max(most, v.refused)
				}
			}
			if most < tt.least || most > tt.most || ever > tt.ever {
				t.Errorf("up to %d refused in the last sessions, want %d to %d; %d ever, want %d at most", most, tt.least, tt.most, ever, tt.ever)
			}
		})
	}
}

// TestRefusalsAreACap sees that no session goes on beyond a cap on refusals that is set, whatever the host bears.
func TestRefusalsAreACap(t *testing.T) {
	host := &peer{}
	list := mailboxes(400, func(i int) bool { return i%4 == 0 }, "a.example", "b.example")
	found, _ := crowd(t, smtpprobe.Config{Session: smtpprobe.SessionCaps{Refused: 5}}, host, list)
	checkTruth(t, found)
	for _, v := range host.visits {
		if v.refused > 14 { // a transaction is planned by what the host has refused so far, and chance may add to it
			t.Errorf("%d refused in a session", v.refused)
		}
	}
}

// TestPatienceIsTriedAgain sees that when the session that tried a host's patience has ended, another one does.
func TestPatienceIsTriedAgain(t *testing.T) {
	host := &peer{greet: greeting, wait: working}
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1, MaxWaitingPerHost: 400}, one(host), func(b *bubble) {
		b.ask(b.Context(), about("bad@a.example"))
		time.Sleep(10 * time.Second) // longer than a session is kept
		b.askAll(aboutAll(mailboxes(400, func(i int) bool { return i%4 == 0 }, "a.example", "b.example")))
	})
	most := 0
	for _, v := range host.visits {
		most = max(most, v.refused)
	}
	if most < 20 {
		t.Errorf("%d refused in a session at the most", most)
	}
}
