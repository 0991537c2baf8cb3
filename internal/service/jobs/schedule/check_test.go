package schedule_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/rcpt/rcpt/internal/service/jobs/schedule"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

const (
	// stopsWithin is how long a node takes to end, whatever happens.
	stopsWithin = 7 * time.Second
	// stuckWithin is how long a run is waited for whose verifications do not
	// end.
	stuckWithin = 31 * time.Second
	// calmWithin is after how much time without a disturbance all is as if
	// there had been none.
	calmWithin = 40 * time.Second
)

// check holds what a node does against what is promised, after each event.
func (n *simNode) check() {
	if err := n.plan.Verify(); err != nil {
		n.fail("%s: %v", n.id, err)
	}
	for _, r := range n.runs {
		held := 0
		for _, b := range r.open {
			held += len(b.leftOver())/3 + (len(b.results)+len(b.later))/3
		}
		n.checkSettled(r)
		n.checkDelay(r)
		if held > 200 {
			n.fail("%s has %d addresses of %s, its window is 200", n.id, held, r.list.spec.id)
		}
		if !r.told.IsZero() && !r.ended && n.time.Sub(r.told) > stuckWithin && n.fair(calmWithin, none) {
			n.fail("%s waits for verifications that do not end", n.id)
		}
	}
	n.checkKnown()
	n.checkLoad()
	if !n.shut.IsZero() && n.time.Sub(n.shut) > stopsWithin {
		n.fail("%s has not ended", n.id)
	}
}

// checkSettled: an outcome is on its way to the store soon, if nothing disturbs
// that.
func (n *simNode) checkSettled(r *simRun) {
	if !n.fair(calmWithin, none) {
		return
	}
	for _, b := range r.open {
		if len(b.results)+len(b.later) > 0 && n.time.Sub(b.since) > 400*time.Millisecond {
			n.fail("%s has had outcomes of batch %d of %s since %v", n.id, b.ID, r.list.spec.id, b.since.Sub(epoch))
		}
	}
}

// checkDelay: while the calls for one list fail, the outcomes of others are
// stored.
func (n *simNode) checkDelay(r *simRun) {
	if r.list.spec.id == n.world.lists[0].id || !n.fair(calmWithin, poison) {
		return
	}
	tried := make(map[int64]bool) // batches with a settlement that failed together with those
	for id, s := range n.sent {
		if s.Batch.Job != r.list.spec.id {
			continue
		}
		if tried[s.Batch.ID] = true; n.time.Sub(s.at) > 20*time.Second {
			n.fail("%s tries to store settlement %d of %s since %v", n.id, id, r.list.spec.id, s.at.Sub(epoch))
		}
	}
	for _, b := range r.open {
		if len(b.results)+len(b.later) > 0 && n.time.Sub(b.since) > 3*time.Second && !tried[b.ID] {
			n.fail("%s has had outcomes of batch %d of %s since %v", n.id, b.ID, r.list.spec.id, b.since.Sub(epoch))
		}
	}
}

// checkLoad: what a node has is bounded, and it finds out soon what it has.
func (n *simNode) checkLoad() {
	l := n.plan.Load()
	owners := make(map[string]bool)
	for _, one := range n.lists {
		owners[one.owner] = true
	}
	if most := 2*n.sim.runs + len(owners) - 1; l.Runs > most {
		n.fail("%s has %d runs", n.id, l.Runs)
	}
	if l.Doubts == 0 {
		n.doubts = n.time
	}
	if n.time.Sub(n.doubts) > 5*time.Second && n.fair(calmWithin, none) {
		n.fail("%s does not find out what it has", n.id)
	}
}

// kind is what fails together: a call for a list, or a commit.
func kind(a schedule.Action) string { return fmt.Sprint(a.Do, " ", a.List.ID, " ", a.Run) }

// checkCall: the store is not asked too often while it fails, and not about new
// things when the node ends.
func (n *simNode) checkCall(a schedule.Action) {
	at, again := n.failed[kind(a)]
	if again && n.time.Sub(at) < 900*time.Millisecond && a.Do != schedule.Look && a.Do != schedule.Leave && a.Do != schedule.Join {
		n.fail("%s calls again %v after a failure: %s", n.id, n.time.Sub(at), describe(a))
	}
	if (a.Do == schedule.Ask || a.Do == schedule.Free) && n.time.Equal(n.broke) {
		n.fail("%s goes on with %s, after the call before it failed", n.id, describe(a))
	}
	switch a.Do {
	case schedule.Commit:
		for _, c := range n.calls {
			if c.action.Do == schedule.Leave {
				n.fail("%s leaves, and begins with %s", n.id, describe(a))
			}
		}
	case schedule.Free:
		n.checkFreed(a)
	case schedule.Leave:
		for _, c := range n.calls {
			if do := c.action.Do; (do == schedule.Commit || do == schedule.Join || do == schedule.LeaseBatches) && !n.aborted {
				n.fail("%s leaves, and lets a call go on: %s", n.id, describe(c.action))
			}
		}
		for id, s := range n.sent {
			if n.time.Sub(n.shut) < 5*time.Second {
				n.fail("%s leaves before settlement %d of %s is stored", n.id, id, s.Batch.Job)
			}
		}
	case schedule.Join:
		for _, c := range n.calls {
			if c.action.Do != schedule.Join && n.time.Sub(c.began) >= max(30*time.Second, n.lease) {
				n.fail("%s says that it is alive, and a call has not come back since %v", n.id, c.began.Sub(epoch))
			}
		}
		fallthrough
	default:
		if !n.shut.IsZero() {
			n.fail("%s ends, and begins with %s", n.id, describe(a))
		}
	}
}

// checkTold: the log has each kind of failure once a minute.
func (n *simNode) checkTold(a schedule.Action) {
	if at, is := n.told[a.News]; is && n.time.Sub(at) < time.Minute && a.News != schedule.RunStuck {
		n.fail("%s tells %d again after %v", n.id, a.News, n.time.Sub(at))
	}
	n.told[a.News] = n.time
}

// checkFreed: a node does not give back by doubt what it works on.
func (n *simNode) checkFreed(a schedule.Action) {
	for _, r := range n.runs {
		for l := range r.open {
			if r.list.spec.id == a.List.ID && !slices.Contains(a.Held, l) {
				n.fail("%s gives back batch %d, on which it works", n.id, l.ID)
			}
		}
	}
}

// checkEnded: a node ends in time, and at once if nothing keeps it.
func (n *simNode) checkEnded() {
	most := stopsWithin
	if n.fair(calmWithin, none) && !slices.ContainsFunc(n.lists, func(l listSpec) bool { return l.stuck > 0 }) {
		most = time.Second
	}
	if took := n.time.Sub(n.shut); took > most {
		n.fail("%s took %v to end", n.id, took)
	}
}

// checkKnown: a node knows what the store has for it, as long as it lives. So
// it is settled or given back.
func (n *simNode) checkKnown() {
	if !n.shut.IsZero() {
		return
	}
	for _, l := range n.store.lists {
		if l.deleted || l.State.Ended() {
			continue
		}
		for _, b := range l.batches {
			if b.node == n.id && !n.plan.Knows(l.ID, schedule.Lease{ID: b.ID, Claim: b.Claim}) {
				n.fail("%s does not know that it has batch %d of %s", n.id, b.ID, l.ID)
			}
		}
	}
}

// mayAsk sees that an address may be asked about now.
func (n *simNode) mayAsk(r *simRun, a simAddress, cell int, answers byte) {
	t := r.list
	if answers == 0 {
		t.asked[cell]++
	}
	if !n.disturbed && t.spec.stuck == 0 && t.asked[cell] > 1 {
		n.fail("address %d of %s is asked about twice", cell, t.spec.id)
	}
	if !t.stopped.IsZero() && n.time.Sub(t.stopped) > 2*time.Second && n.fair(calmWithin, none) {
		n.fail("%s asks about %s, which was stopped at %v", n.id, t.spec.id, t.stopped.Sub(epoch))
	}
	if n.is(offline, n) && n.lasts(offline) > time.Second && n.time.After(n.thawed) {
		n.fail("%s asks although its network does not work", n.id)
	}
	if a.batch.lost {
		n.fail("%s asks about batch %d of %s, of which it knows that others have it", n.id, a.batch.ID, t.spec.id)
	}
	l := n.store.of[t.spec.id]
	if l.State.Ended() && n.time.Sub(l.Finished) < 2*time.Second {
		return
	}
	b := l.batch(a.batch.ID)
	stray := b == nil || b.node != n.id || b.Claim != a.batch.lease.Claim
	if stray && n.fair(calmWithin, none) && t.stopped.IsZero() {
		n.fail("%s asks about an address of batch %d of %s, which it does not have", n.id, a.batch.ID, t.spec.id)
	}
	if at := n.store.nodes[n.id].alive; !at.IsZero() && n.time.Sub(at) > time.Second && n.time.Sub(n.thawed) > time.Second {
		n.fail("%s asks although the store has not heard it since its lease ended at %v", n.id, at.Sub(epoch))
	}
}

// lasts is for how long there has been a kind of weather.
func (n *simNode) lasts(what weather) (d time.Duration) {
	since := n.time.Sub(epoch)
	for _, w := range n.weather {
		if w.what == what && (w.node < 0 || w.node == n.number) && w.from <= since && since < w.to {
			d = max(d, since-w.from)
		}
	}
	return d
}

// checkDone: each list that was not ended is done, and each of its addresses
// has one result.
func (s *sim) checkDone() {
	for _, spec := range s.lists {
		l, t := s.store.of[spec.id], s.tracks[spec.id]
		if l == nil || l.deleted || l.State == rows.JobCancelled || l.State == rows.JobFailed && spec.damaged {
			continue
		}
		if l.State != rows.JobDone {
			s.fail("%s is %s at the end, %d of %d are done", spec.id, l.State, l.Done, l.Addresses)
			return
		}
		for cell, n := range t.settled {
			if n != 1 {
				s.fail("address %d of %s has %d results", cell, spec.id, n)
			}
		}
	}
}

// checkIdle: no node has anything when nothing is left to do.
func (s *sim) checkIdle() {
	for _, n := range s.nodes {
		if n.alive && n.plan.Load() != (schedule.Load{}) {
			s.fail("%s has %+v, and nothing is left to do", n.id, n.plan.Load())
		}
		if n.alive && !n.done && !s.store.isAlive(n.id) {
			s.fail("%s is not announced", n.id)
		}
	}
}

// checkLeft: nodes that have ended have nothing.
func (s *sim) checkLeft() {
	for _, n := range s.nodes {
		if n.alive && !n.done {
			s.fail("%s has not ended", n.id)
		}
	}
	for _, l := range s.store.lists {
		for _, b := range l.batches {
			if b.node != "" && !l.deleted && !l.State.Ended() {
				s.fail("batch %d of %s belongs to %s, which has ended", b.ID, l.ID, b.node)
			}
		}
	}
	if len(s.store.nodes) > 0 && !s.disturbed && len(s.weather) == 0 {
		s.fail("nodes that have ended are announced")
	}
}
