package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestCauseOfACancel checks that a cancelled verification says what cancelled
// it, wherever it was, and that it was cancelled.
func TestCauseOfACancel(t *testing.T) {
	why := errors.New("the visitor left")
	for _, tt := range []struct {
		name     string
		slowDNS  bool
		remember int
		host     *smtptest.Host
	}{
		{"in the DNS", true, 0, &smtptest.Host{}},
		{"at the mail host", false, 0, &smtptest.Host{RCPT: smtptest.Hangs}},
		{"in a shared verification", false, 10, &smtptest.Host{RCPT: smtptest.Hangs}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				zone := dnstest.New(oneHostZone)
				if tt.slowDNS {
					zone.Break(dnstest.Fault{Delay: 2 * time.Second})
				}
				v, _, _ := inMemory(t, engine.Config{Exchanger: zone, MaxRemembered: tt.remember}, tt.host)
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(why) })
				if _, err := v.Verify(ctx, "user@example.test"); !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}

// TestDeadlineInTheQueue checks that the end of a caller that waits is its own,
// and that too many that wait are another matter.
func TestDeadlineInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &smtptest.Host{RCPT: smtptest.Hangs}
		v, _, _ := inMemory(t, engine.Config{MaxSessionsPerHost: 1, MaxWaitingPerHost: 1}, host)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = v.Verify(ctx, "first@example.test")
		}()
		time.Sleep(time.Second)
		late, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		_, err := v.Verify(late, "late@example.test")
		if errors.Is(err, engine.ErrBusy) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a deadline in the queue: %v", err)
		}
		go func() { _, _ = v.Verify(ctx, "second@example.test") }()
		synctest.Wait()
		_, err = v.Verify(t.Context(), "third@example.test")
		if !errors.Is(err, engine.ErrBusy) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a full queue: %v", err)
		}
		cancel()
		<-ended
	})
}
