package smtpprobe_test

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// refused are words for mailboxes that do not exist. Some hosts have for RSET what begins with 50.
var refused = []string{"550 5.1.1 no such user", "501 5.1.1 no such user"}

// sayOneTwice has a host that names nobody refuse a recipient twice, the first time that place recipients of a transaction are named and now tells so,
// and leave out what it would say to the RSET behind: the replies are as many as the commands. It returns whether that came to pass.
func sayOneTwice(host *peer, refused string, place int, now func(v *visit) bool) *atomic.Bool {
	var said, dropped atomic.Bool
	host.rcpt = func(_ *visit, m string) string {
		if strings.HasPrefix(m, "good") {
			return ""
		}
		return refused
	}
	host.after = func(v *visit, c string) string {
		if strings.HasPrefix(c, "RCPT") && v.here > place && now(v) && said.CompareAndSwap(false, true) {
			return refused
		}
		return ""
	}
	host.other = func(_ *visit, c string) string {
		if c == "RSET" && said.Load() && dropped.CompareAndSwap(false, true) {
			return skips
		}
		return ""
	}
	return &dropped
}

// checkKinds fails where somebody was accepted who does not exist, or refused who does.
func checkKinds(t *testing.T, found map[string]smtpprobe.Findings) {
	t.Helper()
	for m, f := range found {
		if last := (told{found: f}).last(); last.Target != nil && (last.Target.Code == 250) != strings.HasPrefix(m, "good") {
			t.Errorf("%s: %s\n%s", m, summaries(f), transcript(last))
		}
	}
}

// TestGroupSaysOneTwice is about a host that answers about a recipient twice in some transaction and drops the RSET at its end. The words in its place
// are those about a recipient, and not those that the host has for RSET, in this session or the one before.
func TestGroupSaysOneTwice(t *testing.T) {
	came := 0
	for _, at := range []struct{ session, transaction int }{{1, 1}, {1, 2}, {2, 1}, {2, 2}} {
		for place := range 6 {
			t.Run(fmt.Sprint(at, place), func(t *testing.T) {
				host := &peer{}
				dropped := sayOneTwice(host, refused[0], place, func(v *visit) bool { return v.number == at.session && v.mailed == at.transaction })
				config := smtpprobe.Config{MaxSessionsPerHost: 1, Session: smtpprobe.SessionCaps{Transactions: 3}}
				list := mailboxes(300, func(i int) bool { return i%4 == 0 }, "a.example")
				found, _ := crowd(t, config, host, list)
				checkKinds(t, found)
				if dropped.Load() {
					came++
				}
			})
		}
	}
	if came < 20 {
		t.Errorf("it came to that %d times of 24", came)
	}
}

// hurry is a setting in which the first transaction of most sessions is their last, and QUIT comes with it.
var hurry = smtpprobe.Config{MaxSessionsPerHost: 1, MaxWaitingPerHost: 300, Session: smtpprobe.SessionCaps{Refused: 20}}

// halfBad is a list for it.
func halfBad() []string {
	return mailboxes(300, func(i int) bool { return i%2 == 0 }, "a.example", "b.example")
}

// hurried is a host of whose groups with QUIT in them goodbye is told, and which transaction of the session they are.
func hurried(host *peer, goodbye func(transaction int)) smtptest.Handler {
	return smtptest.HandlerFunc(func(c net.Conn) {
		mails := &mailCounter{Conn: c}
		host.ServeSMTP(startledConn{mails, func(_ net.Conn, group []byte) ([]byte, error) {
			goodbye(mails.n)
			return group, nil
		}})
	})
}

// mailCounter counts the transactions of a connection.
type mailCounter struct {
	net.Conn
	n int
}

func (c *mailCounter) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.n += strings.Count(string(b[:n]), "MAIL FROM:")
	return n, err
}

// TestGroupWithGoodbyeSaysOneTwice is the same of a group that has QUIT in it, in the first transaction of a session or a later one. There, words that
// nothing else has will not do either.
func TestGroupWithGoodbyeSaysOneTwice(t *testing.T) {
	came := 0
	for _, text := range refused {
		for _, welcome := range []string{"250 2.1.5 Ok", "250 welcome"} {
			for _, first := range []bool{true, false} {
				for place := range 8 {
					t.Run(fmt.Sprint(text, " ", welcome, " ", first, place), func(t *testing.T) {
						var now atomic.Bool
						host := &peer{}
						dropped := sayOneTwice(host, text, place, func(*visit) bool { return now.Load() })
						refuse, list := host.rcpt, halfBad()
						host.rcpt = func(v *visit, m string) string {
							if text := refuse(v, m); text != "" || welcome == "250 2.1.5 Ok" {
								return text
							}
							return welcome + strings.Repeat(" you", slices.Index(list, m))
						}
						handler := hurried(host, func(transaction int) {
							if (transaction == 1) == first {
								now.Store(true)
							}
						})
						found, _ := crowd(t, hurry, handler, list)
						checkKinds(t, found)
						if dropped.Load() {
							came++
						}
					})
				}
			}
		}
	}
	if came < 48 {
		t.Errorf("it came to that %d times of 64", came)
	}
}

// TestGoodbyeOfUnknownWords sees that QUIT does not come with the first recipients of a session while it is not known what the host says to RSET, as
// at the beginning and an hour later, and is else not put off.
func TestGoodbyeOfUnknownWords(t *testing.T) {
	var known atomic.Bool
	var early, often atomic.Int64
	host := &peer{other: func(_ *visit, c string) string {
		if c == "RSET" {
			known.Store(true)
		}
		return ""
	}}
	inBubble(t, hurry, one(hurried(host, func(transaction int) {
		if transaction > 1 {
			return
		}
		often.Add(1)
		if !known.Load() {
			early.Add(1)
		}
	})), func(b *bubble) {
		for range 3 {
			known.Store(false)
			list := halfBad()
			for i, r := range b.askAll(aboutAll(list)) {
				checkTruth(b.T, map[string]smtpprobe.Findings{list[i]: r.found})
			}
			time.Sleep(2 * time.Hour)
		}
	})
	if early.Load() > 0 || often.Load() < 9 {
		t.Errorf("QUIT came with the first recipients of %d sessions, and of %d before RSET had been heard", often.Load(), early.Load())
	}
}

// TestMachinesBehindOneAddress is about a host each of whose sessions has other words for RSET than the one before, in some those for a recipient.
// It does not cost session after session.
func TestMachinesBehindOneAddress(t *testing.T) {
	short := smtpprobe.Config{MaxSessionsPerHost: 1, MaxWaitingPerHost: 300, Session: smtpprobe.SessionCaps{Transactions: 1}}
	for name, config := range map[string]smtpprobe.Config{"short": short, "hurry": hurry} {
		for _, other := range []string{"250 2.0.0 Reset", "250 2.1.5 Ok"} {
			t.Run(name+" "+other, func(t *testing.T) {
				words := []string{other, "250 2.0.0 Ok"}
				host := &peer{other: func(v *visit, c string) string {
					if c == "RSET" {
						return words[v.number%len(words)]
					}
					return ""
				}}
				few := []string{"good1@c.example", "good2@c.example", "good3@c.example", "good4@c.example"}
				sessions := inBubble(t, config, one(host), func(b *bubble) {
					for _, list := range [][]string{few, halfBad()} {
						for i, r := range b.askAll(aboutAll(list)) {
							checkTruth(b.T, map[string]smtpprobe.Findings{list[i]: r.found})
						}
						time.Sleep(time.Minute)
					}
				})
				if named := len(host.asked()); len(sessions) > 60 || named > 380 { // some 40, and 310 to 340
					t.Errorf("%d sessions, %d recipients named", len(sessions), named)
				}
			})
		}
	}
}
