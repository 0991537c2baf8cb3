package smtpprobe

import (
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/dialogue"
)

// TestRefusalsOfASession sees which sessions show that a host takes more
// refusals: one that has tried it, and after a trouble eight that had no more
// room, although their last refusal was left over for a control.
func TestRefusalsOfASession(t *testing.T) {
	h := &mailHost{limits: newLimits(Config{}), waiting: []*job{{}}}
	used := func(refused int) *worker {
		return &worker{host: h, session: &session{Session: &dialogue.Session{Refused: refused, Transactions: 1}}}
	}
	end := func(w *worker, want int) {
		t.Helper()
		if w.learnLimits(); h.limits.refused.now != want {
			t.Errorf("a session may have %d refusals, want %d", h.limits.refused.now, want)
		}
	}
	end(used(defaultRefused), defaultRefused) // it has not tried

	first, second := used(defaultRefused), used(defaultRefused)
	first.tryMore()
	second.tryMore()
	if h.untilRefused(first.session) <= 0 || h.untilRefused(second.session) > 0 {
		t.Error("not the first alone may have more")
	}
	first.session.Refused = 2*defaultRefused - 1
	first.tryMore() // others have as many from now on
	first.session.Refused = 2*defaultRefused + 3
	h.limits.failed(first.use(nil), time.Now()) // too much for it, not for others
	first.troubled = true
	end(first, 2*defaultRefused)

	h.limits.turned(used(2*defaultRefused).use(nil), time.Now())
	for range successesToGrow - 1 {
		end(used(defaultRefused-1), defaultRefused)
	}
	end(used(0), defaultRefused) // it had room
	end(used(defaultRefused-1), defaultRefused+1)
}
