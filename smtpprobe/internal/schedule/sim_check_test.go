package schedule

import (
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// check sees whether an action may be done: from outside, by what was said and
// not by what the plan knows.
func (l *life) check(a Action) {
	x := l.sessions[a.Session]
	is := func(phases ...simPhase) {
		for _, p := range phases {
			if x != nil && x.phase == p {
				return
			}
		}
		l.wrong("session %d cannot do %d", a.Session, a.Do)
	}
	switch a.Do {
	case Open:
		l.checkOpen(a)
	case Run:
		if is(simIdle); l.fault == nil {
			l.checkRun(x, a)
		}
	case Quit:
		is(simIdle)
	case Abort:
		is(simOpening, simBusy)
	case Answer:
		l.checkAnswer(a)
	}
}

// checkOpen holds the limits, and that hosts that do not answer are left alone.
func (l *life) checkOpen(a Action) {
	host, all, ofHost, ofEgress := hostOf(a.Addr), 1, 1, 1
	for _, x := range l.sessions {
		if all++; x.egress == a.Egress {
			if ofEgress++; x.host == host {
				ofHost++
			}
		}
	}
	c, most := &l.world.config, l.world.config.Pace.Egress.Sessions
	_, given := l.given[a.For]
	switch client := l.clients[clientKey{host, a.Egress}]; {
	case l.jobs[a.For] == nil || given || l.jobs[a.For].host != host:
		l.wrong("a session is opened for nobody")
	case all > c.MaxSessions:
		l.wrong("%d sessions of at most %d", all, c.MaxSessions)
	case ofHost > c.MaxSessionsPerHost:
		l.wrong("%d sessions with host %d, of at most %d", ofHost, host, c.MaxSessionsPerHost)
	case most > 0 && ofEgress > most && !l.removed:
		l.wrong("%d sessions by egress %d, of at most %d", ofEgress, a.Egress, most)
	case client != nil && l.now.Before(client.restless) && !l.removed:
		l.wrong("host %d is to be left alone for another %v", host, client.restless.Sub(l.now))
	}
}

// checkRun sees that those that are asked about together may be, and that no
// list goes ahead of a single check.
func (l *life) checkRun(x *simSession, a Action) {
	lists := 0
	for _, id := range a.Targets {
		j := l.jobs[id]
		if _, given := l.given[id]; given || j.host != x.host {
			l.wrong("job %d is asked about at host %d", id, x.host)
		}
		if j.Caller != 0 {
			lists++
		}
		if j.UTF8 != a.UTF8 {
			l.wrong("job %d is asked about with SMTPUTF8 %t", id, a.UTF8)
		}
	}
	switch n := len(a.Targets); {
	case lists > 0 && l.singleWaits(x.host):
		l.wrong("a list goes ahead of a single check at host %d", x.host)
	case n == 0 && a.Proof == "":
		l.wrong("nobody is named")
	case lists != 0 && lists != n:
		l.wrong("a list and single checks share a transaction")
	case a.Alone && (n != 1 || x.transactions > 0):
		l.wrong("one that is alone is not")
	case a.Canary && len(a.Controls) != 1:
		l.wrong("%d canaries", len(a.Controls))
	case x.named+n > 200+20:
		l.wrong("a session names %d recipients", x.named+n)
	}
}

// singleWaits reports whether a single check waits for a host that no session
// has had yet, where there is one egress: with several, it may wait for another
// one.
func (l *life) singleWaits(host int) bool {
	return len(l.world.egresses) == 1 && !l.removed && l.singles[host] > 0
}

// checkAnswer holds that there is one answer, and that it is true and proven.
func (l *life) checkAnswer(a Action) {
	j := l.jobs[a.Job]
	if _, given := l.given[a.Job]; given || j == nil {
		l.wrong("job %d has its answer", a.Job)
		return
	}
	switch a.Result {
	case Inherited, Silent, Turned, AtLimit:
		if from, ok := a.From.(account); !ok || from.host != j.host {
			l.wrong("job %d at host %d has the answer of host %v", a.Job, j.host, a.From)
		}
	case Unproven:
		l.unproven++
	case Final:
		l.checkFinal(a, j)
	}
}

// checkFinal compares a final answer with the truth. A refusal needs its proof:
// the host has accepted somebody behind it, or had heard of nobody else before.
func (l *life) checkFinal(a Action, j *simJob) {
	said := j.said
	switch h := &l.world.hosts[j.host]; {
	case said == nil || said.Reply == nil:
	case said.Accepted():
		if l.accepted++; h.kind != takesAll && !h.alive(j.Target) {
			l.wrong("false deliverable: %s", j.Target)
		}
	case said.Dead():
		if l.dead++; h.alive(j.Target) {
			l.wrong("false undeliverable: %s", j.Target)
		}
		if c := j.client; c.accepted < j.number && !j.unheard {
			l.wrong("%s: a refusal without its proof", j.Target)
		}
	}
}

// noteSaid notes what a host has said, as it is known from now on.
func (l *life) noteSaid(x *simSession, o *Outcome) {
	c := l.client(x)
	others := func(mailbox string) bool {
		for m := range c.targets {
			if !strings.EqualFold(m, mailbox) {
				return true
			}
		}
		return false
	}
	for i := range o.Named {
		said := &o.Named[i]
		if said.Reply == nil && said.Role != belief.Target {
			continue
		}
		if c.heard++; said.Accepted() && !x.misplaced {
			c.accepted = c.heard
		}
		if i < o.Targets {
			j := l.jobs[x.run.Targets[i]]
			j.trouble, j.trial = o.Trouble, o.Trial != ""
			j.said, j.client, j.number, j.unheard = said, c, c.heard, i == 0 && !others(said.Mailbox)
		}
	}
	for i := range o.Targets {
		c.targets[o.Named[i].Mailbox] = true
	}
	c.heard += o.Repeated
}

// noteUnanswered notes that a host is out of reach: it is to be left alone.
func (l *life) noteUnanswered(x *simSession, e *NotOpened) {
	l.jobs[x.opensFor].failure, l.jobs[x.opensFor].trial = e.Failure, e.Trial != ""
	if e.Failure != smtp.KindTimeout || e.Hurried || x.aborted || l.world.hosts[x.host].kind != outOfReach {
		return
	}
	for _, y := range l.sessions {
		if y.host == x.host && y.egress == x.egress && y.phase == simOpening {
			return // that shows how the host answers next
		}
	}
	l.client(x).restless = l.now.Add(failureLasts - time.Second)
}

// checkEnd sees that nothing is left.
func (l *life) checkEnd() {
	if len(l.given) != len(l.jobs) {
		l.wrong("%d of %d jobs have their answer", len(l.given), len(l.jobs))
	}
	if n := len(l.sessions); n > 0 {
		l.wrong("%d sessions are left", n)
	}
	if s := l.plan.Stats(); s.Sessions+s.Waiting+s.UnderWay > 0 {
		l.wrong("something is left: %+v", s)
	}
	if err := l.plan.Verify(); err != nil {
		l.wrong("%v", err)
	}
}
