package smtpprobe_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
)

// TestListsTakeTurns has a small list of mailboxes of a domain wait behind
// thousands of another list.
func TestListsTakeTurns(t *testing.T) {
	host := &peer{wait: func(*visit, string) time.Duration { return 50 * time.Millisecond }}
	var requests []smtpprobe.Request
	ask := func(list *int, count int) {
		for i := range count {
			req := about(fmt.Sprintf("good%d-%d@giant.example", count, i))
			req.Queued, req.Budget, req.List = func(bool) {}, time.Hour, list
			requests = append(requests, req)
		}
	}
	const large, small = 4000, 20
	ask(new(int), large)
	ask(new(int), small)
	inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
		var all, last time.Duration
		answers := b.askTogether(b.Context(), requests)
		b.checkAnswered(answers)
		for i, r := range answers {
			if all = max(all, r.took); i >= large {
				last = max(last, r.took)
			}
		}
		b.Logf("the small list after %v, of %v in all", last, all)
		if last > all/4 {
			b.Errorf("the small list was answered after %v, of %v in all", last, all)
		}
	})
}

// TestDomainsOfAHostTakeTurns has a domain with thousands of mailboxes, and
// many that come later with one each, at a mail host that they share.
func TestDomainsOfAHostTakeTurns(t *testing.T) {
	for _, name := range []string{"mx.hoster.test", "aspmx.l.google.com"} {
		host := &peer{wait: func(*visit, string) time.Duration { return 50 * time.Millisecond }}
		var requests []smtpprobe.Request
		ask := func(mailbox string) {
			req := about(mailbox)
			req.Hosts[0].Name, req.Queued, req.Budget = name, func(bool) {}, time.Hour
			requests = append(requests, req)
		}
		const giants, small = 4000, 50
		for i := range giants {
			ask(fmt.Sprintf("good%d@giant.example", i))
		}
		for i := range small {
			ask(fmt.Sprintf("good@small%d.example", i))
		}
		inBubble(t, smtpprobe.Config{}, one(host), func(b *bubble) {
			var all, last time.Duration
			answers := b.askTogether(b.Context(), requests)
			b.checkAnswered(answers)
			for i, r := range answers {
				if all = max(all, r.took); i >= giants {
					last = max(last, r.took)
				}
			}
			b.Logf("%s: the last small domain after %v, of %v in all", name, last, all)
			if last > all/4 {
				b.Errorf("%s: the last small domain was answered after %v, of %v in all", name, last, all)
			}
		})
		if n := len(host.asked()); n > (giants+small)*12/10 {
			t.Errorf("%s: %d recipients for %d mailboxes", name, n, giants+small)
		}
	}
}
