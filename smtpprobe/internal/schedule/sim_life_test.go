package schedule

import (
	"cmp"
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/pace"
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
	answered []*simSession

	egresses   []*simEgress
	routes     map[string][]string
	routing    int // how often they were set
	paces      map[paceKey]*simPace
	rules      map[int]*pace.Limits
	budgets    map[paceKey]int // recipients that were named on the first day
	greyed     map[int]greylisting
	controls   map[controlOf]time.Time
	complained map[string]bool  // providers
	callers    map[CallerID]int // jobs that have come and have no answer
	open       map[openOf]int
	ended      map[CallerID]bool // lists
	most       map[CallerID]int  // jobs of a list that may wait for a provider
	fault      error
	trace      func(format string, args ...any) // nil: none is kept
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
	client                       *simClient
	phase                        simPhase
	transactions, named, refused int
	aborted                      bool
	lacks                        bool // SMTPUTF8
	list                         bool // it has jobs of one, or had last
	proved                       bool // its last transaction named nothing but a proof
	misplaced                    bool // its replies were taken for others
	awaited                      int  // the event that ends what it does
	began                        time.Time
	opensFor                     JobID
	idleSince                    time.Time
	runs, refusals               int // as told
	run                          Action
	jobs                         []*simJob // that it has
}

// clientKey is by whom a host knows us.
type clientKey struct {
	host   int
	egress EgressID
}

// simClient is what a host knows of us, and what we may know of it.
type simClient struct {
	refused  int
	caught   bool // it was seen to refuse a mailbox that it had accepted: it refuses us for a day
	grey     map[string]bool
	heard    int             // recipients, in all
	accepted int             // the number of the last whom it accepted; 0: none
	targets  map[string]bool // that it was asked about, since it was not for an hour
	heardAt  time.Time
	restless time.Time       // the host is left alone until then
	blocked  time.Time       // the host blocks it until then
	each     time.Duration   // that it last took for a recipient
	slow     time.Time       // until then it is known to be slow behind refusals
	offered  time.Time       // SMTPUTF8, the last time
	lacked   int             // sessions that did not offer it to one who needs it
	proofs   []string        // the last targets that are known to be accepted
	ever     map[string]bool // all mailboxes that it accepted
	window   int             // sessions that it is to have, as it has put us off
	halved   time.Time
	failed   string // an extension on whose trial a session ended
	failedAt time.Time
}

func (l *life) client(x *simSession) *simClient {
	if x.client != nil {
		return x.client
	}
	key := clientKey{x.host, x.egress}
	if l.clients[key] == nil {
		l.clients[key] = &simClient{grey: map[string]bool{}, targets: map[string]bool{}, ever: map[string]bool{}}
	}
	x.client = l.clients[key]
	return x.client
}

// live has a world happen, and returns what it cost, or what was wrong.
func live(w world, falsify func(planner) planner, trace func(string, ...any)) (figures, error) {
	l := &life{
		world: w, plan: New(w.config, w.egresses, w.routes), r: rand.New(rand.NewPCG(w.seed, 2)), now: start,
		jobs: map[JobID]*simJob{}, sessions: map[SessionID]*simSession{}, clients: map[clientKey]*simClient{},
		given: map[JobID]Result{}, singles: map[int]int{}, trace: trace,
		paces: map[paceKey]*simPace{}, rules: map[int]*pace.Limits{}, budgets: map[paceKey]int{},
		greyed: map[int]greylisting{}, controls: map[controlOf]time.Time{}, complained: map[string]bool{},
		callers: map[CallerID]int{}, open: map[openOf]int{}, ended: map[CallerID]bool{}, most: map[CallerID]int{},
	}
	l.setEgresses(w.egresses, w.routes)
	for _, m := range w.config.Memory {
		l.complained[m.Provider] = l.complained[m.Provider] || !m.PausedUntil.IsZero()
		l.notePause(News{Provider: m.Provider, Egress: m.Egress, State: pace.State{Paused: pace.Blocked, PausedUntil: m.PausedUntil}})
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

// later has an event happen, and returns its number.
func (l *life) later(in time.Duration, e Event) int {
	l.order++
	heap.Push(&l.due, dueEvent{l.now.Add(in), l.order, e})
	return l.order
}

// step makes the next event happen. It reports whether there was one.
func (l *life) step() bool {
	next := l.plan.Next()
	switch {
	case len(l.due) > 0 && (next.IsZero() || !next.Before(l.due[0].at)):
		d := heap.Pop(&l.due).(dueEvent)
		l.now = d.at
		if e, ok := l.happens(d.e, d.order); ok {
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
func (l *life) happens(e Event, order int) (Event, bool) {
	switch e := e.(type) {
	case Arrive:
		for _, j := range e.Jobs {
			l.comes(l.jobs[j.ID])
		}
	case Opened:
		x := l.sessions[e.Session]
		if x == nil || x.awaited != order {
			return e, false
		}
		x.phase, x.idleSince = simIdle, l.now
		l.jobs[x.opensFor].session = nil
		if l.noteOpening(x, nil); e.UTF8 {
			l.client(x).offered = l.now
		}
	case NotOpened:
		x := l.sessions[e.Session]
		if x == nil || x.awaited != order {
			return e, false
		}
		l.ends(x, 0)
		l.noteOpening(x, &e)
		l.noteNotOpened(x, &e)
	case Settled:
		x := l.sessions[e.Session]
		if x == nil || x.awaited != order {
			return e, false
		}
		if x.phase, x.idleSince = simIdle, l.now; e.Outcome.Ended {
			l.ends(x, time.Duration(l.r.IntN(30))*time.Millisecond)
		}
		l.noteSaid(x, &e.Outcome)
	case Lost:
		x := l.sessions[e.Session]
		if x == nil || x.phase != simIdle {
			return e, false
		}
		l.ends(x, 0)
	case Closed:
		delete(l.sessions, e.Session)
		l.forgetEgresses()
	case SetEgresses:
		l.removed = true
		l.setEgresses(e.All, e.Routes)
	case CallerSet:
		l.most[e.ID] = e.Most
	case CallerEnds:
		l.ended[e.ID] = true
	case GiveUp:
		for _, id := range e.Jobs {
			if j := l.jobs[id]; j != nil {
				j.givenUp = true
			}
		}
	case Shut:
		l.shut = true
	}
	return e, true
}

// comes notes that a job waits that no session has had yet.
func (l *life) comes(j *simJob) {
	j.came = l.now
	l.counts(j, 1)
	l.noteWay(j)
	if j.fresh = true; j.Caller == 0 {
		l.singles[j.host]++
	}
}

// openOf names jobs that have no answer: single checks at a host, or all at a
// provider.
type openOf struct {
	host     int
	provider string
}

func (l *life) counts(j *simJob, n int) {
	l.callers[j.Caller] += n
	l.open[openOf{provider: l.providerOf(j.host)}] += n
	if j.Caller == 0 {
		l.open[openOf{host: j.host}] += n
	}
}

// leave notes that a job has its answer. A list without jobs is forgotten.
func (l *life) leave(j *simJob) {
	if j.session != nil {
		l.answered = append(l.answered, j.session)
	}
	if l.counts(j, -1); l.callers[j.Caller] == 0 {
		delete(l.ended, j.Caller)
		delete(l.most, j.Caller)
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
	l.checkSessions()
	l.checkWaiting()
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
		l.begin(a)
	case Run:
		l.run(x, a)
	case Quit:
		l.ends(x, time.Duration(l.r.IntN(100))*time.Millisecond)
	case Abort:
		l.abort(x)
	case Answer:
		l.given[a.Job] = a.Result
		l.leave(l.jobs[a.Job])
		l.taken(a.Job)
		l.askAgain(a)
	}
}

func (l *life) begin(a Action) {
	x := &simSession{id: a.Session, host: hostOf(a.Addr), egress: a.Egress, began: l.now, opensFor: a.For}
	l.sessions[a.Session] = x
	l.taken(a.For)
	j := l.jobs[a.For]
	x.jobs, j.session, x.list = append(x.jobs, j), x, j.Caller != 0
	l.connections++
	e, after, ok := l.opens(x, a)
	if !ok {
		x.awaited = l.later(after, e)
		return
	}
	x.awaited = l.later(after, Opened{Session: a.Session, UTF8: l.offersUTF8(x), TLS: true})
}

func (l *life) run(x *simSession, a Action) {
	x.phase, x.run = simBusy, a
	c := l.client(x)
	if lasts := map[bool]time.Duration{false: limitsLast, true: hostileLasts}[c.caught]; l.now.Sub(c.heardAt) > lasts {
		clear(c.targets)
		c.refused, c.proofs, c.caught = 0, nil, false // the host forgets, too
	}
	c.heardAt = l.now
	if len(a.Targets) > 0 {
		x.jobs = x.jobs[:0]
		x.list = l.jobs[a.Targets[0]].Caller != 0
	}
	x.proved = len(a.Targets) == 0
	for _, j := range x.jobs {
		j.proves = true
	}
	for _, id := range a.Targets {
		l.taken(id)
		j := l.jobs[id]
		x.jobs, j.session, j.proves = append(x.jobs, j), x, false
		j.asked++
	}
	x.runs++
	o := l.converse(x, a)
	l.runs++
	l.rcpt += len(o.Named) + o.Repeated
	x.awaited = l.later(o.Took+time.Millisecond, Settled{Session: a.Session, Outcome: o, Account: account{host: x.host, hurried: o.Hurried}})
	if l.world.hosts[x.host].kind == endsIdle {
		l.later(o.Took+time.Second, Lost{a.Session})
	}
}

// abort ends a session whatever it does. What is under way ends soon, without
// what the host has not said yet.
func (l *life) abort(x *simSession) {
	after := time.Duration(l.r.IntN(10)) * time.Millisecond
	if x.phase == simOpening {
		e := NotOpened{Session: x.id, Failure: smtp.KindCancelled, Phase: smtp.PhaseGreeting, Account: account{host: x.host}}
		x.aborted, x.awaited = true, l.later(after, e)
		return
	}
	var o Outcome
	for _, d := range l.due {
		if e, ok := d.e.(Settled); ok && d.order == x.awaited {
			o = e.Outcome
		}
	}
	o.Named = slices.Clone(o.Named)
	for i := l.r.IntN(len(o.Named) + 1); i < len(o.Named); i++ {
		o.Named[i].Reply, o.Named[i].Class = nil, ""
	}
	o.Trouble, o.Ended = belief.CutOff, true
	x.aborted, x.awaited = true, l.later(after, Settled{Session: x.id, Outcome: o, Account: account{host: x.host}})
}

// askAgain has a list ask again that has no answer from the host, and whoever
// waits after the trial of an extension or where an egress has failed or is
// gone.
func (l *life) askAgain(a Action) {
	j := l.jobs[a.Job]
	again := simJob{Job: j.Job, host: j.host, retried: j.retried + 1}
	wait := max(a.Retry, time.Duration(10+l.r.IntN(60))*time.Second)
	again.Again = false
	switch {
	case a.Result == Moved, a.Result == Failed && j.failure == smtp.KindEgress:
		again.Without, wait = append(slices.Clone(j.Without), a.Egress), 0
	case j.trial && (a.Result == Final || a.Result == Failed):
		again.Again, wait = true, 0
	case l.world.retries < again.retried, j.Caller == 0, a.Result == Final, a.Result == GivenUp, a.Result == LeftOut:
		return
	}
	if again.retried > 3 || l.shut {
		return
	}
	again.ID += 1_000_000
	if !j.Limit.IsZero() {
		again.Limit = l.now.Add(wait + again.Budget)
	}
	l.jobs[again.ID] = &again
	l.later(wait, Arrive{Jobs: []Job{again.Job}})
}
