package smtpprobe_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestTargetAndControlShareTheTime is about a tarpit that answers the target
// within the time, and the control beyond it: nothing shows that the reply was
// the target's.
func TestTargetAndControlShareTheTime(t *testing.T) {
	inBubble(t, smtpprobe.Config{}, one(&smtptest.Host{CatchAll: true, RCPTDelay: 16 * time.Second}), func(b *bubble) {
		r := b.ask(b.Context(), about("real@a.example"))
		if got, want := summaries(r.found), "greeting 220, ehlo 250, mail 250, failure timeout at rcpt"; got != want || r.took != 30*time.Second {
			b.Errorf("found %s after %v, want %s after 30s", got, r.took, want)
		}
	})
}

// deafDialer connects to a host that says something and never reads: its
// receive window is zero.
type deafDialer struct{ says string }

func (d deafDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go func() {
		for i := range d.says {
			if _, err := server.Write([]byte{d.says[i]}); err != nil {
				return
			}
		}
	}()
	return client, nil
}

// TestHostThatNeverReads sees that a write which nobody takes ends as a read
// does, and that the pool gets rid of the connection.
func TestHostThatNeverReads(t *testing.T) {
	for says, want := range map[string]string{
		"":           "failure timeout at greeting",
		"220 mx\r\n": "greeting 220, failure timeout at ehlo",
	} {
		synctest.Test(t, func(t *testing.T) {
			pool := newProber(t, smtpprobe.Config{}, deafDialer{says})
			begun := time.Now()
			found, err := pool.Probe(t.Context(), about("real@a.example"))
			if got := summaries(found); got != want || err != nil || time.Since(begun) > 20*time.Second {
				t.Errorf("found %s (%v) after %v, want %s", got, err, time.Since(begun), want)
			}
			if err := pool.Close(); err != nil || time.Since(begun) > 30*time.Second {
				t.Errorf("closed after %v (%v)", time.Since(begun), err)
			}
		})
	}
}
