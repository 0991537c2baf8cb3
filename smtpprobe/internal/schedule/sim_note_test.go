package schedule

import (
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// controlOf is what a host says about the control of a domain.
type controlOf struct {
	host         int
	domain, said string
}

// idle is for how long the session has been so.
func (x *simSession) idle(now time.Time) time.Duration {
	if x.phase != simIdle {
		return 0
	}
	return now.Sub(x.idleSince)
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
		l.noteControl(x, said)
		if said.Refused() {
			x.refusals++
		}
		if said.Reply == nil && said.Role != belief.Target {
			continue
		}
		if c.heard++; said.Accepted() && !x.misplaced {
			c.accepted, c.caught = c.heard, false
			c.ever[said.Mailbox] = true
		}
		if i < o.Targets {
			j := l.jobs[x.run.Targets[i]]
			j.trouble, j.alone, j.trial, j.session = o.Trouble, o.Alone, o.Trial != "", nil
			j.said, j.client, j.number, j.unheard = said, c, c.heard, i == 0 && !others(said.Mailbox)
		}
	}
	for i := range o.Targets {
		c.targets[o.Named[i].Mailbox] = true
	}
	c.heard += o.Repeated
	if o.Repeated > 0 {
		l.named(x, o.Repeated)
	}
	l.noteGreylisting(x, o)
	if !x.aborted {
		l.noteHost(x, c, o)
	}
}

// noteHost notes what a transaction has shown of its host.
func (l *life) noteHost(x *simSession, c *simClient, o *Outcome) {
	if o.Targets > 0 && (o.Took > 0 || o.Answered()) {
		c.each = o.Took / time.Duration(len(o.Named))
	}
	for i := range o.Named {
		said := &o.Named[i]
		known := said.Role == belief.Proof && c.ever[said.Mailbox] && !belief.Exempt(said.Mailbox)
		c.caught = c.caught || known && o.Alone && said.Refused() && said.Reply.Code >= 500
	}
	if o.Trouble == belief.NotAsked && !x.lacks {
		x.lacks = true
		c.lacked++
	}
	if o.Trial != "" {
		c.failed, c.failedAt = o.Trial, l.now
	}
	if o.Slow && o.Targets > 0 {
		c.slow = l.now.Add(limitsLast)
	}
	limited := false
	for i := range o.Named {
		said := &o.Named[i]
		limited = limited || said.TooMany() || said.Class == replies.ClassRateLimited
		if said.Class == replies.ClassBlocked || said.Class == replies.ClassRateLimited {
			l.complained[l.providerOf(x.host)] = true
		}
	}
	if class := o.MAIL.Class; class == replies.ClassBlocked || class == replies.ClassRateLimited {
		l.complained[l.providerOf(x.host)] = true
	}
	if o.Trouble != belief.None || limited {
		return
	}
	for i := range o.Targets {
		if said := &o.Named[i]; said.Accepted() && !x.misplaced {
			c.proofs = append(c.proofs, said.Mailbox)
			c.proofs = c.proofs[max(0, len(c.proofs)-2):]
		}
	}
}

// noteControl notes what was said about a control.
func (l *life) noteControl(x *simSession, said *belief.Heard) {
	if said.IsControl() && said.Reply != nil {
		l.controls[controlOf{x.host, said.Domain, said.Reply.Lines[0]}] = l.now
	}
}

// operates reports whether the operator of a host has another session by the
// same egress that does not end.
func (l *life) operates(x *simSession) bool {
	for _, y := range l.sessions {
		same := y.egress == x.egress && l.providerOf(y.host) == l.providerOf(x.host)
		if same && y.phase != simEnding && !y.aborted {
			return true
		}
	}
	return false
}

// noteNotOpened notes why a session was not opened. A host that is out of
// reach, or that puts us off while it has no other session, is to be left
// alone. If it has others, it is to have half of them.
func (l *life) noteNotOpened(x *simSession, e *NotOpened) {
	j, c := l.jobs[x.opensFor], l.client(x)
	j.failure, j.trial, j.session = e.Failure, e.Trial != "", nil
	j.failures++
	if j.putOff = 0; len(e.Said) > 0 {
		l.complained[l.providerOf(x.host)] = true
		if e.Said[0].Class == replies.ClassRateLimited && l.operates(x) {
			j.putOff = j.failures
		}
	}
	open := l.openWith(x.host, x.egress)
	switch late := !j.Limit.IsZero() && !l.now.Before(j.Limit); {
	case x.aborted || e.Resources:
	case e.Failure == smtp.KindTimeout && !e.Hurried && l.world.hosts[x.host].kind == outOfReach:
		for _, y := range l.sessions {
			if y.host == x.host && y.egress == x.egress && y.phase == simOpening {
				return // that shows how the host answers next
			}
		}
		c.restless = l.now.Add(failureLasts - time.Second)
	case late, e.Failure != smtp.KindClosed && (len(e.Said) == 0 || e.Said[0].Class != replies.ClassRateLimited):
	case open == 0:
		c.restless = l.now.Add(atLimitPause)
	case !x.began.Before(c.halved):
		c.window, c.halved = max(1, (open+1)/2), l.now
	}
}
