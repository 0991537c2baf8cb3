package smtpprobe_test

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestHostThatNeverAnswersRCPT has many ask hosts that let recipients be named and say nothing about any: after some sessions all who wait are told
// so, and those who come soon after cost none.
func TestHostThatNeverAnswersRCPT(t *testing.T) {
	for name, kind := range map[string]smtpprobe.Kind{
		"silent-at-rcpt":      smtpprobe.KindTimeout,
		"silent-at-mail":      smtpprobe.KindTimeout,
		"drip-rcpt":           smtpprobe.KindTimeout,
		"closes-at-rcpt":      smtpprobe.KindClosed,
		"resets-at-rcpt":      smtpprobe.KindReset,
		"endless-rcpt":        smtpprobe.KindProtocol,
		"two-replies-to-mail": smtpprobe.KindProtocol,
		"pipelining-dropped":  smtpprobe.KindTimeout,
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, smtpprobe.Config{MaxWaitingPerHost: 300}, one(smtptest.HostileHost(name)), func(b *bubble) {
				begun := time.Now()
				list := mailboxes(300, func(int) bool { return false }, "a.example", "b.example")
				for i, r := range b.askAll(aboutAll(list)) {
					last := r.last()
					if r.err != nil || last.Target != nil || last.Failure == nil || last.Failure.Kind != kind {
						b.Fatalf("%d: found %s (%v)", i, summaries(r.found), r.err)
					}
					checkPrivate(b.T, list[i], r.found)
				}
				if n, took := len(b.network.Dials()), time.Since(begun); n > 40 || took > 90*time.Second {
					b.Errorf("%d connections, %v", n, took)
				}

				before := len(b.network.Dials())
				r := b.ask(b.Context(), about("other@a.example"))
				if len(b.network.Dials()) != before || r.took > time.Second || r.last().Failure == nil || r.last().Failure.Kind != kind {
					b.Errorf("soon after: found %s after %v", summaries(r.found), r.took)
				}
				checkPrivate(b.T, "other@a.example", r.found)
				time.Sleep(31 * time.Second)
				if b.ask(b.Context(), about("other@a.example")); len(b.network.Dials()) == before {
					b.Error("not tried again later")
				}
			})
		})
	}
}

// TestSomeSilenceIsNoMuteHost sees that a host which verifies some mailboxes elsewhere, and never gets to an end with them, is asked about the others.
func TestSomeSilenceIsNoMuteHost(t *testing.T) {
	host := &peer{keywords: "SIZE", rcpt: func(_ *visit, m string) string {
		if strings.HasPrefix(m, "bad") {
			return hangs
		}
		return ""
	}}
	list := mailboxes(60, func(i int) bool { return i%4 == 0 }, "a.example")
	found, _ := crowd(t, smtpprobe.Config{}, host, list)
	for m, f := range found {
		if last := (told{found: f}).last(); strings.HasPrefix(m, "good") != (last.Target != nil) {
			t.Errorf("%s: found %s", m, summaries(f))
		}
	}
}

// TestMuteHostThatRecovers sees that the first answer clears a host.
func TestMuteHostThatRecovers(t *testing.T) {
	var up atomic.Bool
	well, mute := checks(), smtptest.HostileHost("silent-at-rcpt")
	host := smtptest.HandlerFunc(func(c net.Conn) {
		if up.Load() {
			well.ServeSMTP(c)
			return
		}
		mute.ServeSMTP(c)
	})
	inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		_ = b.askAll(aboutAll(mailboxes(40, func(int) bool { return false }, "a.example")))
		up.Store(true)
		time.Sleep(31 * time.Second)
		for _, r := range b.askAll(aboutAll(mailboxes(40, func(int) bool { return false }, "a.example"))) {
			if r.last().Target == nil {
				b.Errorf("found %s (%v)", summaries(r.found), r.err)
			}
		}
	})
}
