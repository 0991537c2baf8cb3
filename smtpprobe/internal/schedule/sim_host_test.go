package schedule

import (
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// What the hosts say. It is read as package replies does.
var (
	tooMany  = smtp.Reply{Code: 452, Enhanced: "4.5.3", Lines: []string{"too many recipients"}}
	greyed   = smtp.Reply{Code: 451, Enhanced: "4.7.1", Lines: []string{"greylisted, try again later"}}
	policy   = smtp.Reply{Code: 550, Enhanced: "5.7.1", Lines: []string{"blocked by policy"}}
	tooFast  = smtp.Reply{Code: 450, Enhanced: "4.7.1", Lines: []string{"too fast"}}
	hourly   = smtp.Reply{Code: 550, Enhanced: "5.7.1", Lines: []string{"hourly limit exceeded"}}
	rejected = smtp.Reply{Code: 550, Enhanced: "5.1.1", Lines: []string{"recipient rejected"}}
	noTLS    = smtp.Reply{Code: 530, Enhanced: "5.7.0", Lines: []string{"Must issue a STARTTLS command first"}}
	mailIsOK = smtp.Reply{Code: 250, Enhanced: "2.1.0", Lines: []string{"Ok"}}
)

// opens is how the host answers a connection: it lets it in, or e says why not.
func (l *life) opens(x *simSession) (e NotOpened, ok bool) {
	h := &l.world.hosts[x.host]
	e = NotOpened{Session: x.id, Account: x.host}
	switch {
	case h.kind == outOfReach:
		e.Failure, e.Phase = smtp.KindTimeout, smtp.PhaseConnect
	case h.kind == limitsSessions && l.greeted(x.host) > h.n:
		e.Greeted, e.Said = true, []Early{{Class: replies.ClassRateLimited, Code: smtp.CodeServiceClosing}}
	case h.kind == blocks && l.r.IntN(3) == 0:
		e.Greeted, e.Said = true, []Early{{Class: replies.ClassBlocked, Code: 554, Enhanced: "5.7.1"}}
	case h.kind == failsTLS && l.r.IntN(2) == 0, h.kind == wantsTLS && l.r.IntN(4) == 0:
		e.Greeted, e.Failure, e.Phase, e.Trial = true, smtp.KindTLS, smtp.PhaseSTARTTLS, startTLS
	case l.r.IntN(200) == 0:
		e.Failure, e.Phase = smtp.KindEgress, smtp.PhaseConnect
	case l.r.IntN(500) == 0:
		e.Resources = true
	default:
		return e, true
	}
	return e, false
}

// greeted is how many sessions are open at a host.
func (l *life) greeted(host int) (n int) {
	for _, x := range l.sessions {
		if x.host == host {
			n++
		}
	}
	return n
}

// alive reports whether a mailbox exists at a host.
func (h *simHost) alive(mailbox string) bool {
	return strings.HasPrefix(mailbox, "good") || strings.HasPrefix(mailbox, "postmaster") && !h.noPostmaster
}

// says is the reply to a recipient, of whom the session has heard so many
// before.
func (l *life) says(x *simSession, o *Outcome, to *belief.Heard) (*smtp.Reply, replies.Class) {
	h, client := &l.world.hosts[x.host], l.client(x)
	exempt := h.exempts && belief.Exempt(to.Mailbox)
	switch {
	case h.kind == takesAll, h.kind == refusesBeside && to.IsControl():
		return &accepts, replies.ClassOK
	case h.kind == limitsRecipients && len(o.Named) >= h.n:
		return &tooMany, replies.ClassRateLimited
	case h.kind == policyAfter && x.named >= h.n:
		return &policy, replies.ClassBlocked
	case h.kind == ratesLimits && x.named >= h.n:
		return &tooFast, replies.ClassRateLimited
	case h.kind == limitsAll:
		return &hourly, replies.ClassRateLimited
	case h.kind == greylists && !client.grey[to.Mailbox]:
		client.grey[to.Mailbox] = true
		return &greyed, replies.ClassGreylisted
	case exempt:
	case h.kind == turnsSession && x.refused >= h.n, h.kind == turnsClient && client.refused >= h.n,
		h.kind == turnsTransaction && refusedOf(o) >= h.n:
		if h.exempts { // a host that does so in the same words cannot be found out
			return &rejected, replies.ClassNoSuchUser
		}
		return &unknown, replies.ClassNoSuchUser
	}
	if h.alive(to.Mailbox) {
		return &accepts, replies.ClassOK
	}
	return &unknown, replies.ClassNoSuchUser
}

func refusedOf(o *Outcome) (n int) {
	for i := range o.Named {
		if o.Named[i].Refused() {
			n++
		}
	}
	return n
}

// converse is what comes of a transaction.
func (l *life) converse(x *simSession, a Action) (o Outcome) {
	h := &l.world.hosts[x.host]
	o.Targets, o.Alone, o.Stopped, o.Fresh = len(a.Targets), a.Alone, -1, x.transactions == 0
	nobody := func(*belief.Heard) bool { return false }
	if h.kind == halfUTF8 && a.UTF8 && x.id%2 == 0 {
		o.Trouble = belief.NotAsked
		l.name(x, &o, a, nobody)
		return o
	}
	x.transactions++
	o.Took, o.MAIL.Reply = time.Duration(1+l.r.IntN(100))*time.Millisecond, &mailIsOK
	switch shuns := func(keyword string) bool { return slices.Contains(a.Shun, keyword) }; {
	case h.kind == refusesMAIL && l.r.IntN(4) == 0:
		o.Trouble, o.Ended = belief.MAILRefused, true
		o.MAIL = belief.Said{Reply: &tooFast, Class: replies.ClassRateLimited}
	case h.kind == wantsTLS && shuns(startTLS):
		o.Trouble, o.Ended, o.NoTLS = belief.MAILRefused, true, true
		o.MAIL = belief.Said{Reply: &noTLS, Class: replies.ClassBlocked}
	case h.kind == failsPipelining && len(a.Targets) > 1 && !shuns(pipelining):
		o.Trouble, o.Ended, o.Trial = belief.FailedTrial, true, pipelining
	}
	if o.Trouble != belief.None {
		l.name(x, &o, a, nobody)
		return o
	}
	stops := func(to *belief.Heard) (trouble belief.Trouble) {
		switch {
		case h.kind == muteHost, h.kind == hangsUp && x.refused >= h.n, h.kind == postfix && x.refused >= 20,
			l.r.IntN(2000) == 0:
			return belief.HungUp
		case h.kind == silentMailboxes && to.Role == belief.Target && strings.Contains(to.Mailbox, "7"):
			return belief.FellSilent
		}
		return belief.None
	}
	l.name(x, &o, a, func(to *belief.Heard) bool {
		if o.Trouble = stops(to); o.Trouble != belief.None {
			o.Stopped, o.Ended = len(o.Named), true
			return false
		}
		switch {
		case h.kind == slowHost:
			o.Took += 2 * time.Second
		case h.kind == postfix && x.refused >= 10:
			o.Took += time.Second
		}
		to.Reply, to.Class = l.says(x, &o, to)
		x.named++
		if to.Refused() {
			x.refused++
			l.client(x).refused++
		}
		return true
	})
	if o.Trouble == belief.FellSilent {
		o.Took += 20 * time.Second
	}
	o.Slow = h.kind == postfix && x.refused > 10 && o.Trouble == belief.None
	canary := &o.Named[len(o.Named)-1]
	if h.kind == outOfStep && l.r.IntN(10) == 0 || canary.Role == belief.Canary && canary.Accepted() && !o.Alone {
		o.Trouble, o.Ended = belief.OutOfStep, true
		for i := range o.Named {
			o.Named[i].Reply, o.Named[i].Class = nil, ""
		}
	}
	return o
}

// name adds the recipients of a transaction, with what hear makes of each until
// it reports that nothing more comes.
func (l *life) name(x *simSession, o *Outcome, a Action, hear func(*belief.Heard) bool) {
	goesOn := true
	add := func(mailbox, domain string, role belief.Role) {
		to := belief.Heard{Mailbox: mailbox, Domain: domain, Role: role, Before: x.named}
		goesOn = goesOn && hear(&to)
		o.Named = append(o.Named, to)
	}
	names(a, func(id JobID) Job { return l.jobs[id].Job }, add)
}
