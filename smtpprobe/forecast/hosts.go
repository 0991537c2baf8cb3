package forecast

import (
	"container/heap"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/schedule"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// session is a connection to a mail host.
type session struct {
	id    schedule.SessionID
	host  *host
	named int  // recipients
	asks  bool // or it is being opened, or idle
	ends  int  // the number of the event that ends what it does
}

var (
	accepts = smtp.Reply{Code: 250, Enhanced: "2.1.5", Lines: []string{"Ok"}}
	unknown = smtp.Reply{Code: 550, Enhanced: "5.1.1", Lines: []string{"no such user"}}
)

func (r *run) open(a schedule.Action) {
	x := &session{id: a.Session, host: r.taken(a.For).host}
	r.sessions[x.id] = x
	r.working++
	if x.host.silent {
		e := schedule.NotOpened{Session: x.id, Failure: smtp.KindTimeout, Phase: smtp.PhaseConnect}
		x.ends = r.later(r.hosts.Silence, e)
		return
	}
	x.ends = r.later(r.hosts.Open, schedule.Opened{Session: x.id, TLS: true})
}

// ask has a mail host answer about the recipients of a transaction.
func (r *run) ask(a schedule.Action) {
	x := r.sessions[a.Session]
	x.asks = true
	r.working++
	o := schedule.Outcome{}
	o.Targets, o.Alone, o.Stopped, o.Fresh = len(a.Targets), a.Alone, -1, x.named == 0
	o.MAIL.Reply = &accepts
	add := func(mailbox, domain string, role belief.Role, dead bool) {
		to := belief.Heard{Mailbox: mailbox, Domain: domain, Role: role, Before: x.named}
		if to.Reply, to.Class = &accepts, replies.ClassOK; dead {
			to.Reply, to.Class = &unknown, replies.ClassNoSuchUser
		}
		o.Named = append(o.Named, to)
		x.named++
	}
	for _, id := range a.Targets {
		j := r.taken(id)
		add(j.Target, j.Domain, belief.Target, j.dead)
	}
	if a.Proof != "" {
		add(a.Proof, "", belief.Proof, false)
	}
	role := belief.Control
	if a.Canary {
		role = belief.Canary
	}
	for _, id := range a.Controls {
		add(r.jobs[id].Control, r.jobs[id].Domain, role, true)
	}
	r.rate.Recipients += float64(len(o.Named))
	o.Took = time.Duration(len(o.Named)) * r.hosts.Recipient
	x.ends = r.later(r.hosts.Reply+o.Took, schedule.Settled{Session: x.id, Outcome: o})
}

// abort ends a session at once, whatever it does.
func (r *run) abort(x *session) {
	var e schedule.Event = schedule.NotOpened{Session: x.id, Failure: smtp.KindCancelled, Phase: smtp.PhaseGreeting}
	if x.asks {
		o := schedule.Outcome{Ended: true}
		o.Trouble, o.Stopped = belief.CutOff, 0
		e = schedule.Settled{Session: x.id, Outcome: o}
	}
	x.ends = r.later(0, e)
}

// happened notes what has happened. False: it has not, as its session was ended
// before.
func (r *run) happened(e event) bool {
	var x *session
	closes := false
	switch said := e.event.(type) {
	case schedule.Opened:
		x = r.sessions[said.Session]
	case schedule.NotOpened:
		x, closes = r.sessions[said.Session], true
	case schedule.Settled:
		x, closes = r.sessions[said.Session], said.Outcome.Ended
	case schedule.Closed:
		delete(r.sessions, said.Session)
	}
	switch {
	case x == nil:
		return true
	case x.ends != e.number:
		return false
	case closes:
		r.later(0, schedule.Closed{Session: x.id})
	}
	x.asks = false
	r.working--
	return true
}

// event is what happens at some time.
type event struct {
	at     time.Time
	number int
	event  schedule.Event
}

// later has something happen, and returns its number.
func (r *run) later(in time.Duration, e schedule.Event) int {
	r.events++
	heap.Push(&r.due, event{r.now.Add(in), r.events, e})
	return r.events
}

// events are a heap: the next is on top.
type events []event

func (q events) Len() int      { return len(q) }
func (q events) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *events) Push(x any)   { *q = append(*q, x.(event)) }

func (q events) Less(i, j int) bool {
	if c := q[i].at.Compare(q[j].at); c != 0 {
		return c < 0
	}
	return q[i].number < q[j].number
}

func (q *events) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	return e
}
