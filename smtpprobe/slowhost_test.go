package smtpprobe_test

import (
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
)

// slowly is a host without PIPELINING that takes a while over each command, and
// notes when its sessions begin and end.
type slowly struct {
	peer
	began, ended []time.Time
}

func newSlowly(takes time.Duration) *slowly {
	h := &slowly{}
	h.keywords = "SIZE"
	note := func(times *[]time.Time) {
		h.mu.Lock()
		defer h.mu.Unlock()
		*times = append(*times, time.Now())
	}
	h.greet = func(*visit) string {
		note(&h.began)
		time.Sleep(takes)
		return "220 mx"
	}
	h.other = func(_ *visit, command string) string {
		if command == "QUIT" {
			note(&h.ended)
		}
		time.Sleep(takes)
		return ""
	}
	h.wait = func(*visit, string) time.Duration { return takes }
	return h
}

// TestWindowIsUsedAsItGrows sees that a host which has shown that it takes more
// sessions gets them at once, and not when one of the first has ended.
func TestWindowIsUsedAsItGrows(t *testing.T) {
	host := newSlowly(2 * time.Second)
	crowd(t, smtpprobe.Config{}, host, mailboxes(60, none, "a.example"))
	const first = 4
	if len(host.began) <= first || !host.began[first].Before(host.ended[0]) {
		t.Errorf("%d sessions, the fifth after the end of the first", len(host.began))
	}
}

// TestSlowHostsJobsAreSpread sees that the mailboxes of a host which takes long
// over each are spread over the sessions that it may have.
func TestSlowHostsJobsAreSpread(t *testing.T) {
	host := newSlowly(50 * time.Millisecond)
	inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		b.ask(b.Context(), about("good@a.example")) // shows how long it takes
		start := time.Now()
		b.checkAnswered(b.askTogether(b.Context(), aboutAll(mailboxes(40, none, "a.example"))))
		if took := time.Since(start); took > 1400*time.Millisecond {
			t.Errorf("took %v in %d sessions", took, len(host.began))
		} else {
			t.Logf("took %v in %d sessions", took, len(host.began))
		}
	})
}

func none(int) bool { return false }
