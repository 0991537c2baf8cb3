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
	resetOK  = smtp.Reply{Code: 250, Enhanced: "2.0.0", Lines: []string{"Ok"}}
	denied   = smtp.Reply{Code: 554, Enhanced: "5.7.1", Lines: []string{"denied"}}
	shutting = smtp.Reply{Code: 421, Enhanced: "4.7.0", Lines: []string{"too many errors, closing"}}
)

// account is what the shell tells others of a session.
type account struct {
	host    int
	failure smtp.Kind
	hurried bool
	had     time.Duration // the time of the job that it was opened for
}

// How long hosts that do not answer are waited for.
const (
	connectTimeout = 10 * time.Second
	replyTimeout   = 20 * time.Second
)

// opens is how the host answers a connection, after which time: it lets it in,
// or e says why not.
func (l *life) opens(x *simSession, a Action) (e NotOpened, after time.Duration, ok bool) {
	e, ok = l.greets(x)
	after = time.Duration(1+l.r.IntN(200)) * time.Millisecond
	switch h := &l.world.hosts[x.host]; {
	case e.Failure == smtp.KindTimeout:
		after = connectTimeout
	case h.kind == hurries && ok:
		after = time.Duration(h.limit(l.now)) * time.Second
	}
	if left := a.Until.Sub(l.now); !a.Until.IsZero() && left < after {
		after, ok = max(0, left), false
		e = NotOpened{Failure: smtp.KindTimeout, Phase: smtp.PhaseGreeting, Hurried: true}
		if l.world.hosts[x.host].kind == outOfReach {
			e.Phase = smtp.PhaseConnect
		}
	}
	e.Session = x.id
	e.Account = account{x.host, e.Failure, e.Hurried, a.Until.Sub(l.now)}
	return e, after, ok
}

// greets is how a host with enough time answers.
func (l *life) greets(x *simSession) (e NotOpened, ok bool) {
	h, client := &l.world.hosts[x.host], l.client(x)
	switch {
	case l.isBroken(x.egress), l.byChance(200):
		e.Failure, e.Phase = smtp.KindEgress, smtp.PhaseConnect
	case h.kind == outOfReach:
		e.Failure, e.Phase = smtp.KindTimeout, smtp.PhaseConnect
	case h.kind == limitsSessions && l.greeted(x.host) > h.limit(l.now):
		e.Greeted, e.Said = true, []Early{{Class: replies.ClassRateLimited, Code: smtp.CodeServiceClosing}}
	case h.kind == limitsOperator && l.openAt(x) > h.limit(l.now):
		e.Greeted, e.Said = true, []Early{{Class: replies.ClassRateLimited, Code: smtp.CodeServiceClosing}}
	case h.kind == closesMany && l.greeted(x.host) > h.limit(l.now):
		e.Failure, e.Phase = smtp.KindClosed, smtp.PhaseGreeting
	case h.kind == blocks && (h.n%2 == 0 || l.r.IntN(3) == 0), h.kind == blocksMany && client.hasTooMany(l, x, h.limit(l.now)):
		e.Greeted, e.Said = true, []Early{{Class: replies.ClassBlocked, Code: 554, Enhanced: "5.7.1"}}
	case h.kind == failsTLS && l.r.IntN(2) == 0, h.kind == wantsTLS && l.r.IntN(4) == 0:
		e.Greeted, e.Failure, e.Phase, e.Trial = true, smtp.KindTLS, smtp.PhaseSTARTTLS, startTLS
	case l.byChance(500):
		e.Resources = true
	default:
		return e, true
	}
	return e, false
}

// byChance reports whether something goes wrong that does once in n times.
func (l *life) byChance(n int) bool { return !l.world.calm && l.r.IntN(n) == 0 }

// hasTooMany reports whether a host blocks a client for a while, as it has, or
// had, more than so many sessions.
func (c *simClient) hasTooMany(l *life, x *simSession, most int) bool {
	open := 0
	for _, y := range l.sessions {
		if y.host == x.host && y.egress == x.egress {
			open++
		}
	}
	if open > most {
		c.blocked = l.now.Add(2 * time.Minute)
	}
	return l.now.Before(c.blocked)
}

// isBroken reports whether an egress does not work at the moment.
func (l *life) isBroken(e EgressID) bool {
	since := l.now.Sub(start)
	return e == 1 && since >= l.world.broken[0] && since < l.world.broken[1]
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

// openAt is how many sessions are open with the operator of a host, by one
// egress.
func (l *life) openAt(x *simSession) (n int) {
	for _, y := range l.sessions {
		if y.egress == x.egress && l.providerOf(y.host) == l.providerOf(x.host) {
			n++
		}
	}
	return n
}

// offersUTF8 reports whether the machine that a session is with offers
// SMTPUTF8.
func (l *life) offersUTF8(x *simSession) bool {
	switch l.world.hosts[x.host].kind {
	case lacksUTF8:
		return false
	case halfUTF8:
		return x.id%2 == 0
	}
	return true
}

// alive reports whether a mailbox exists at a host.
func (h *simHost) alive(mailbox string) bool {
	return strings.HasPrefix(mailbox, "good") || strings.HasPrefix(mailbox, "postmaster") && !h.noPostmaster
}

// simTalk is a transaction, as the host sees it.
type simTalk struct {
	*life
	h              *simHost
	x              *simSession
	a              Action
	o              *Outcome
	heard, refused int           // recipients
	left           time.Duration // until its time is over; zero: it has no end
}

// says is the reply to a recipient.
func (t *simTalk) says(to *belief.Heard) (*smtp.Reply, replies.Class) {
	h, client, n := t.h, t.client(t.x), t.h.limit(t.now)
	switch {
	case h.kind == takesAll, h.kind == refusesBeside && to.IsControl():
		return &accepts, replies.ClassOK
	case h.kind == limitsRecipients && t.heard >= n,
		h.kind == limitsForAWhile && t.heard >= n && t.now.Sub(start) < 30*time.Minute:
		return &tooMany, replies.ClassRateLimited
	case h.kind == policyAfter && t.x.named >= n, h.kind == nameless && to.IsControl():
		return &policy, replies.ClassBlocked
	case h.kind == oneRecipient && t.heard > 0:
		return &denied, replies.ClassAmbiguous
	case h.kind == ratesLimits && t.x.named >= n:
		return &tooFast, replies.ClassRateLimited
	case h.kind == limitsAll:
		return &hourly, replies.ClassRateLimited
	case h.kind == closes && t.x.refused >= n:
		return &shutting, replies.ClassRateLimited
	case h.kind == greylists && !client.grey[to.Mailbox]:
		client.grey[to.Mailbox] = true
		return &greyed, replies.ClassGreylisted
	case h.exempts && belief.Exempt(to.Mailbox):
	case h.kind == turnsSession && t.x.refused >= n, h.kind == turnsClient && client.refused >= n,
		h.kind == turnsTransaction && t.refused >= n:
		if h.exempts && h.kind != turnsTransaction { // one that does so in the same words cannot be found out
			return &rejected, replies.ClassNoSuchUser
		}
		return &unknown, replies.ClassNoSuchUser
	}
	if h.alive(to.Mailbox) {
		return &accepts, replies.ClassOK
	}
	return &unknown, replies.ClassNoSuchUser
}

// hears has the host reply to a recipient, and counts it.
func (t *simTalk) hears(to *belief.Heard) {
	to.Reply, to.Class = t.says(to)
	t.heard++
	t.x.named++
	if to.Refused() {
		t.refused++
		t.x.refused++
		t.client(t.x).refused++
	}
}

// stops is how the session ends at a recipient, if it does.
func (t *simTalk) stops(to *belief.Heard) belief.Trouble {
	h, n := t.h, t.h.limit(t.now)
	switch {
	case h.kind == muteHost, h.kind == hangsUp && t.x.refused >= n, h.kind == postfix && t.x.refused >= 20,
		t.byChance(2000):
		return belief.HungUp
	case h.kind == silentMailboxes && to.Role == belief.Target && strings.Contains(to.Mailbox, "7"):
		return belief.FellSilent
	}
	return belief.None
}

// refusesMAIL is how the transaction ends before anybody is named, if it does.
func (t *simTalk) refusesMAIL() {
	o, h := t.o, t.h
	shuns := func(keyword string) bool { return slices.Contains(t.a.Shun, keyword) }
	switch {
	case t.a.UTF8 && !t.offersUTF8(t.x):
		o.Trouble = belief.NotAsked
		return
	case h.kind == refusesMAIL && t.r.IntN(4) == 0:
		o.Trouble, o.MAIL = belief.MAILRefused, belief.Said{Reply: &tooFast, Class: replies.ClassRateLimited}
	case h.kind == wantsTLS && shuns(startTLS):
		o.Trouble, o.MAIL = belief.MAILRefused, belief.Said{Reply: &noTLS, Class: replies.ClassBlocked}
		o.NoTLS = true
	case h.kind == failsPipelining && len(t.a.Targets) > 1 && !shuns(pipelining):
		o.Trouble, o.Trial = belief.FailedTrial, pipelining
	case h.kind == silentMAIL && t.r.IntN(8) == 0:
		o.Trouble, o.MAIL = belief.FellSilent, belief.Said{}
		t.takes(replyTimeout)
	}
	o.Ended = o.Trouble != belief.None
}

// takes has the host take its time over a reply, and reports whether that
// comes: a session ends when the time of its job is over. That does not run
// while others of its transaction are answered.
func (t *simTalk) takes(d time.Duration) bool {
	left := t.left
	if len(t.a.Targets) < 2 {
		left -= t.o.Took
	}
	if t.left > 0 && d > left {
		t.o.Took += max(0, left)
		t.o.Hurried = true
		return false
	}
	t.o.Took += d
	return true
}

// converse is what comes of a transaction.
func (l *life) converse(x *simSession, a Action) (o Outcome) {
	t := &simTalk{life: l, h: &l.world.hosts[x.host], x: x, a: a, o: &o}
	if !a.Until.IsZero() {
		t.left = max(1, a.Until.Sub(l.now))
	}
	o.Targets, o.Alone, o.Stopped, o.Fresh = len(a.Targets), a.Alone, -1, x.transactions == 0
	o.MAIL.Reply = &mailIsOK
	if t.refusesMAIL(); o.Trouble != belief.NotAsked {
		x.transactions++
	}
	names(a, func(id JobID) Job { return l.jobs[id].Job }, t.add)
	if o.Trouble == belief.None {
		t.reset()
	}
	if o.Trouble == belief.None && o.Targets > 0 {
		t.askMore()
	}
	if o.Trouble == belief.None && o.Targets > 1 && !o.Alone && !slices.Contains(a.Shun, pipelining) {
		o.Passed = []string{pipelining}
	}
	if o.Trouble == belief.OutOfStep || o.Targets == 0 && o.Ended {
		for i := range o.Named {
			o.Named[i].Reply, o.Named[i].Class = nil, ""
		}
	}
	return o
}

// add names a recipient, unless the session has ended before. A proof is not
// named behind one that is alone and was not refused.
func (t *simTalk) add(mailbox, domain string, role belief.Role) {
	o := t.o
	to := belief.Heard{Mailbox: mailbox, Domain: domain, Role: role, Before: t.x.named}
	skipped := role == belief.Proof && o.Alone && !o.Named[0].Dead()
	if o.Trouble == belief.None && !skipped {
		d := time.Duration(1+t.r.IntN(20)) * time.Millisecond
		switch {
		case t.h.kind == slowHost:
			d = 2 * time.Second
		case t.h.kind == postfix && t.x.refused >= 10:
			d = time.Second
		}
		if o.Trouble = t.stops(&to); o.Trouble == belief.FellSilent {
			d = replyTimeout
		}
		if !t.takes(d) {
			o.Trouble = belief.FellSilent
		}
		if o.Trouble == belief.None {
			if t.hears(&to); to.Reply.Code == smtp.CodeServiceClosing {
				o.Trouble = belief.HungUp
			}
		}
		if o.Trouble != belief.None {
			o.Stopped, o.Ended = len(o.Named), true
		}
	}
	o.Named = append(o.Named, to)
}

// reset is the reply to RSET, and what it shows. A host that has answered twice
// before, or has left an answer out, is found out here.
func (t *simTalk) reset() {
	o := t.o
	switch misplaces := !o.Alone && t.r.IntN(4) == 0; {
	case t.h.kind == answersTwice && misplaces, t.h.kind == outOfStep && t.r.IntN(10) == 0:
		o.Trouble, o.Ended = belief.OutOfStep, true
		return
	case t.h.kind == answersNot && misplaces:
		t.misplace(t.r.IntN(len(o.Named)))
		o.Trouble, o.Ended = belief.FellSilent, true
		t.takes(3 * time.Second)
		return
	}
	if canary := &o.Named[len(o.Named)-1]; canary.Role == belief.Canary && canary.Accepted() && !o.Alone {
		o.Trouble, o.Ended = belief.OutOfStep, true
		return
	}
	slow := t.h.kind == postfix || t.h.kind == slowReset
	if o.Slow = slow && t.x.refused > ManyRefused; !o.Slow {
		return
	}
	wait := map[kind]time.Duration{postfix: time.Second, slowReset: 8 * time.Second}[t.h.kind]
	if !t.takes(wait) {
		o.Trouble, o.Ended, o.Slow = belief.FellSilent, true, false
	}
}

// misplace has each reply from one on be taken for that before, and the last
// for that to RSET.
func (t *simTalk) misplace(from int) {
	named := t.o.Named
	for i := from; i < len(named); i++ {
		named[i].Said = belief.Said{Reply: &resetOK, Class: replies.ClassOK}
		if i+1 < len(named) {
			named[i].Said = named[i+1].Said
		}
	}
	t.x.misplaced = true
}

// askMore names a proof once more that was refused, and a control that was in
// words that name no reason: it may have been one too many. If that is refused
// again, an accepted target is named behind it. (Package transaction)
func (t *simTalk) askMore() {
	o := t.o
	for i := o.Targets; i < len(o.Named); i++ {
		r := &o.Named[i]
		target := slices.IndexFunc(o.Named[:o.Targets], func(h belief.Heard) bool {
			return h.Domain == r.Domain && h.Accepted() && !belief.Exempt(h.Mailbox)
		})
		switch {
		case r.Role == belief.Proof && r.Refused():
		case r.Role == belief.Control && target >= 0 && (r.Nameless() || o.Targets == 1 && r.Unclear()):
		default:
			continue
		}
		r.Said = t.onceMore(r)
		if r.Role == belief.Control && r.Nameless() {
			r.Behind = t.onceMore(&o.Named[target]).Reply
		}
		if o.Targets > 1 && !r.AcceptsBehind() && (r.Role == belief.Control || r.Accepted()) {
			o.Trouble = belief.TooMany
		}
	}
}

// onceMore names a recipient in a transaction of its own.
func (t *simTalk) onceMore(r *belief.Heard) belief.Said {
	t.o.Repeated++
	t.x.transactions++
	t.heard, t.refused = 0, 0
	again := belief.Heard{Mailbox: r.Mailbox, Domain: r.Domain, Role: r.Role}
	t.takes(time.Duration(1+t.r.IntN(20)) * time.Millisecond)
	t.hears(&again)
	return again.Said
}
