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

// cancelling is a dialer whose connections call hook when they have read a
// text.
type cancelling struct {
	smtpprobe.Dialer
	text string
	hook func()
}

func (d cancelling) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := d.Dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return cancellingConn{c, d.text, d.hook}, nil
}

type cancellingConn struct {
	net.Conn
	text string
	hook func()
}

func (c cancellingConn) Read(b []byte) (int, error) {
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
			inBubble(t, smtpprobe.Config{}, one(&peer{greet: greeting, wait: working}), func(b *bubble) {
				ctx, cancel := context.WithCancel(b.Context())
				defer cancel()
				giveUp := func() {
					if tt.after > 0 {
						time.AfterFunc(tt.after, cancel)
						return
					}
					cancel()
					synctest.Wait() // for all that follows from it
				}
				pool := newProber(b.T, smtpprobe.Config{MaxSessionsPerHost: 1}, cancelling{b.gauges, tt.text, giveUp})
				var all sync.WaitGroup
				all.Go(func() { _, _ = pool.Probe(ctx, about("good0@a.example")) })
				synctest.Wait() // it opens a session
				time.Sleep(tt.joins)
				for _, req := range aboutAll([]string{"good1@a.example", "good2@b.example"}) {
					all.Go(func() {
						found, err := pool.Probe(b.Context(), req)
						if r := (told{found: found, err: err}); err != nil || r.last().Target == nil || r.last().Target.Code != 250 {
							b.Errorf("%s: found %s (%v)", req.Target, summaries(found), err)
						}
					})
				}
				all.Wait()
				if err := pool.Close(); err != nil {
					b.Error(err)
				}
			})
		})
	}
}
