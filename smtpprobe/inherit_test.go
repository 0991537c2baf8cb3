package smtpprobe_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
)

// hookedConn is a connection that calls a function with what it read or writes.
type hookedConn struct {
	net.Conn
	read, write func(text string)
}

func (c hookedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.read(string(b[:n]))
	return n, err
}

func (c hookedConn) Write(b []byte) (int, error) {
	c.write(string(b))
	return c.Conn.Write(b)
}

// hooked has connections call functions.
func hooked(read, write func(text string)) func(smtpprobe.Dialer) smtpprobe.Dialer {
	return func(d smtpprobe.Dialer) smtpprobe.Dialer {
		return dialerFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := d.DialContext(ctx, network, address)
			return hookedConn{c, read, write}, err
		})
	}
}

// TestNobodyInheritsACancelledSession checks that a job is not given to a
// session that ends because its last caller gave up, however late that was:
// after the last line of the opening, or while the session waits for a reply
// too many.
func TestNobodyInheritsACancelledSession(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		after      time.Duration // that the text was read, the first gives up
		joins      time.Duration // when the others come
	}{
		{"opened", "250 8BITMIME", 0, 0},
		{"answered", "550 5.1.1", 5 * time.Millisecond, 101 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			giveUp := func() {}
			watch := hooked(func(text string) {
				if strings.Contains(text, tt.text) {
					giveUp()
				}
			}, func(string) {})
			host := &peer{GreetingDelay: slowGreeting, RCPTDelay: time.Millisecond}
			inBubbleBy(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), watch, func(b *bubble) {
				ctx, cancel := context.WithCancel(b.Context())
				defer cancel()
				giveUp = func() {
					if tt.after > 0 {
						time.AfterFunc(tt.after, cancel)
						return
					}
					cancel()
					synctest.Wait() // for all that follows from it
				}
				var all sync.WaitGroup
				all.Go(func() { b.ask(ctx, about("good0@a.example")) })
				synctest.Wait() // it opens a session
				time.Sleep(tt.joins)
				for _, req := range aboutAll([]string{"good1@a.example", "good2@b.example"}) {
					all.Go(func() { b.checkAnswered([]told{b.ask(b.Context(), req)}, 250) })
				}
				all.Wait()
			})
		})
	}
}
