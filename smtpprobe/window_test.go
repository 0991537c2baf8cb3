package smtpprobe_test

import (
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// tolerant is a host that tolerates so many sessions at a time, and counts them
// until their connection is closed. It says no to each further one in the
// place of the reply to command; empty: of the greeting.
type tolerant struct {
	tolerates int
	command   string
	says      string
	exists    string // what mailboxes that exist begin with; default: "good"

	mu                  sync.Mutex
	open, most, refused int
}

// ServeSMTP holds a session, with 50 ms before the greeting and the answer to
// each group.
func (h *tolerant) ServeSMTP(c net.Conn) {
	h.mu.Lock()
	h.open++
	h.most = max(h.most, h.open)
	tooMany := h.open > h.tolerates
	if tooMany {
		h.refused++
	}
	h.mu.Unlock()
	p := &peer{
		greet: func(*visit) string {
			time.Sleep(50 * time.Millisecond)
			if tooMany && h.command == "" {
				return h.says
			}
			return "220 mx"
		},
		other: func(_ *visit, command string) string {
			if strings.HasPrefix(command, "EHLO") || strings.HasPrefix(command, "MAIL") {
				time.Sleep(50 * time.Millisecond)
			}
			if tooMany && h.command != "" && strings.HasPrefix(command, h.command) {
				return h.says
			}
			return ""
		},
	}
	if h.exists != "" {
		p.rcpt = func(_ *visit, mailbox string) string {
			if strings.HasPrefix(mailbox, h.exists) {
				return "250 2.1.5 Ok"
			}
			return "550 5.1.1 no such user"
		}
	}
	p.ServeSMTP(gaugedConn{c, sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.open--
	})})
}

// TestSessionsWithAHost asks about many mailboxes at hosts that tolerate more
// and less than we open: all are answered, and few sessions are refused.
func TestSessionsWithAHost(t *testing.T) {
	const most = 20
	for _, tt := range []struct {
		name      string
		tolerates int
		command   string
		says      string
		refused   int // sessions, at most
		minutes   int // for all
	}{
		{"patient", 1000, "", "", 0, 1},
		{"421 to the seventh", 6, "", "421 4.7.0 too many connections", 10, 2},
		{"a closed connection to the seventh", 6, "", closes, 10, 2},
		{"554 to the seventh", 6, "", "554 5.7.1 go away", 10, 2},
		{"421 to EHLO of the seventh", 6, "EHLO", "421 too busy", 10, 2},
		{"one session", 1, "", "421 4.7.0 one is enough", 8, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host := &tolerant{tolerates: tt.tolerates, command: tt.command, says: tt.says}
			list := mailboxes(3000, func(i int) bool { return i%5 == 0 }, "a.example", "b.example")
			inBubble(t, smtpprobe.Config{MaxWaitingPerHost: len(list)}, one(host), func(b *bubble) {
				start := time.Now()
				found := make(map[string]smtpprobe.Findings)
				for i, r := range b.askAll(aboutAll(list)) {
					found[list[i]] = r.found
				}
				checkTruth(b.T, found)
				if took := time.Since(start); took > time.Duration(tt.minutes)*time.Minute {
					b.Errorf("took %v", took)
				} else {
					b.Logf("took %v, %d sessions refused, at most %d", took, host.refused, host.most)
				}
			})
			if host.refused > tt.refused || host.most > most || tt.refused == 0 && host.most < most/2 {
				t.Errorf("%d sessions refused, at most %d open; want at most %d, %d", host.refused, host.most, tt.refused, most)
			}
		})
	}
}

// TestPutOffAtMAIL sees that a host which puts sessions off at MAIL gets fewer.
func TestPutOffAtMAIL(t *testing.T) {
	host := &tolerant{tolerates: 6, command: "MAIL", says: "421 4.7.0 too many connections"}
	host.exists = "real"
	list := harvested(2000, 80)
	inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		if alive, dead := harvest(b, list, 20, asksAsBulk(b)); alive+dead < len(list) {
			t.Errorf("%d of %d were settled", alive+dead, len(list))
		}
	})
	if host.refused > 15 {
		t.Errorf("%d sessions were put off", host.refused)
	}
	t.Logf("%d sessions put off, at most %d", host.refused, host.most)
}

// TestOneAddressHasOneSession asks one mailbox of hosts that take their time.
func TestOneAddressHasOneSession(t *testing.T) {
	for name, host := range map[string]*smtptest.Host{
		"slow greeting": slow(5*time.Second, 0, 0), "slow replies": slow(time.Second, 5*time.Second, 0),
		"slow in turn": inTurn(slow(time.Second, 3*time.Second, 0)),
	} {
		sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
			if r := b.ask(b.Context(), about("good@example.com")); r.err != nil || r.last().Target == nil {
				t.Errorf("%s: %s (%v)", name, summaries(r.found), r.err)
			}
		})
		if len(sessions) != 1 {
			t.Errorf("%s: %d sessions", name, len(sessions))
		}
	}
}

// TestStrictProvidersBeginWithTwo sees how many sessions a mail host has before
// any of its transactions went well.
func TestStrictProvidersBeginWithTwo(t *testing.T) {
	for name, want := range map[string]int{"mx.hoster.test": 4, "aspmx.l.google.com": 2} {
		host := &peer{wait: func(*visit, string) time.Duration { return 5 * time.Second }}
		requests := aboutAll(mailboxes(200, func(int) bool { return true }, "a.example"))
		for i := range requests {
			requests[i].Hosts[0].Name, requests[i].Queued = name, func(bool) {}
		}
		inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
			time.AfterFunc(4*time.Second, func() {
				if got := b.pool.Pacing()[0].Sessions; got != want {
					b.Errorf("%s has %d sessions at first, want %d", name, got, want)
				}
			})
			b.checkAnswered(b.askAll(requests))
		})
	}
}
