package soak

import (
	"slices"
	"sync"
	"time"

	"github.com/rcpt/rcpt"
)

// said is what a subject said about an address.
type said struct {
	verdict rcpt.Verdict
	reason  rcpt.Reason
	busy    bool // it was turned away
}

// tally counts what a subject said since it was last taken, and how long that
// took.
type tally struct {
	mu sync.Mutex
	counted
	all, unsettled int // since the beginning
}

type counted struct {
	verdicts map[rcpt.Verdict]int
	busy     int
	took     []time.Duration
}

// add takes an answer in, and holds it against the truth.
func (t *tally) add(address string, s said, took time.Duration, wrong *faults) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.verdicts == nil {
		t.verdicts = make(map[rcpt.Verdict]int)
	}
	t.all++
	t.took = append(t.took, took)
	if s.busy {
		t.busy++
		return
	}
	t.verdicts[s.verdict]++
	if unsettled(address, s.verdict, s.reason) {
		t.unsettled++
	}
	if err := Judge(address, s.verdict); err != nil {
		wrong.add("a wrong verdict: %w (%s)", err, s.reason)
	}
}

// take returns what was counted, and begins anew.
func (t *tally) take() counted {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := t.counted
	t.counted = counted{}
	slices.Sort(taken.took)
	return taken
}

// quantile of the times; zero where there are none.
func (c counted) quantile(q float64) time.Duration {
	if len(c.took) == 0 {
		return 0
	}
	return c.took[int(q*float64(len(c.took)-1))]
}

// maxUnsettled is the share of all answers that may be "unknown" although an
// honest host with a good DNS was asked: a soak in which nothing is ever said
// would be a quiet one.
const maxUnsettled = 0.02

// check sees that enough was said.
func (t *tally) check(name string, wrong *faults) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == 0 {
		wrong.add("%s has answered nothing", name)
	}
	if float64(t.unsettled) > maxUnsettled*float64(t.all) {
		wrong.add("%s could not tell about %d of %d mailboxes of honest hosts", name, t.unsettled, t.all)
	}
}
