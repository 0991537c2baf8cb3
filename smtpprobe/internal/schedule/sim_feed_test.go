package schedule

import (
	"container/heap"
	"fmt"
	"hash/fnv"
	"time"

	lists "github.com/rcpt/rcpt/internal/feed"
	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// listed is an address of a list, or a single check.
type listed struct {
	place   int
	email   string
	domain  *mailDomain
	planned *handed // nil: it is a single check, or waits for a retry
	tries   lists.Tries
	said    belief.Said
	since   time.Time // it has come
	given   int       // outcomes that are final
}

// handed is an address as package feed has it.
type handed = lists.Address[*listed]

// feeding is a list that is fed to the plan as package bulk does it, in a world
// of mail and in simulated time.
type feeding struct {
	spec    mailSpec
	plan    *State
	limits  lists.Limits
	fed     *lists.Plan[*listed]
	retries lists.Retries
	again   lists.Waits[*listed]
	check   *feedCheck
	trace   func(format string, args ...any) // nil: none is kept

	now    time.Time
	due    dueEvents
	order  int
	alarm  time.Time
	readAt time.Time // more of the list
	last   JobID
	fault  error

	list     []listed
	read     int             // of them
	left     int             // of them, without a final outcome
	waiting  int             // for sessions
	waits    []time.Duration // of single checks
	domains  []mailDomain
	hosts    map[string]*mailHost // by address
	jobs     map[JobID]*listed
	sessions map[SessionID]*mailSession
	fedFigures
}

// mailSession is a connection to a mail host.
type mailSession struct {
	host                         *mailHost
	transactions, named, refused int
	asks                         []*listed
	aborted                      bool
}

// fedFigures is what a list costs.
type fedFigures struct {
	took                                time.Duration
	connections, trips, rcpt, unsettled int
	heldBack, retried, singles          int
	slowest                             time.Duration // single check
}

// Events of the world itself.
type (
	resolved struct{ batch []*handed } // the DNS has answered
	dueAgain struct{}                  // something is due again
	form     struct{ of *listed }      // a single check comes
)

func (resolved) event() {}
func (dueAgain) event() {}
func (form) event()     {}

// readAtOnce is how many addresses are read before others are handed over.
const readAtOnce = 64

func newFeeding(spec mailSpec) *feeding {
	c := testConfig()
	c.Pace.Unknown = spec.pace
	f := &feeding{
		spec: spec, plan: New(c, []Egress{{ID: 1, Key: "k", Name: "e", Weight: 1}}, nil), now: start,
		limits:  lists.Limits{Asked: spec.atOnce, Waiting: 16 * spec.atOnce, PerDomain: spec.perDomain},
		retries: lists.Retries{Window: spec.retried, Grid: gridOf},
		domains: spec.world(), hosts: map[string]*mailHost{},
		jobs: map[JobID]*listed{}, sessions: map[SessionID]*mailSession{},
	}
	f.fed = lists.New[*listed](f.limits)
	f.fed.Growing = true
	for i := range f.domains {
		d := &f.domains[i]
		f.hosts[d.host.addr.String()] = d.host
	}
	for place, n := range spec.list() {
		email := fmt.Sprintf("box%d@%s", place, f.domains[n].name)
		f.list = append(f.list, listed{place: place, email: email, domain: &f.domains[n]})
	}
	f.left = len(f.list)
	for i := range spec.singles {
		d := &f.domains[int(spec.hash("single", fmt.Sprint(i))%uint64(len(f.domains)))]
		f.later(time.Duration(i+1)*spec.singleEvery, form{&listed{email: fmt.Sprintf("box%d@%s", -i, d.name), domain: d}})
	}
	return f
}

func gridOf(domain string) uint64 {
	sum := fnv.New64a()
	sum.Write([]byte(domain))
	return sum.Sum64()
}

func (f *feeding) wrong(format string, args ...any) {
	if f.fault == nil {
		f.fault = fmt.Errorf("%v: "+format, append([]any{f.now.Sub(start)}, args...)...)
	}
}

func (f *feeding) later(in time.Duration, e Event) {
	f.order++
	heap.Push(&f.due, dueEvent{f.now.Add(in), f.order, e})
}

// run feeds the whole list.
func (f *feeding) run() error {
	f.advance()
	for f.fault == nil && f.left > 0 && f.step() {
	}
	for f.fault == nil && f.step() {
	}
	f.checkEnd()
	return f.fault
}

// step makes the next event happen. It reports whether there was one.
func (f *feeding) step() bool {
	next := f.plan.Next()
	switch {
	case len(f.due) > 0 && (next.IsZero() || !next.Before(f.due[0].at)):
		d := heap.Pop(&f.due).(dueEvent)
		f.now = d.at
		f.happens(d.e)
	case !next.IsZero():
		f.now = next
		f.tell(Tick{})
	default:
		return false
	}
	if len(f.due) == 0 || f.due[0].at.After(f.now) { // what happens at one moment is noted together
		f.advance()
	}
	return true
}

// happens is what becomes of an event that was due.
func (f *feeding) happens(e Event) {
	switch e := e.(type) {
	case resolved:
		f.handOver(e.batch)
	case form:
		f.singles++
		e.of.since = f.now
		f.arrive(0, e.of)
	case Opened:
		if x := f.sessions[e.Session]; x.aborted {
			f.notOpened(NotOpened{Session: e.Session, Failure: smtp.KindCancelled, Phase: smtp.PhaseGreeting})
			return
		}
		f.tell(e)
	case NotOpened:
		f.notOpened(e)
	case Settled:
		f.settled(e)
	case Closed:
		f.sessions[e.Session].host.open--
		delete(f.sessions, e.Session)
		f.tell(e)
	}
}

func (f *feeding) notOpened(e NotOpened) {
	f.tell(e)
	f.later(f.spec.delay, Closed{e.Session})
}

func (f *feeding) settled(e Settled) {
	x := f.sessions[e.Session]
	if x.aborted {
		e.Outcome.Trouble, e.Outcome.Ended = belief.CutOff, true
	}
	for i, a := range x.asks {
		a.said = e.Outcome.Named[i].Said
	}
	if e.Outcome.Ended {
		f.later(0, Closed{e.Session})
	}
	f.tell(e)
}

// advance reads on, and hands over what may be.
func (f *feeding) advance() {
	for more := true; more && f.fault == nil; f.begin() {
		f.fed.Now = f.now.Sub(start)
		more = f.wake()
		for range readAtOnce {
			if f.read == len(f.list) {
				f.fed.Growing = false
				break
			}
			if f.fed.Planned() >= f.spec.window || !f.comes(f.read) {
				break
			}
			f.add(&f.list[f.read])
			f.read++
			more = true
		}
	}
}

// comes reports whether an address of the list can be read. If not, it sees to
// it that it is read as soon as it can be.
func (f *feeding) comes(place int) bool {
	at := start.Add(time.Duration(place/readAtOnce) * f.spec.reads)
	if at.After(f.now) && !at.Equal(f.readAt) {
		f.readAt = at
		f.later(at.Sub(f.now), dueAgain{})
	}
	return !at.After(f.now)
}

// wake queues what is due again, and reports whether something was.
func (f *feeding) wake() (some bool) {
	for f.fed.Planned() < f.spec.window {
		a, is, next := f.again.Due(f.now.Sub(start))
		if !is {
			if at := start.Add(next); next > 0 && !at.Equal(f.alarm) {
				f.alarm = at
				f.later(at.Sub(f.now), dueAgain{})
			}
			break
		}
		f.add(a)
		some = true
	}
	return some
}

func (f *feeding) add(a *listed) {
	a.planned = f.fed.Add(a, a.domain.name, 0, a.tries.Answers > 0)
	f.check.add(f, a)
}

// begin hands over as many as there is room for.
func (f *feeding) begin() {
	for {
		room := f.limits.Room(f.spec.atOnce, f.waiting)
		batch := f.fed.Next(room)
		if len(batch) == 0 {
			return
		}
		f.check.begins(f, batch, room)
		f.later(f.lookUp(batch[0].Of.domain), resolved{batch})
	}
}

// silence is how long an answer of the DNS is awaited.
const silence = 10 * time.Second

// lookUp is how long the DNS takes for a domain and its mail host.
func (f *feeding) lookUp(d *mailDomain) time.Duration {
	switch {
	case d.silent:
		return silence
	case d.known.IsZero():
		d.known = f.now.Add(f.spec.delay)
		if d.host.known.IsZero() {
			d.host.known = d.known.Add(f.spec.delay)
		}
		if d.host.known.After(d.known) {
			d.known = d.host.known
		}
	}
	return max(0, d.known.Sub(f.now))
}

// handOver puts a batch to the plan, if the mail hosts were found.
func (f *feeding) handOver(batch []*handed) {
	if batch[0].Of.domain.silent {
		for _, a := range batch {
			f.answered(a.Of, Action{Result: Failed})
		}
		return
	}
	if batch[0].Scouts {
		f.fed.Found(batch[0])
		f.check.found(f, batch[0].Of)
	}
	all := make([]*listed, len(batch))
	for i, a := range batch {
		all[i] = a.Of
	}
	f.tell(CallerSet{ID: 1, Most: f.limits.Waiting})
	f.arrive(1, all...)
}

// arrive tells the plan of addresses.
func (f *feeding) arrive(caller CallerID, all ...*listed) {
	e := Arrive{Jobs: make([]Job, len(all))}
	for i, a := range all {
		f.last++
		f.jobs[f.last] = a
		j := Job{
			ID: f.last, Addr: a.domain.host.addr, Host: a.domain.host.name, Provider: a.domain.host.pace,
			Target: a.email, Domain: a.domain.name, Control: "random@" + a.domain.name, Caller: caller,
			Budget: 30*time.Second - 2*f.spec.delay,
		}
		if caller == 0 {
			j.Limit = f.now.Add(j.Budget)
		}
		e.Jobs[i] = j
	}
	f.tell(e)
}

// tell tells the plan of an event, and does what it wants.
func (f *feeding) tell(e Event) {
	if f.trace != nil {
		f.trace("%v %T %+v", f.now.Sub(start), e, e)
	}
	for _, a := range f.plan.Handle(f.now, e) {
		if f.trace != nil {
			f.trace("    do %d: session %d at %v for %d, targets %v, proof %q, controls %v, job %d, result %d",
				a.Do, a.Session, a.Addr, a.For, a.Targets, a.Proof, a.Controls, a.Job, a.Result)
		}
		f.act(a)
	}
	if f.check != nil && f.order%8 == 0 {
		if err := f.plan.Verify(); err != nil {
			f.wrong("%v", err)
		}
	}
}

func (f *feeding) act(a Action) {
	x := f.sessions[a.Session]
	switch a.Do {
	case Open:
		f.open(a)
	case Run:
		x.asks = nil
		for _, id := range a.Targets {
			x.asks = append(x.asks, f.jobs[id])
		}
		took, o := f.converse(x, a)
		f.later(took, Settled{Session: a.Session, Outcome: o})
	case Quit:
		f.later(f.spec.delay+x.host.late, Closed{a.Session})
	case Abort:
		x.aborted = true
	case Count:
		f.waiting = a.Waiting
	case Answer:
		of := f.jobs[a.Job]
		delete(f.jobs, a.Job)
		f.answered(of, a)
	}
}

// answered is what becomes of an address that has its answer.
func (f *feeding) answered(a *listed, with Action) {
	if a.planned == nil {
		f.waits = append(f.waits, f.now.Sub(a.since))
		f.slowest = max(f.slowest, f.now.Sub(a.since))
		return
	}
	f.check.done(f, a)
	f.fed.Done(a.planned)
	a.planned = nil
	kind, hint := lists.Answered, time.Duration(0)
	settled := with.Result == Final && (a.said.Class.AboutMailbox() || a.said.Class == replies.ClassOK)
	switch {
	case with.Result == HeldBack:
		f.heldBack++
		kind, hint = lists.HeldBack, with.Retry
	case !settled:
		hint = time.Minute
	}
	if due, again := f.retries.Next(&a.tries, a.domain.name, kind, hint, f.now.Sub(start)); again {
		f.retried++
		f.again.Add(a, due, int64(a.place))
		return
	}
	if kind == lists.HeldBack {
		f.wrong("%s is held back, and never comes again", a.email)
	}
	a.given++
	if f.left--; !a.domain.silent {
		f.took = f.now.Sub(start)
	}
	f.judge(a, with.Result, settled)
}

// judge compares a final outcome with the truth.
func (f *feeding) judge(a *listed, r Result, settled bool) {
	said, class, _ := f.spec.answer(a.domain.policy, a.email)
	switch {
	case r == Final && a.said.Reply != nil && a.said.Class.Dead() && !class.Dead():
		f.wrong("false undeliverable: %s", a.email)
	case r == Final && a.said.Accepted() && said.Refused():
		f.wrong("false deliverable: %s", a.email)
	case !settled && class != replies.ClassGreylisted && class != replies.ClassMailboxFull:
		f.unsettled++
	}
}
