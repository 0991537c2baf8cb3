package schedule

import (
	"slices"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// scripted is a plan of which a test plays the hosts by hand.
type scripted struct {
	*State
	*testing.T
	now  time.Time
	last JobID
}

func newScripted(t *testing.T, c Config) *scripted {
	return &scripted{New(c, []Egress{{ID: 1, Key: "direct", Weight: 1}}, nil), t, start, 0}
}

// tell tells the plan of an event after a while, and returns what it does but
// for the log and the numbers of lists.
func (p *scripted) tell(after time.Duration, e Event) []Action {
	p.Helper()
	p.now = p.now.Add(after)
	all := slices.Clone(p.Handle(p.now, e))
	if err := p.Verify(); err != nil {
		p.Fatal(err)
	}
	return slices.DeleteFunc(all, func(a Action) bool { return a.Do == Tell || a.Do == Count })
}

// ask asks about mailboxes at a host of the provider p.
func (p *scripted) ask(host int, change func(*Job), mailboxes ...string) []Action {
	p.Helper()
	var jobs []Job
	for _, m := range mailboxes {
		p.last++
		j := jobAt(0, host)
		j.ID, j.Target, j.Caller, j.Provider = p.last, m, 0, pace.Table{Provider: "p", Known: true}
		if change != nil {
			change(&j)
		}
		jobs = append(jobs, j)
	}
	return p.tell(0, Arrive{Jobs: jobs})
}

// said is the end of a transaction in which all that it names got one reply.
func (p *scripted) said(run Action, r *smtp.Reply, class replies.Class) Settled {
	o := Outcome{Took: 20 * time.Millisecond}
	o.Targets, o.Alone, o.Stopped, o.MAIL.Reply = len(run.Targets), run.Alone, -1, &accepts
	o.Fresh = p.sessions[run.Session].transactions == 0
	names(run, func(id JobID) Job { return p.jobs[id].Job }, func(mailbox, domain string, role belief.Role) {
		h := belief.Heard{Mailbox: mailbox, Domain: domain, Role: role, Before: p.sessions[run.Session].named + len(o.Named)}
		if h.Reply, h.Class = r, class; role == belief.Control || role == belief.Canary {
			h.Reply, h.Class = &unknown, replies.ClassNoSuchUser
		}
		o.Named = append(o.Named, h)
	})
	return Settled{Session: run.Session, Outcome: o}
}

// only returns the one action, and fails if it is another or there are more.
func (p *scripted) only(do Do, all []Action) Action {
	p.Helper()
	if len(all) != 1 || all[0].Do != do {
		p.Fatalf("%+v, want one of %d", all, do)
	}
	return all[0]
}

// count is how many actions are of a kind.
func count(all []Action, do Do) (n int) {
	for _, a := range all {
		if a.Do == do {
			n++
		}
	}
	return n
}

// TestIdleFirst sees that all idle sessions take jobs before another is opened:
// here one cannot take both jobs, as they are of two kinds. (Rule 5.2)
func TestIdleFirst(t *testing.T) {
	p := newScripted(t, testConfig())
	slowly := func(j *Job) { j.Caller = 1 }
	opens := []Action{p.only(Open, p.ask(0, nil, "good1@d0.example"))}
	opens = append(opens, p.only(Open, p.ask(0, slowly, slices.Repeat([]string{"good@d0.example"}, 60)...)))
	var runs []Action
	for _, a := range opens {
		runs = append(runs, p.only(Run, p.tell(0, Opened{Session: a.Session, UTF8: true})))
	}
	for len(runs) > 0 {
		r := runs[0]
		runs = runs[1:]
		for _, a := range p.tell(time.Millisecond, p.said(r, &accepts, replies.ClassOK)) {
			if a.Do == Run {
				runs = append(runs, a)
			}
		}
	}
	if n := p.Stats().Idle; n != 2 {
		t.Fatalf("%d sessions are idle", n)
	}
	utf8 := false
	all := p.ask(0, func(j *Job) { utf8 = !utf8; j.UTF8 = utf8 }, "gööd@d0.example", "good@d0.example")
	if count(all, Run) != 2 || count(all, Open) != 0 {
		t.Errorf("%+v", all)
	}
}

// TestNobodyAskedWhilePaused sees that a pause ends what a session would go on
// with, and what one would begin with that is opened meanwhile. (Rule 7.1)
func TestNobodyAskedWhilePaused(t *testing.T) {
	c := testConfig()
	c.Pace.Unknown.ThrottledPause = time.Minute
	p := newScripted(t, c)
	var run Action
	for complaint := range 3 {
		all := p.ask(0, nil, "good1@d0.example")
		for len(all) == 0 {
			all = p.tell(time.Second, Tick{})
		}
		run = p.only(Run, p.tell(time.Second, Opened{Session: p.only(Open, all).Session}))
		if complaint < 2 {
			p.tell(time.Second, p.said(run, &tooFast, replies.ClassRateLimited))
			p.tell(0, Lost{Session: run.Session})
			p.tell(10*time.Second, Closed{Session: run.Session})
		}
	}
	p.ask(0, nil, "good2@d0.example")
	other := p.only(Open, p.ask(1, nil, "good3@d1.example"))
	if all := p.tell(time.Second, p.said(run, &tooFast, replies.ClassRateLimited)); count(all, Answer) != 2 || count(all, Run) != 0 {
		t.Errorf("a session goes on: %+v", all)
	}
	all := p.tell(time.Millisecond, Opened{Session: other.Session})
	if count(all, Run) != 0 || !slices.ContainsFunc(all, func(a Action) bool { return a.Do == Answer && a.Result == Slowed }) {
		t.Errorf("a session begins: %+v", all)
	}
}

// TestLeftAloneAllTheSame sees that a host which never answers about a
// recipient is left alone, whatever becomes of a session that is being opened.
// (Rule 4.5)
func TestLeftAloneAllTheSame(t *testing.T) {
	for _, tt := range []struct {
		name string
		then func(SessionID) Event
	}{
		{"it is opened", func(x SessionID) Event { return Opened{Session: x} }},
		{"our own egress fails", func(x SessionID) Event {
			return NotOpened{Session: x, Failure: smtp.KindEgress, Phase: smtp.PhaseConnect}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newScripted(t, testConfig())
			open := p.only(Open, p.ask(0, nil, "good1@d0.example"))
			p.tell(time.Second, p.hungUp(p.only(Run, p.tell(0, Opened{Session: open.Session}))))
			p.tell(0, Closed{Session: open.Session})
			open = p.only(Open, p.ask(0, nil, "good2@d0.example"))
			run := p.only(Run, p.tell(0, Opened{Session: open.Session}))
			p.ask(0, nil, "good3@d0.example")
			other := p.only(Open, p.tell(newSessionDelay, Tick{}))
			p.tell(0, p.hungUp(run))
			p.tell(0, Closed{Session: open.Session})
			p.tell(0, tt.then(other.Session))
			if a := p.only(Answer, p.ask(0, nil, "good4@d0.example")); a.Result != Silent {
				t.Errorf("it is answered %d", a.Result)
			}
		})
	}
}

// TestRestIsNotShortened sees that a host which rests does so to the end,
// though a session fails that was being opened, for which it would be left
// alone for a second. (Rules 4.5 and 5.5)
func TestRestIsNotShortened(t *testing.T) {
	p := newScripted(t, testConfig())
	listed := func(j *Job) { j.Caller, j.Budget = 1, 0 }
	open := p.only(Open, p.ask(0, listed, "good1@d0.example"))
	run := p.only(Run, p.tell(0, Opened{Session: open.Session}))
	p.ask(0, listed, "good2@d0.example")
	other := p.only(Open, p.tell(newSessionDelay, Tick{}))
	p.rest(p.sessions[open.Session].host, nil)
	p.tell(0, NotOpened{Session: other.Session, Failure: smtp.KindEgress, Phase: smtp.PhaseConnect})
	p.tell(0, Closed{Session: other.Session})
	p.tell(0, p.hungUp(run))
	p.tell(0, Closed{Session: open.Session})
	if all := p.tell(failureLasts-time.Millisecond, Tick{}); len(all) > 0 {
		t.Errorf("before its time: %+v", all)
	}
	p.only(Open, p.tell(time.Millisecond, Tick{}))
}

// hungUp is the end of a transaction at its first recipient.
func (p *scripted) hungUp(run Action) Settled {
	e := p.said(run, nil, "")
	for i := range e.Outcome.Named {
		e.Outcome.Named[i].Reply, e.Outcome.Named[i].Class = nil, ""
	}
	e.Outcome.Trouble, e.Outcome.Stopped, e.Outcome.Ended = belief.HungUp, 0, true
	return e
}

// TestTimeOfHeldRefusals sees that the time of a job which waits for a proof
// begins anew, like that of all that were not asked about by themselves: else a
// session would be opened for it that has no time. (Rule 1.2)
func TestTimeOfHeldRefusals(t *testing.T) {
	p := newScripted(t, testConfig())
	listed := func(j *Job) { j.Caller = 1 }
	open := p.only(Open, p.ask(0, listed, "bad1@d0.example", "bad2@d0.example"))
	run := p.only(Run, p.tell(0, Opened{Session: open.Session}))
	p.ask(0, func(j *Job) { listed(j); j.UTF8 = true }, "good3@d0.example")
	p.only(Open, p.tell(newSessionDelay, Tick{}))
	all := p.tell(time.Minute+time.Second, p.said(run, &unknown, replies.ClassNoSuchUser)) // the first is proven
	run = all[slices.IndexFunc(all, func(a Action) bool { return a.Do == Run })]
	p.tell(0, p.said(run, &unknown, replies.ClassNoSuchUser)) // nor is there a postmaster
	if j := p.jobs[2]; j == nil || j.place != held || j.Budget != j.original {
		t.Errorf("job 2: %+v", j)
	}
}

// TestPutOff sees that a host which puts us off is left alone for a second,
// also where the job that found it so does not wait any longer. (Rule 5.5)
func TestPutOff(t *testing.T) {
	p := newScripted(t, testConfig())
	putOff := func(a Action) []Action {
		all := p.tell(time.Millisecond, NotOpened{Session: a.Session, Failure: smtp.KindClosed, Phase: smtp.PhaseGreeting})
		return append(all, p.tell(0, Closed{Session: a.Session})...)
	}
	open := p.only(Open, p.ask(0, nil, "good1@d0.example"))
	p.tell(0, p.said(p.only(Run, p.tell(0, Opened{Session: open.Session})), &accepts, replies.ClassOK))
	p.tell(0, Lost{Session: open.Session})
	p.tell(0, Closed{Session: open.Session})
	open = p.only(Open, p.ask(0, nil, "good2@d0.example", "good3@d0.example"))
	for range maxAtLimit {
		if all := putOff(open); len(all) != 0 {
			t.Fatalf("%+v", all)
		}
		open = p.only(Open, p.tell(atLimitPause, Tick{}))
	}
	if a := p.only(Answer, putOff(open)); a.Result != Failed {
		t.Errorf("it is answered %d", a.Result)
	}
	if all := p.tell(atLimitPause-10*time.Millisecond, Tick{}); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	p.only(Open, p.tell(10*time.Millisecond, Tick{}))
}

// TestTurnBehindTheEnd sees that a single check which would have to wait longer
// for the turn of its host than its caller does is told so at once, and when to
// ask again. (Rule 6.4)
func TestTurnBehindTheEnd(t *testing.T) {
	c := testConfig()
	c.Pace.Unknown.SessionsPerMinute = 1
	p := newScripted(t, c)
	until := func(d time.Duration) func(*Job) { return func(j *Job) { j.Limit = p.now.Add(d) } }
	p.only(Open, p.ask(0, until(time.Minute), "good1@d0.example"))
	if all := p.ask(1, until(2*time.Minute), "good2@d1.example"); len(all) != 0 {
		t.Errorf("there is time: %+v", all)
	}
	a := p.only(Answer, p.ask(2, until(5*time.Second), "good3@d2.example"))
	if a.Result != Limited || a.Retry < 50*time.Second || a.Retry > 70*time.Second {
		t.Errorf("it is answered %d, and comes back in %v", a.Result, a.Retry)
	}
}
