package smtpprobe_test

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
)

// TestSilentMailboxes is about a host that never gets to an end with one mailbox in ten, which it looks up elsewhere: that costs about two sessions for
// each of those, and says nothing about how many recipients it takes.
func TestSilentMailboxes(t *testing.T) {
	list := mailboxes(400, func(i int) bool { return i%6 == 0 }, "a.example", "b.example")
	var silent []string
	for i, m := range list {
		if i%10 == 7 {
			silent = append(silent, m)
		}
	}
	for refused, most := range map[string]int{"550 5.1.1 no such user": 2 * len(list), "": 3 * len(list) / 2} { // the usual names the mailbox
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
				if last.Target != nil || last.Failure == nil || last.Failure.Kind != smtpprobe.KindTimeout {
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

// TestHostFallsSilentAfterSomeRecipients is about one that says nothing more in a session beyond some number of recipients, whoever they are.
func TestHostFallsSilentAfterSomeRecipients(t *testing.T) {
	const bears = 20
	var silent atomic.Int32
	host := &peer{greet: greeting, wait: working, rcpt: func(v *visit, _ string) string {
		if v.named < bears {
			return ""
		}
		silent.Add(1)
		return hangs
	}}
	found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, host, mailboxes(400, func(i int) bool { return i%6 == 0 }, "a.example", "b.example"))
	checkTruth(t, found)
	if n := silent.Load(); n != 2 {
		t.Errorf("it had to fall silent %d times", n)
	}
}

// TestSecondLook is about a host that looks some mailboxes up elsewhere, and has found one by the time that it is asked again, or gets there later: that
// is no reason to ask it less.
func TestSecondLook(t *testing.T) {
	for name, tt := range map[string]struct {
		slow   int
		second time.Duration
	}{
		"quick":      {1, time.Millisecond},
		"takes long": {3, 15 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			list := mailboxes(400, func(int) bool { return false }, "a.example")
			var seen sync.Map
			host := &peer{greet: greeting, wait: func(v *visit, m string) time.Duration {
				i := slices.Index(list, m)
				_, again := seen.Load(m)
				if i%30 != 14 || i > 30*tt.slow || !again && v.named == 0 {
					return working(v, m)
				}
				if !again {
					seen.Store(m, true)
					return time.Minute
				}
				return tt.second
			}}
			found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, host, list)
			checkTruth(t, found)
			if n := len(host.visits); n > 4+2*tt.slow {
				t.Errorf("%d sessions", n)
			}
		})
	}
}

// TestHostAlwaysLeavesOutReplies is about one that leaves out every so many recipients' in each transaction, and names nobody: all are asked about until
// they have their answer, and soon in transactions in which none is left out.
func TestHostAlwaysLeavesOutReplies(t *testing.T) {
	for _, tt := range []struct {
		every, visits int
	}{{2, 200}, {5, 30}} {
		host := &peer{greet: greeting, wait: working, rcpt: func(v *visit, m string) string {
			switch {
			case v.here%tt.every == tt.every-1:
				return skips
			case strings.HasPrefix(m, "bad"):
				return "550 5.1.1 no such user"
			}
			return ""
		}}
		found, _ := crowd(t, smtpprobe.Config{MaxSessionsPerHost: 1}, host, mailboxes(80, func(i int) bool { return i%4 == 0 }, "a.example", "b.example"))
		for m, f := range found { // a control may be left out whenever it is named
			if last := (told{found: f}).last(); last.Target == nil || (last.Target.Code == 250) != strings.HasPrefix(m, "good") {
				t.Errorf("every %d: %s: found %s", tt.every, m, summaries(f))
			}
		}
		if n := len(host.visits); n > tt.visits {
			t.Errorf("every %d: %d sessions", tt.every, n)
		}
	}
}
