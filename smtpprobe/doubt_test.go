package smtpprobe_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// longList has enough refused mailboxes for several sessions.
func longList() []string {
	return mailboxes(300, func(i int) bool { return i%4 == 0 }, "a.example", "b.example")
}

// TestGoodbyeTakesItsTime checks that callers wait once for a host that never
// answers QUIT.
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

// choosy is a host that takes every mailbox but those that begin with "bad",
// which is the way of a host that answers out of order, too.
func choosy(_ *visit, m string) string {
	if strings.HasPrefix(m, "bad") {
		return "550 5.1.1 no such user"
	}
	return "250 2.1.5 Ok"
}

// TestDoubtedAnswerAndNoTime is about somebody whose time is over when an
// answer comes that is not believed: it is not told either.
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

// TestCrowdedOutAndDoubted is about a mailbox that was refused a session as
// often as may be, and then gets an answer in company that is not believed: it
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

// TestReplyToMAILWithoutEnd is about a host whose reply to MAIL swallows that
// about the target: the answer about the control is not the target's.
func TestReplyToMAILWithoutEnd(t *testing.T) {
	for _, end := range []string{"hang", "sleep 5s\nclose", "sleep 5s\nS: 421 4.4.2 timeout\nclose"} {
		o := probe(t, setting{}, smtptest.Script(group+"S: 250-ok\nS: 250 yes\nS: 550 5.1.1 no\n"+end))
		if last := o.found.Sessions[0]; last.Target != nil && last.Target.Code == 550 {
			t.Errorf("%s: found %s\n%s", end, summaries(o.found), transcript(last))
		}
	}
}
