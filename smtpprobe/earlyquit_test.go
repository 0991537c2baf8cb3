package smtpprobe_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// startledConn shows a host the groups of its client, until one has a QUIT that is not by itself: then startle decides what the host reads.
type startledConn struct {
	net.Conn
	startle func(c net.Conn, group []byte) ([]byte, error)
}

func (c startledConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if group := b[:n]; bytes.Contains(group, []byte("QUIT\r\n")) && string(group) != "QUIT\r\n" {
		group, err = c.startle(c.Conn, group)
		n = copy(b, group)
	}
	return n, err
}

// startled are ways of hosts, and of what stands before them, to take a QUIT that comes before its turn.
var startled = map[string]func(c net.Conn, group []byte) ([]byte, error){
	"hangs up":     func(net.Conn, []byte) ([]byte, error) { return nil, io.EOF },
	"says goodbye": func(net.Conn, []byte) ([]byte, error) { return []byte("QUIT\r\n"), nil },
	"goodbye first": func(_ net.Conn, group []byte) ([]byte, error) {
		return bytes.Replace(group, []byte("RSET\r\nQUIT"), []byte("QUIT"), 1), nil
	},
	"421": func(c net.Conn, _ []byte) ([]byte, error) {
		_, _ = io.WriteString(c, "421 4.7.0 out of turn\r\n")
		return nil, io.EOF
	},
	"silent": func(c net.Conn, _ []byte) ([]byte, error) {
		_, _ = io.Copy(io.Discard, c)
		return nil, io.EOF
	},
	"hangs up after MAIL": func(_ net.Conn, group []byte) ([]byte, error) { return group[:bytes.Index(group, []byte("RCPT"))], nil },
	"250": func(_ net.Conn, group []byte) ([]byte, error) {
		return bytes.Replace(group, []byte("QUIT"), []byte("NOOP"), 1), nil
	},
}

// TestEarlyQUIT is about hosts that cannot take QUIT with the last recipients: all are answered all the same, and it is not tried again and again.
func TestEarlyQUIT(t *testing.T) {
	for name, startle := range startled {
		for _, n := range []int{1, 4} {
			t.Run(fmt.Sprintf("%s, %d sessions", name, n), func(t *testing.T) {
				times, host := make(chan struct{}, 1000), &peer{}
				careful := smtptest.HandlerFunc(func(c net.Conn) {
					host.ServeSMTP(startledConn{c, func(c net.Conn, group []byte) ([]byte, error) {
						times <- struct{}{}
						return startle(c, group)
					}})
				})
				found, sessions := crowd(t, smtpprobe.Config{MaxSessionsPerHost: n}, careful, longList())
				checkTruth(t, found)
				if len(times) == 0 || len(times) > 2*n {
					t.Errorf("an early QUIT was tried %d times", len(times))
				}
				if len(sessions) > 60 {
					t.Errorf("%d sessions", len(sessions))
				}
			})
		}
	}
}

// TestReplyWithoutEndBeforeTheEnd is about a host one of whose replies lacks its last line, and that ends the session in whatever way before there is
// time to notice the reply that is missing.
func TestReplyWithoutEndBeforeTheEnd(t *testing.T) {
	list := longList()
	ends := map[string]func(v *visit, command string) string{
		"QUIT closes":       func(_ *visit, c string) string { return map[string]string{"QUIT": closes}[c] },
		"QUIT resets":       func(_ *visit, c string) string { return map[string]string{"QUIT": resets}[c] },
		"QUIT is not heard": func(_ *visit, c string) string { return map[string]string{"QUIT": hangs}[c] },
		"250 to QUIT":       func(_ *visit, c string) string { return map[string]string{"QUIT": "250 bye"}[c] },
		"421 to QUIT":       func(_ *visit, c string) string { return map[string]string{"QUIT": "421 4.3.2 bye"}[c] },
	}
	for name, end := range ends {
		for _, odd := range []int{5, 9, 10, 13, 17, 18, 26} {
			t.Run(fmt.Sprintf("%s %d", name, odd), func(t *testing.T) {
				host := &peer{other: end, rcpt: func(_ *visit, m string) string {
					if m == list[odd] {
						return usual(m)[:3] + "-the last line is missing"
					}
					return strings.Replace(usual(m), " <"+m+">:", "", 1) // names nobody
				}}
				found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, host, list)
				delete(found, list[odd])
				checkNobodyElses(t, found)
			})
		}
	}
}

// TestReplyWithoutEndAndPatience has the host that waits for the next command, which has come already, give up.
func TestReplyWithoutEndAndPatience(t *testing.T) {
	list := longList()
	for _, end := range []string{"", "421 4.4.2 timeout exceeded\r\n"} {
		for _, odd := range []int{1, 2, 17, 18, 22, 26} {
			t.Run(fmt.Sprintf("%q %d", end, odd), func(t *testing.T) {
				host := &peer{rcpt: func(_ *visit, m string) string {
					if m == list[odd] {
						return usual(m)[:3] + "-the last line is missing"
					}
					return ""
				}}
				impatient := smtptest.HandlerFunc(func(c net.Conn) { host.ServeSMTP(impatientConn{c, 10 * time.Second, end}) })
				found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, impatient, list)
				delete(found, list[odd])
				checkNobodyElses(t, found)
			})
		}
	}
}

// impatientConn hangs up on a client that says nothing for a while.
type impatientConn struct {
	net.Conn
	patience time.Duration
	goodbye  string
}

func (c impatientConn) Read(b []byte) (int, error) {
	_ = c.Conn.SetReadDeadline(time.Now().Add(c.patience))
	n, err := c.Conn.Read(b)
	if err != nil {
		_, _ = io.WriteString(c.Conn, c.goodbye)
	}
	return n, err
}

// checkNobodyElses sees that who was answered for good was told the truth.
func checkNobodyElses(t *testing.T, found map[string]smtpprobe.Findings) {
	t.Helper()
	for m, f := range found {
		last := (told{found: f}).last()
		if last.Target != nil && last.Target.Code/100 != 4 && fmt.Sprint(last.Target.Code) != usual(m)[:3] {
			t.Errorf("%s: %s\n%s", m, summaries(f), transcript(last))
		}
		if last.Control != nil && last.Control.Code == 250 {
			t.Errorf("%s: control accepted", m)
		}
	}
}

// TestGoodbyeTakesItsTime sees that a host which never answers QUIT costs those who ask one wait for it.
func TestGoodbyeTakesItsTime(t *testing.T) {
	host := &peer{other: func(_ *visit, c string) string { return map[string]string{"QUIT": hangs}[c] }}
	inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 2, MaxWaitingPerHost: 300}, one(host), func(b *bubble) {
		ctx, cancel := context.WithTimeout(b.Context(), 40*time.Second)
		defer cancel()
		begun := time.Now()
		var wg sync.WaitGroup
		for _, m := range longList() {
			wg.Go(func() {
				if r := b.ask(ctx, about(m)); r.last().Target == nil {
					b.Errorf("%s: %s (%v) after %v", m, summaries(r.found), r.err, r.took)
				}
			})
		}
		wg.Wait()
		if took := time.Since(begun); took > 20*time.Second {
			b.Errorf("took %v", took)
		}
	})
}

// choosy is a host that takes every mailbox but those that begin with "bad", which is the way of a host that answers out of order, too.
func choosy(_ *visit, m string) string {
	if strings.HasPrefix(m, "bad") {
		return "550 5.1.1 no such user"
	}
	return "250 2.1.5 Ok"
}

// TestDoubtedAnswerAndNoTime is about somebody whose time is over when an answer comes that is not believed: it is not told either.
func TestDoubtedAnswerAndNoTime(t *testing.T) {
	for _, end := range []func(context.Context) (context.Context, context.CancelFunc){cancelAfter(480 * time.Millisecond), deadlineAfter(480 * time.Millisecond)} {
		host := &peer{rcpt: choosy, wait: func(*visit, string) time.Duration { return 100 * time.Millisecond }}
		inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), func(b *bubble) {
			_ = b.ask(b.Context(), about("good@a.example")) // the control
			var wg sync.WaitGroup
			for i := range 5 {
				wg.Go(func() {
					ctx, cancel := end(b.Context())
					defer cancel()
					r := b.ask(ctx, about(fmt.Sprintf("bad%d@a.example", i)))
					if last := r.last(); last.Target != nil || last.Failure == nil {
						b.Errorf("found %s (%v)\n%s", summaries(r.found), r.err, transcript(last))
					}
				})
			}
			wg.Wait()
		})
	}
}

// TestCrowdedOutAndDoubted is about somebody who was turned away as often as may be, and then gets an answer in company that is not believed: it
// takes a second one.
func TestCrowdedOutAndDoubted(t *testing.T) {
	host := &peer{rcpt: choosy, greet: func(v *visit) string {
		if v.number == 2 || v.number == 3 {
			return "421 4.7.0 too many sessions"
		}
		return "220 mx"
	}}
	sessions := inBubble(t, smtpprobe.Config{MaxSessionsPerHost: 1, Session: smtpprobe.SessionCaps{Idle: time.Millisecond}}, one(host), func(b *bubble) {
		_ = b.ask(b.Context(), about("good@a.example")) // the control
		time.Sleep(100 * time.Millisecond)
		var wg sync.WaitGroup
		wg.Go(func() {
			if r := b.ask(b.Context(), about("bad@a.example")); r.last().Target == nil || r.last().Target.Code != 550 {
				b.Errorf("found %s (%v)", summaries(r.found), r.err)
			}
		})
		time.Sleep(100 * time.Millisecond)
		_ = b.askAll(aboutAll([]string{"good1@a.example", "good2@a.example"}))
		wg.Wait()
	})
	if n := count(sessions, "RCPT TO:<bad@"); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

// TestReplyToMAILWithoutEnd is about a host whose reply to MAIL swallows that about the target: the answer about the control is not the target's.
func TestReplyToMAILWithoutEnd(t *testing.T) {
	for _, end := range []string{"hang", "sleep 5s\nclose", "sleep 5s\nS: 421 4.4.2 timeout\nclose"} {
		o := probe(t, setting{}, smtptest.Script(flight+"S: 250-ok\nS: 250 yes\nS: 550 5.1.1 no\n"+end))
		if last := o.found.Sessions[0]; last.Target != nil && last.Target.Code == 550 {
			t.Errorf("%s: found %s\n%s", end, summaries(o.found), transcript(last))
		}
	}
}
