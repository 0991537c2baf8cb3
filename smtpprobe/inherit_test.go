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

// hookedConn is a connection that calls hook when it has read a text.
type hookedConn struct {
	net.Conn
	text string
	hook func()
}

func (c hookedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if strings.Contains(string(b[:n]), c.text) {
		c.hook()
	}
	return n, err
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
			hooked := func(d smtpprobe.Dialer) smtpprobe.Dialer {
				return dialerFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
					c, err := d.DialContext(ctx, network, address)
					return hookedConn{c, tt.text, func() { giveUp() }}, err
				})
			}
			host := &peer{Greet: slowGreeting, Takes: time.Millisecond}
			inBubbleBy(t, smtpprobe.Config{MaxSessionsPerHost: 1}, one(host), hooked, func(b *bubble) {
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
