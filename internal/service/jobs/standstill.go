package jobs

import (
	"fmt"
	"time"
)

// Whatever fails or hangs, lists go on: each step of the manager is bounded. If
// one takes much longer all the same, the node says so and is no longer
// announced, so that others take its batches. If it is a run that does not end,
// its job goes on without it.

// Fault returns why this node does not work on jobs although its database is
// there; nil: it does. The node is no longer announced then, and others take
// its batches.
func (m *Manager) Fault() error {
	now := time.Now()
	m.mu.Lock()
	turned := m.turned
	m.mu.Unlock()
	committing := m.settler.since()
	switch {
	case !turned.IsZero() && now.Sub(turned) >= m.standstill():
		return fmt.Errorf("jobs stand still since %v", turned.UTC().Format(time.RFC3339))
	case !committing.IsZero() && now.Sub(committing) >= m.standstill():
		return fmt.Errorf("results of jobs are on their way to the database since %v",
			committing.UTC().Format(time.RFC3339))
	}
	return nil
}

// standstill is after how much time without a step something stands still.
// Each step is bounded by less.
func (m *Manager) standstill() time.Duration { return max(leastStandstill, m.config.Lease) }

const leastStandstill = 30 * time.Second

// turn notes that the schedule goes on.
func (m *Manager) turn(at time.Time) {
	m.mu.Lock()
	m.turned = at
	m.mu.Unlock()
}

// stuck reports whether the run was told to stop long ago, and verifications of
// it still have not ended.
func (r *run) stuck(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.told.IsZero() && !r.over && now.Sub(r.told) >= r.manager.standstill()
}

// abandonStuck forgets runs that do not end, so that their jobs go on without
// them: what they had is given back, and what they bring is not counted.
func (m *Manager) abandonStuck() {
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.runs {
		if r.stuck(now) {
			m.config.Log.Error("verifications of a job do not end: its addresses are asked about again",
				"job", r.job.ID)
			m.remove(r)
			m.doubted[r.job.ID] = true
		}
	}
}
