package smtpprobe

import (
	"testing"
	"time"
)

// TestRefusalsGrowWhenUsedUp sees that sessions which had no room for another
// target count as used up, although their last refusal was left over: with the
// first trouble behind them, eight of them are worth one refusal more.
func TestRefusalsGrowWhenUsedUp(t *testing.T) {
	h := mailHost{limits: newLimits(Config{})}
	h.limits.turned(use{refused: 18, transactions: 1, recipients: 30}, time.Now())
	had := h.limits.refused.now
	s := &session{refused: had - 1, transactions: 1}
	if n := h.capacity(s); n > 0 {
		t.Fatalf("room for %d more", n)
	}
	for range successesToGrow {
		h.limits.ended(use{refused: s.refused})
	}
	if got := h.limits.refused.now; got != had+1 {
		t.Errorf("a session may have %d refusals, want %d", got, had+1)
	}
	s.refused = had - 1
	for range successesToGrow {
		h.limits.ended(use{refused: s.refused})
	}
	if got := h.limits.refused.now; got != had+1 {
		t.Errorf("a session that had room for more counted: %d refusals, want %d", got, had+1)
	}
}
