package smtpprobe

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/internal/schedule"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// Pool asks mail hosts whether they take mail for a recipient. It keeps the
// sessions for the next recipients of the same host, and names several at a
// time. It is safe for concurrent use.
type Pool struct {
	config  Config
	ready   sync.Once // the classifier is being prepared
	running sync.WaitGroup
	// severalWays: there is more than one egress. reachesIPv4: one leads there.
	severalWays, reachesIPv4 atomic.Bool

	// mu guards what follows. With it the plan is told what has happened, and
	// what it wants is done: nothing of that waits, and no code of a caller
	// runs.
	mu       sync.Mutex
	plan     *schedule.State
	timer    *time.Timer // tells the plan that it is the time of the alarm
	alarm    time.Time   // zero: there is none
	jobs     map[schedule.JobID]*job
	sessions map[schedule.SessionID]*session
	lists    lists
	ways     map[schedule.EgressID]egress.Egress
	lastJob  schedule.JobID
	lastWay  schedule.EgressID
	answered []*job          // for [Pool.do]
	news     []schedule.News // for [Pool.unlock]
}

// New returns a Pool. Close it when done, so that its sessions end with QUIT.
func New(c Config) (*Pool, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	p := &Pool{
		config: c, jobs: make(map[schedule.JobID]*job), sessions: make(map[schedule.SessionID]*session),
		lists: newLists(), ways: make(map[schedule.EgressID]egress.Egress),
	}
	p.plan = schedule.New(schedule.Config{
		MaxSessions: c.MaxSessions, MaxSessionsPerHost: c.MaxSessionsPerHost, MaxWaitingPerHost: c.MaxWaitingPerHost,
		Idle: c.Session.Idle, Refused: c.Session.Refused, Pace: c.Pace, Memory: c.PaceMemory,
	}, p.number(c.Egresses), c.Routes)
	p.timer = time.AfterFunc(time.Hour, p.tick)
	p.timer.Stop()
	return p, nil
}

// Close ends the sessions: idle ones with QUIT at once, the others after the
// questions under way. A host has the time of the QUIT timeout for that. Probes
// that wait get [ErrClosed].
func (p *Pool) Close() error {
	p.Abandon()
	p.running.Wait()
	return nil
}

// Abandon is Close without the wait for the sessions to end.
func (p *Pool) Abandon() { p.tell(schedule.Shut{}) }

// tick is what the timer calls.
func (p *Pool) tick() {
	p.mu.Lock()
	defer p.unlock()
	p.alarm = time.Time{}
	p.do(schedule.Tick{})
}

// tell tells the plan what has happened.
func (p *Pool) tell(e schedule.Event) {
	p.mu.Lock()
	defer p.unlock()
	p.do(e)
}

// do tells the plan what has happened, and does what it wants.
func (p *Pool) do(e schedule.Event) {
	actions := p.plan.Handle(time.Now(), e)
	for _, a := range actions { // before the answers: whoever has the last one finds that none waits
		if a.Do == schedule.Count {
			p.lists.count(a)
		}
	}
	for _, a := range actions {
		switch a.Do {
		case schedule.Open:
			p.open(a)
		case schedule.Run:
			p.run(a)
		case schedule.Quit:
			p.sessions[a.Session].order(order{Action: a})
		case schedule.Abort:
			p.sessions[a.Session].abort()
		case schedule.Answer:
			p.answer(a)
		case schedule.Tell:
			p.news = append(p.news, a.News)
		}
	}
	for _, j := range p.answered {
		j.results <- j
	}
	clear(p.answered)
	p.answered = p.answered[:0]
	p.setAlarm(p.plan.Next())
}

// setAlarm sets when the plan is to be told that it is time; zero: never.
func (p *Pool) setAlarm(at time.Time) {
	if at.Equal(p.alarm) {
		return
	}
	p.alarm = at
	if at.IsZero() {
		p.timer.Stop()
		return
	}
	p.timer.Reset(time.Until(at))
}

// unlock gives the lock back and calls what belongs to callers: the log.
func (p *Pool) unlock() {
	news := p.news
	p.news = nil
	p.mu.Unlock()
	for i := range news {
		p.log(&news[i])
	}
}

// open opens a session.
func (p *Pool) open(a schedule.Action) {
	s := newSession(p, a)
	p.sessions[a.Session] = s
	p.ready.Do(func() { p.running.Go(p.readRules) })
	p.running.Go(s.live)
}

// readRules has the rules for replies parsed, which the first reading does. It
// takes some 20 ms of processor time, best spent while a mail host is awaited.
func (p *Pool) readRules() { p.config.Classifier.Read(replies.Input{}) }

// run has a session carry out a transaction.
func (p *Pool) run(a schedule.Action) {
	o := order{
		Action: a, jobs: make([]*job, len(a.Targets)), controls: make([]*job, len(a.Controls)),
		calls: make([]string, len(a.Targets)),
	}
	s := p.sessions[a.Session]
	for i, id := range a.Targets {
		j := p.jobs[id]
		o.jobs[i], o.calls[i] = j, j.calls
		j.takenBy(s)
	}
	for i, id := range a.Controls {
		o.controls[i] = p.jobs[id]
	}
	s.order(o)
}

// answer notes the answer of a job, which gets it when all is done that the
// plan wants: the job does not wait any more then.
func (p *Pool) answer(a schedule.Action) {
	j := p.jobs[a.Job]
	delete(p.jobs, a.Job)
	j.answer = answer{result: a.Result, egress: a.Egress, retry: a.Retry, ago: a.Ago, waited: a.Waited}
	j.answer.from, _ = a.From.(*remark)
	p.answered = append(p.answered, j)
}
