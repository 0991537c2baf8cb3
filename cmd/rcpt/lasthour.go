package main

import (
	"time"

	"github.com/rcpt/rcpt/engine"
)

// hour counts the verifications of the last sixty minutes, the present one included.
type hour struct{ minutes [60]minute }

type minute struct {
	number  int64 // since 1970
	checked int64
	unknown map[engine.Reason]int64
}

func (h *hour) add(now time.Time, verdict engine.Verdict, reason engine.Reason) {
	number := now.Unix() / 60
	m := &h.minutes[number%int64(len(h.minutes))]
	if m.number != number {
		*m = minute{number: number, unknown: make(map[engine.Reason]int64)}
	}
	m.checked++
	if verdict == engine.Unknown {
		m.unknown[reason]++
	}
}

// sum returns how many were verified, how many of them are unknown, and the reason that most of these have.
func (h *hour) sum(now time.Time) (checked, unknown int64, mostly engine.Reason) {
	number := now.Unix() / 60
	reasons := make(map[engine.Reason]int64)
	for _, m := range h.minutes {
		if m.number <= number-int64(len(h.minutes)) {
			continue
		}
		checked += m.checked
		for reason, n := range m.unknown {
			unknown += n
			reasons[reason] += n
		}
	}
	for _, reason := range byCount(reasons)[:min(1, len(reasons))] {
		mostly = reason
	}
	return checked, unknown, mostly
}

// lastHour is what was verified in the last hour.
func (w *watcher) lastHour() (checked, unknown int64, mostly engine.Reason) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hour.sum(time.Now())
}
