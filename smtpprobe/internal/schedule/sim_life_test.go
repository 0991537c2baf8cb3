package schedule

import (
	"cmp"
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// planner is a State, or one that a test has falsified.
type planner interface {
	Handle(now time.Time, e Event) []Action
	Next() time.Time
	Verify() error
	Stats() Stats
}

// life is a world in simulated time.
type life struct {
	world    world
	plan     planner
	r        *rand.Rand
	now      time.Time
	due      dueEvents
	order    int
	jobs     map[JobID]*simJob
	sessions map[SessionID]*simSession
	clients  map[clientKey]*simClient
	given    map[JobID]Result
	singles  map[int]int // single checks that no session has had yet, by host
	shut     bool
	removed  bool // egresses
	fault    error
	trace    func(format string, args ...any) // nil: none is kept
	figures
}

// figures is what a life costs.
type figures struct {
	events, connections, runs, rcpt, accepted, dead, unproven int
}

func (f *figures) add(o figures) {
	f.events += o.events
	f.connections += o.connections
	f.runs += o.runs
	f.rcpt += o.rcpt
	f.accepted += o.accepted
	f.dead += o.dead
	f.unproven += o.unproven
}

// simPhase is what a session does, as seen from outside.
type simPhase int

const (
	simOpening simPhase = iota
	simIdle
	simBusy
	simEnding
)

type simSession struct {
	id                           SessionID
	host                         int
	egress                       EgressID
	phase                        simPhase
	transactions, named, refused int
	aborted                      bool
	run                          Action
}

// clientKey is by whom a host knows us.
type clientKey struct {
	host   int
	egress EgressID
}

// simClient is what a host knows of us, and what we may know of it.
type simClient struct {
	refused  int
	grey     map[string]bool
	heard    int            // recipients, in all
	accepted int            // the number of the last whom it accepted; 0: none
	targets  map[string]int // by mailbox: the number under which it was last refused
	restless time.Time      // the host is left alone until then
}

func (l *life) client(x *simSession) *simClient {
	key := clientKey{x.host, x.egress}
	if l.clients[key] == nil {
		l.clients[key] = &simClient{grey: map[string]bool{}, targets: map[string]int{}}
	}
	return l.clients[key]
}

// live has a world happen, and returns what it cost, or what was wrong.
func live(w world, falsify func(planner) planner, trace func(string, ...any)) (figures, error) {
	l := &life{
		world: w, plan: New(w.config, w.egresses, nil), r: rand.New(rand.NewPCG(w.seed, 2)), now: start,
		jobs: map[JobID]*simJob{}, sessions: map[SessionID]*simSession{}, clients: map[clientKey]*simClient{},
		given: map[JobID]Result{}, singles: map[int]int{}, trace: trace,
	}
	if falsify != nil {
		l.plan = falsify(l.plan)
	}
	for _, batch := range batches(w.jobs) {
		arrive := Arrive{}
		for i := range batch {
			l.jobs[batch[i].ID] = &batch[i]
			arrive.Jobs = append(arrive.Jobs, batch[i].Job)
		}
		l.later(batch[0].at, arrive)
	}
	for _, f := range w.faults {
		l.later(f.at, f.event)
	}
	for l.fault == nil && l.step() {
	}
	if l.fault == nil {
		l.checkEnd()
	}
	return l.figures, l.fault
}

// batches are the jobs that arrive together.
func batches(jobs []simJob) (all [][]simJob) {
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b simJob) int { return cmp.Compare(a.batch, b.batch) })
	for len(jobs) > 0 {
		n := slices.IndexFunc(jobs, func(j simJob) bool { return j.batch != jobs[0].batch })
		if n < 0 {
			n = len(jobs)
		}
		all, jobs = append(all, jobs[:n]), jobs[n:]
	}
	return all
}

func (l *life) later(in time.Duration, e Event) {
	l.order++
	heap.Push(&l.due, dueEvent{l.now.Add(in), l.order, e})
}

// step makes the next event happen. It reports whether there was one.
func (l *life) step() bool {
	next := l.plan.Next()
	switch {
	case len(l.due) > 0 && (next.IsZero() || !next.Before(l.due[0].at)):
		d := heap.Pop(&l.due).(dueEvent)
		l.now = d.at
		if e, ok := l.happens(d.e); ok {
			l.tell(e)
		}
	case !next.IsZero():
		l.now = next
		l.tell(Tick{})
	default:
		return false
	}
	if l.events > 200_000 {
		l.wrong("it has no end")
	}
	return true
}

// happens is what becomes of an event that was due, as its session may have
// been ended meanwhile.
func (l *life) happens(e Event) (Event, bool) {
	switch e := e.(type) {
	case Arrive:
		for _, j := range e.Jobs {
			l.comes(l.jobs[j.ID])
		}
	case Opened:
		x := l.sessions[e.Session]
		if x.aborted {
			return l.happens(NotOpened{Session: e.Session, Failure: smtp.KindCancelled, Phase: smtp.PhaseGreeting})
		}
		x.phase = simIdle
	case NotOpened:
		l.ends(l.sessions[e.Session], 0)
		l.noteUnanswered(l.sessions[e.Session], &e)
	case Settled:
		x := l.sessions[e.Session]
		if x.phase = simIdle; x.aborted {
			e.Outcome.Trouble, e.Outcome.Ended = belief.CutOff, true
		}
		if e.Outcome.Ended {
			l.ends(x, time.Duration(l.r.IntN(30))*time.Millisecond)
		}
		l.noteSaid(x, &e.Outcome)
		return e, true
	case Lost:
		x := l.sessions[e.Session]
		if x == nil || x.phase != simIdle {
			return e, false
		}
		l.ends(x, 0)
	case Closed:
		delete(l.sessions, e.Session)
	case SetEgresses:
		l.removed = true
	case Shut:
		l.shut = true
	}
	return e, true
}

// comes notes that a job waits that no session has had yet.
func (l *life) comes(j *simJob) {
	if j.fresh = true; j.Caller == 0 {
		l.singles[j.host]++
	}
}

// taken notes that a session has a job, or that it is answered.
func (l *life) taken(id JobID) {
	j := l.jobs[id]
	if j.fresh && j.Caller == 0 {
		l.singles[j.host]--
	}
	j.fresh = false
}

func (l *life) ends(x *simSession, in time.Duration) {
	x.phase = simEnding
	l.later(in, Closed{x.id})
}

// tell tells the plan of an event, and carries out what it wants.
func (l *life) tell(e Event) {
	l.events++
	if l.trace != nil {
		l.trace("%v %T %+v", l.now.Sub(start), e, e)
	}
	for _, a := range l.plan.Handle(l.now, e) {
		if l.trace != nil {
			l.trace("    do %d: session %d at %v for %d, targets %v, proof %q, controls %v, job %d, result %d",
				a.Do, a.Session, a.Addr, a.For, a.Targets, a.Proof, a.Controls, a.Job, a.Result)
		}
		if l.check(a); l.fault != nil {
			return
		}
		l.act(a)
	}
	if l.events%4 == 0 {
		if err := l.plan.Verify(); err != nil {
			l.wrong("%v", err)
		}
	}
}

func (l *life) wrong(format string, args ...any) {
	if l.fault == nil {
		l.fault = fmt.Errorf(format, args...)
	}
}

// act carries an action out.
func (l *life) act(a Action) {
	x := l.sessions[a.Session]
	switch a.Do {
	case Open:
		x = &simSession{id: a.Session, host: int(a.Addr.Addr().As4()[2]), egress: a.Egress}
		l.sessions[a.Session] = x
		l.taken(a.For)
		l.connections++
		if e, ok := l.opens(x); !ok {
			l.later(time.Duration(1+l.r.IntN(200))*time.Millisecond, e)
			return
		}
		l.later(time.Duration(1+l.r.IntN(200))*time.Millisecond, Opened{Session: a.Session, UTF8: x.id%2 == 0, TLS: true})
	case Run:
		x.phase, x.run = simBusy, a
		for _, id := range a.Targets {
			l.taken(id)
		}
		o := l.converse(x, a)
		l.runs++
		l.rcpt += len(o.Named)
		l.later(o.Took+time.Millisecond, Settled{Session: a.Session, Outcome: o, Account: x.host})
		if l.world.hosts[x.host].kind == endsIdle {
			l.later(o.Took+time.Second, Lost{a.Session})
		}
	case Quit:
		l.ends(x, time.Duration(l.r.IntN(100))*time.Millisecond)
	case Abort:
		x.aborted = true
	case Answer:
		l.given[a.Job] = a.Result
		l.taken(a.Job)
	}
}
