package smtpprobe_test

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// groups remembers what a host was sent at a time.
type groups struct {
	mu  sync.Mutex
	all []string
}

// overheard is a host whose clients' groups of commands are remembered.
func (g *groups) overheard(host smtptest.Handler) smtptest.Handler {
	return smtptest.HandlerFunc(func(c net.Conn) { host.ServeSMTP(overheardConn{c, g}) })
}

type overheardConn struct {
	net.Conn
	groups *groups
}

func (c overheardConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.groups.mu.Lock()
	defer c.groups.mu.Unlock()
	c.groups.all = append(c.groups.all, string(b[:n]))
	return n, err
}

// longList has enough refused mailboxes for several sessions.
func longList() []string {
	return mailboxes(300, func(i int) bool { return i%4 == 0 }, "a.example", "b.example")
}

// TestLastGroupHasQUIT sees that where others wait, a session whose patience is about to end says QUIT with its last recipients.
func TestLastGroupHasQUIT(t *testing.T) {
	var heard groups
	config := smtpprobe.Config{MaxSessionsPerHost: 1, Session: smtpprobe.SessionCaps{Refused: 9}}
	found, _ := crowd(t, config, heard.overheard(&peer{}), longList())
	checkTruth(t, found)
	apart, together := 0, 0
	for _, group := range heard.all {
		switch {
		case group == "QUIT\r\n":
			apart++
		case strings.HasSuffix(group, "RSET\r\nQUIT\r\n") && strings.Contains(group, "RCPT"):
			together++
		case strings.Contains(group, "QUIT"):
			t.Errorf("QUIT in the middle of %q", group)
		}
	}
	if together < 3 || apart > together {
		t.Errorf("QUIT with the last recipients %d times, apart %d times", together, apart)
	}
}

// TestNoQUITBeforeItsTurn sees that hosts without PIPELINING get QUIT by itself.
func TestNoQUITBeforeItsTurn(t *testing.T) {
	var heard groups
	found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, heard.overheard(&peer{keywords: "SIZE"}), longList())
	checkTruth(t, found)
	for _, group := range heard.all {
		if strings.Contains(group, "QUIT") && group != "QUIT\r\n" {
			t.Errorf("QUIT in %q", group)
		}
	}
}

// TestLastGroupOutOfStep is about one reply too many somewhere before the reply to QUIT: nobody is given the answer about another.
func TestLastGroupOutOfStep(t *testing.T) {
	for _, nth := range []int{11, 14, 17, 20, 23, 26, 29, 32} {
		for _, text := range []string{"250 ok", "550 5.1.1 no such user", "221 bye"} {
			t.Run(fmt.Sprintf("%s behind recipient %d", text, nth), func(t *testing.T) {
				host := &peer{after: func(v *visit, command string) string {
					if v.number <= 3 && strings.HasPrefix(command, "RCPT") && v.named == nth {
						return text
					}
					return ""
				}}
				found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, host, longList())
				checkTruth(t, found)
			})
		}
	}
}

// TestLastGroupWithoutGoodbye is about hosts that hang up, or go silent, instead of answering QUIT: everything else was answered.
func TestLastGroupWithoutGoodbye(t *testing.T) {
	for _, end := range []string{closes, resets, hangs, "421 4.3.2 closing", "500 what?"} {
		t.Run(end, func(t *testing.T) {
			host := &peer{other: func(_ *visit, command string) string {
				if command == "QUIT" {
					return end
				}
				return ""
			}}
			found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 2}, host, longList())
			checkTruth(t, found)
		})
	}
}
