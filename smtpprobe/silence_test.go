package smtpprobe_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestSilentMailboxes is about a host that never gets to an end with one
// mailbox in ten, which it looks up elsewhere: each of those costs about a
// session, and the others are asked about again.
func TestSilentMailboxes(t *testing.T) {
	list := mailboxes(400, func(i int) bool { return i%6 == 0 }, "a.example", "b.example")
	var silent []string
	for i, m := range list {
		if i%10 == 7 {
			silent = append(silent, m)
		}
	}
	for refused, most := range map[string]int{"550 5.1.1 no such user": 2 * len(list), "": 2 * len(list)} { // the usual names the mailbox
		host := &peer{greet: greeting, wait: working, rcpt: func(_ *visit, m string) string {
			switch {
			case slices.Contains(silent, m):
				return hangs
			case strings.HasPrefix(m, "good"):
				return ""
			}
			return refused
		}}
		found, _ := crowd(t, smtpprobe.Config{}, host, list)
		for m, f := range found {
			switch last := (told{found: f}).last(); {
			case slices.Contains(silent, m):
				if last.Target != nil || last.Failure == nil || last.Failure.Kind != smtp.KindTimeout {
					t.Errorf("%s: found %s", m, summaries(f))
				}
			case last.Target == nil || (last.Target.Code == 250) != strings.HasPrefix(m, "good"):
				t.Errorf("%s: found %s", m, summaries(f))
			}
		}
		if n, most := len(host.visits), 5*len(silent)/2+10; n > most {
			t.Errorf("refused with %q: %d sessions, want %d at most", refused, n, most)
		}
		if n := len(host.asked()); n > most {
			t.Errorf("refused with %q: %d recipients named, want %d at most", refused, n, most)
		}
	}
}

// TestMuteHost is about a host that never answers about a recipient: those that
// wait do not each wait for it.
func TestMuteHost(t *testing.T) {
	for _, act := range []string{hangs, closes} {
		list := mailboxes(200, func(int) bool { return false }, "a.example", "b.example")
		host := &peer{rcpt: func(*visit, string) string { return act }}
		sessions := inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
			begun := time.Now()
			for i, r := range b.askAll(aboutAll(list)) {
				if last := r.last(); last.Target != nil || last.Failure == nil || last.Failure.Phase != smtp.PhaseRCPT {
					b.Errorf("%s: found %s (%v)", list[i], summaries(r.found), r.err)
				}
			}
			if took := time.Since(begun); took > 3*20*time.Second {
				b.Errorf("%s: took %v, more than three times a command's time", act, took)
			}
		})
		if len(sessions) > len(list)/4 {
			t.Errorf("%s: %d sessions for %d mailboxes", act, len(sessions), len(list))
		}
	}
}
