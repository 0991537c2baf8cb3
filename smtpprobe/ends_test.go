package smtpprobe_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
)

// TestSessionsEnd ends sessions at each of their steps, in each way in which
// they can end: none is left, and none still counts.
func TestSessionsEnd(t *testing.T) {
	const most = 14 // half seconds until the last step, QUIT behind an idle session, is over
	for way, end := range map[string]func(b *bubble, cancel context.CancelFunc, say *atomic.Value){
		"given up":  func(_ *bubble, cancel context.CancelFunc, _ *atomic.Value) { cancel() },
		"abandoned": func(b *bubble, _ context.CancelFunc, _ *atomic.Value) { b.pool.Abandon() },
		"egress removed": func(b *bubble, _ context.CancelFunc, _ *atomic.Value) {
			other := egress.Egresses{{Name: "other", Dialer: b.gauges}}
			if err := b.pool.SetEgresses(other, nil); err != nil {
				b.Error(err)
			}
		},
		"host gone": func(_ *bubble, _ context.CancelFunc, say *atomic.Value) { say.Store(closes) },
		"host mute": func(_ *bubble, _ context.CancelFunc, say *atomic.Value) { say.Store(hangs) },
	} {
		for at := range most {
			t.Run(fmt.Sprint(way, at), func(t *testing.T) {
				var say atomic.Value
				say.Store("")
				host := &peer{
					GreetingDelay: time.Second, ReplyDelay: time.Second,
					Say: func(*visit, string, string) string { return say.Load().(string) },
				}
				config := smtpprobe.Config{Session: smtpprobe.SessionCaps{Idle: time.Second}}
				inBubble(t, config, one(host), func(b *bubble) {
					ctx, cancel := context.WithCancel(b.Context())
					defer cancel()
					go func() {
						time.Sleep(time.Duration(at)*time.Second/2 + 250*time.Millisecond)
						end(b, cancel, &say)
					}()
					b.askTogether(ctx, aboutAll(mailboxes(4, every(2), "a.example")))
					time.Sleep(2 * time.Minute)
					synctest.Wait()
					if s := b.pool.Stats(); s.Sessions != 0 || s.UnderWay != 0 || s.Waiting != 0 {
						b.Errorf("left over: %+v", s)
					}
					if n := b.gauges.now(); n != 0 {
						b.Errorf("%d connections left open", n)
					}
				})
			})
		}
	}
}
