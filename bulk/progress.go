package bulk

import (
	"maps"
	"time"

	"github.com/rcpt/rcpt"
)

// Progress is the progress of a run.
type Progress struct {
	Read     int64 // items
	Done     int64 // items with their final result, whether it is written already or waits for its turn
	Recalled int64 // of Done: from the journal
	Waiting  int64 // addresses that wait for a retry
	// HeldBack are the addresses that were put aside because their provider is
	// asked as much as it may be, by its pacing name, and ByDomain those that
	// are planned or in progress.
	HeldBack, ByDomain map[string]int64
	// NextRetry and LastRetry are the times until the first and the last
	// address of Waiting is asked again; zero if none waits, or at once.
	NextRetry, LastRetry time.Duration
	Verdicts             map[rcpt.Verdict]int64 // of the items that are done
	Elapsed              time.Duration
	// Exhausted is set when nothing more is read, so that Read is the total.
	Exhausted bool
}

func (r *run) report() {
	if r.options.Progress == nil {
		return
	}
	now := r.now()
	p := Progress{
		Read: r.tally.read, Done: r.tally.done, Recalled: r.tally.recalled,
		Verdicts: maps.Clone(r.tally.verdicts), ByDomain: r.plan.ByDomain(),
		Elapsed: now, Exhausted: r.exhausted,
	}
	r.countWaits(&p, now)
	r.options.Progress(p)
}

// countWaits counts the tasks that wait: those that are held back apart, and
// those that only wait for our own network not at all.
func (r *run) countWaits(p *Progress, now time.Duration) {
	p.HeldBack = make(map[string]int64)
	var first, last time.Duration
	r.waits.Each(func(t *task, due time.Duration) {
		switch {
		case t.heldFor > 0:
			p.HeldBack[r.providers[t.heldFor-1]]++
		case !t.offline:
			if p.Waiting++; p.Waiting == 1 {
				first = due
			}
			first, last = min(first, due), max(last, due)
		}
	})
	if p.Waiting > 0 {
		p.NextRetry, p.LastRetry = max(0, first-now), max(0, last-now)
	}
}
