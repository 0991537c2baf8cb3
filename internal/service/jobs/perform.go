package jobs

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/internal/service/jobs/schedule"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

const (
	// commitTimeout bounds a commit.
	commitTimeout = 15 * time.Second
	// leaveTimeout bounds the last thing that a node does with the store.
	leaveTimeout = 2 * time.Second
)

// callContexts end the calls to the store. Looking is for calls that begin
// something: it ends when the node is told to end. Settling is for the others:
// it ends with the node.
type callContexts struct {
	looking, settling context.Context
	abort             context.CancelFunc // of both
}

func newCallContexts(ctx context.Context) callContexts {
	settling, abort := context.WithCancel(context.WithoutCancel(ctx))
	looking, stop := context.WithCancel(ctx)
	return callContexts{looking: looking, settling: settling, abort: func() { stop(); abort() }}
}

// perform does what the plan says. It takes no time: what does, goes on by
// itself. The caller has locked m.mu.
func (m *Manager) perform(a schedule.Action) {
	r := m.runs[a.Run]
	switch a.Do {
	case schedule.Begin:
		m.beginRun(a)
	case schedule.Feed:
		r.feed(a.Lease)
	case schedule.Room:
		r.room.Store(int64(a.Room))
	case schedule.Finish:
		r.finished = true
		r.signal()
	case schedule.Cancel:
		r.ready = nil
		r.cancel()
	case schedule.Drop:
		r.drop(a.Lease)
	case schedule.Gone:
		delete(m.runs, a.Run)
		r.cancel()
		close(r.gone)
	case schedule.Abort:
		m.calls.abort()
	case schedule.Tell:
		m.tell(a)
	case schedule.Done:
		close(m.done)
	default:
		m.call(a, r)
	}
}

// call calls the store, and tells the plan what has come of it.
func (m *Manager) call(a schedule.Action, r *run) {
	var returns func() returned
	switch a.Do {
	case schedule.Look:
		working := m.working()
		returns = func() returned { return m.look(m.calls.looking, working) }
	case schedule.Ask:
		returns = func() returned { return m.nextBatch(m.calls.looking, a.List.ID) }
	case schedule.Join:
		returns = func() returned { return failed(m.Join(m.calls.looking)) }
	case schedule.Free:
		held := claimsOf(a.Held)
		returns = func() returned {
			return failed(m.config.Store.FreeBatches(m.calls.looking, m.node, a.List.ID, held))
		}
	case schedule.LeaseBatches:
		returns = func() returned { return r.lease(a.Query) }
	case schedule.Commit:
		some := m.snapshot(a.Settle)
		returns = func() returned { return m.commit(some) }
	case schedule.Leave:
		returns = m.leave
	}
	m.works.Go(func() {
		got := returns()
		got.Call = a.Call
		m.mu.Lock()
		defer m.mu.Unlock()
		if got.take != nil {
			got.take()
		}
		m.happened(got.Returned)
	})
}

// returned is what has come of a call.
type returned struct {
	schedule.Returned
	take func() // called with m.mu locked, before the plan is told of the call; may be nil
}

func failed(err error) returned { return returned{Returned: schedule.Returned{Err: err}} }

// claimsOf are claims by the IDs of their batches.
func claimsOf(held []schedule.Lease) map[int64]int64 {
	claims := make(map[int64]int64, len(held))
	for _, l := range held {
		claims[l.ID] = max(claims[l.ID], l.Claim)
	}
	return claims
}

// working are the jobs with a run.
func (m *Manager) working() (ids []string) {
	for _, r := range m.runs {
		ids = append(ids, r.job.ID)
	}
	return ids
}

// look reads which jobs may have something to ask.
func (m *Manager) look(ctx context.Context, working []string) (got returned) {
	paused, err := m.config.Store.PauseOrphans(ctx)
	if err != nil {
		return failed(err)
	}
	if paused > 0 {
		m.config.Log.Warn("jobs are paused: their keys were revoked or have expired", "jobs", paused)
	}
	jobs, err := m.config.Store.JobStates(ctx, working)
	if err != nil {
		return failed(err)
	}
	active := make(map[string]rows.Job, len(jobs))
	for _, j := range jobs {
		active[j.ID] = j
		got.Lists = append(got.Lists, schedule.List{ID: j.ID, Owner: j.Owner, Alone: j.Test()})
	}
	got.take = func() {
		m.active = active
		m.measure(jobs)
	}
	return got
}

// nextBatch asks when the first batch of a job is due.
func (m *Manager) nextBatch(ctx context.Context, job string) (got returned) {
	due, err := m.config.Store.NextBatch(ctx, job, m.config.Egress)
	if got.Err = err; err == nil && !due.IsZero() {
		got.Due = time.Now().Add(due.Sub(m.config.Now()))
	}
	return got
}

// leave gives back everything.
func (m *Manager) leave() returned {
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	return failed(m.config.Store.LeaveJobs(ctx, m.node))
}

// tell writes to the log.
func (m *Manager) tell(a schedule.Action) {
	log := m.config.Log
	switch a.News {
	case schedule.LooksFail:
		log.Error("jobs wait for the store", "error", a.Err)
	case schedule.NotAnnounced:
		log.Error("this node is no longer announced: others take its share of the jobs", "error", a.Err)
	case schedule.LeaseFails:
		log.Warn("no batches can be leased at the moment", "error", a.Err)
	case schedule.CommitFails:
		log.Error("results of jobs cannot be stored and wait in memory", "error", a.Err)
	case schedule.RunStuck:
		log.Error("verifications of a job do not end: its addresses are asked about again", "job", a.List.ID)
	case schedule.NotLeft:
		log.Warn("batches of jobs are not given back: other nodes take them when this one is given up for lost",
			"error", a.Err)
	}
}
