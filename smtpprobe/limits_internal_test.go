//go:build !plan

package smtpprobe

import (
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/transaction"
)

// TestRefusalsOfASession sees that sessions have eighteen refusals if a host is
// no slower behind ten, and else nine; and that a limit which was halved grows
// by one with eight sessions that used it up.
func TestRefusalsOfASession(t *testing.T) {
	l, now := newLimits(Config{}), time.Now()
	want := func(refused int, trial bool) {
		t.Helper()
		if l.refused.now != refused || l.trial() != trial {
			t.Errorf("a session may have %d refusals, trial %t; want %d, %t", l.refused.now, l.trial(), refused, trial)
		}
	}
	l.succeeded(use{refused: defaultRefused})
	want(defaultRefused, true)
	l.succeeded(use{refused: defaultRefused + 1})
	want(mostRefused, false)
	l.slowedDown(now)
	l.succeeded(use{refused: defaultRefused + 1})
	want(defaultRefused, false)
	l.hostile(use{refused: 4}, now)
	for range 2*successesToGrow - 1 {
		l.ended(use{usedUp: true})
	}
	l.ended(use{})
	want(3, false)
	l.ended(use{usedUp: true})
	want(4, false)

	h := &mailHost{limits: newLimits(Config{}), asked: 100, refused: 100}
	s := &session{mail: &transaction.Session{Refused: defaultRefused}}
	if n := h.untilRefused(s); n != 1 {
		t.Errorf("where all are refused, %d recipients show whether the host takes more, want 1", n)
	}
	l = newLimits(Config{Session: SessionCaps{Refused: 5}})
	l.succeeded(use{refused: 6})
	want(5, false)
}
