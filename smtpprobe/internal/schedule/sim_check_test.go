package schedule

import (
	"slices"
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
		if is(simIdle); l.fault == nil && x.idle(l.now) > l.world.config.Idle {
			l.wrong("session %d is idle for %v", x.id, x.idle(l.now))
		}
	case Abort:
		is(simOpening, simBusy)
	case Answer:
		l.checkAnswer(a)
	case Tell:
		l.notePause(a.News)
	case Count:
		if n := l.callers[a.Caller]; a.Waiting < 0 || a.Waiting > n || a.Gone != (n == 0) {
			l.wrong("list %d: %d jobs wait of %d, gone %t", a.Caller, a.Waiting, n, a.Gone)
		}
	}
}

// checkOpen holds the limits, and that hosts that are to be left alone are.
func (l *life) checkOpen(a Action) {
	host, j := hostOf(a.Addr), l.jobs[a.For]
	_, given := l.given[a.For]
	switch client := l.clients[clientKey{host, a.Egress}]; {
	case j == nil || given || j.host != host:
		l.wrong("a session is opened for nobody")
		return
	case l.shut:
		l.wrong("a session is opened after the end")
	case client != nil && l.now.Before(client.restless) && !l.removed:
		l.wrong("host %d is to be left alone for another %v", host, client.restless.Sub(l.now))
	case client != nil && client.window > 0 && l.now.Sub(client.halved) < time.Minute && l.openWith(host, a.Egress) >= client.window:
		l.wrong("host %d has put us off, and has %d sessions", host, l.openWith(host, a.Egress)+1)
	case j.fresh && l.ended[j.Caller]:
		l.wrong("job %d is asked about, and its list ends", j.ID)
	case j.Caller != 0 && l.singleWaits(host):
		l.wrong("a session for a list goes ahead of a single check at host %d", host)
	case j.fresh && j.Caller == 0 && l.idleWith(host, a.Egress):
		l.wrong("a session is opened while another one is idle")
	}
	l.checkLimits(a, host, j.Caller != 0)
	l.checkWay(a, j)
}

// openWith is how many sessions a host has by an egress that do not end.
func (l *life) openWith(host int, e EgressID) (n int) {
	for _, x := range l.sessions {
		if x.host == host && x.egress == e && x.phase != simEnding && !x.aborted {
			n++
		}
	}
	return n
}

func (l *life) idleWith(host int, e EgressID) bool {
	for _, x := range l.sessions {
		if x.host == host && x.egress == e && x.phase == simIdle && x.idle(l.now) > 0 {
			return true
		}
	}
	return false
}

// mostAsked is how often a job may be asked about: with others, with a quarter
// of them and so on, in the end alone (rule 3.4), and for a proof. Where a host
// refuses company by policy, of each transaction one is asked alone, and the
// others come along until it is their turn: eleven times at most in 16 million
// events, and five recipients an address for a list of any length.
const mostAsked = 30

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
		if j.fresh && l.ended[j.Caller] {
			l.wrong("job %d is asked about, and its list ends", j.ID)
		}
		if j.asked > mostAsked {
			l.wrong("job %d is asked about more than %d times", j.ID, mostAsked)
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
	case n > 0 && l.isPaused(x.host, x.egress):
		l.wrong("a question to a provider that is paused")
	case n > 0 && x.runs > 0 && (l.egress(x.egress) == nil || l.egress(x.egress).gone):
		l.wrong("a question by egress %d, which is gone", x.egress)
	}
	if lists > 0 {
		l.checkShare(x)
	}
	l.checkSession(x, a)
	l.checkSize(x, a)
	l.checkControls(x, a)
	l.checkProof(x, a)
	l.checkNamed(x, a, lists > 0)
}

// checkShare holds how many sessions with a host are used for lists. (Rule 2.4)
func (l *life) checkShare(x *simSession) {
	n := 0
	for _, y := range l.sessions {
		works := (y.phase == simOpening || y.phase == simBusy) && !y.aborted
		if y == x || y.host == x.host && y.egress == x.egress && works && y.list {
			n++
		}
	}
	if most := share(l.world.config.MaxSessionsPerHost, true); n > most {
		l.wrong("%d sessions of host %d have lists, of at most %d", n, x.host, most)
	}
}

// checkSession holds what a session may be used for. (Rules 4.2, 5.3, 5.4,
// 5.6, 9.2 and 9.3)
func (l *life) checkSession(x *simSession, a Action) {
	client, most := l.client(x), l.world.config.Refused
	if l.now.Before(client.slow) {
		most = ManyRefused
	}
	if client.failed != "" && l.now.Sub(client.failedAt) < trialLasts && !slices.Contains(a.Shun, client.failed) {
		l.wrong("%s is used with host %d, where it has failed", client.failed, x.host)
	}
	open := l.openWith(x.host, x.egress)
	switch {
	case x.proved:
		l.wrong("session %d goes on behind a proof", x.id)
	case len(a.Targets) == 0 || x.runs == 0:
	case client.window > 0 && l.now.Sub(client.halved) < time.Minute && open > client.window:
		l.wrong("host %d has put us off, and goes on with %d sessions", x.host, open)
	case x.transactions >= mostTransactions:
		l.wrong("a session has transaction %d", x.transactions+1)
	case x.named+len(a.Targets)+len(a.Controls) > mostNamed:
		l.wrong("a session names %d recipients", x.named+len(a.Targets)+len(a.Controls))
	case l.now.Sub(x.began) >= mostAge:
		l.wrong("a session is %v old", l.now.Sub(x.began))
	case x.idle(l.now) > l.world.config.Idle:
		l.wrong("session %d was idle for %v", x.id, x.idle(l.now))
	case most > 0 && x.refusals >= most:
		l.wrong("a question behind %d refusals of %d", x.refusals, most)
	}
}

// checkSize holds that a transaction has as many recipients as the host is
// known to answer in three seconds. (Rule 3.2)
func (l *life) checkSize(x *simSession, a Action) {
	n, each := len(a.Targets), l.client(x).each
	switch {
	case n > mostRecipients:
		l.wrong("%d targets in a transaction", n)
	case n > 1 && each > 0 && n > int(longestTransaction/each):
		l.wrong("%d targets at a host that takes %v for each", n, each)
	}
}

// checkControls holds rule 3.3: for each domain a control is named, or what the
// host has said about it in the last ten minutes is known.
func (l *life) checkControls(x *simSession, a Action) {
	named := map[string]bool{}
	for _, id := range a.Controls {
		domain := l.jobs[id].Domain
		if named[domain] {
			l.wrong("the control of %s is named twice", domain)
		}
		named[domain] = true
	}
	for i, id := range a.Targets {
		j := l.jobs[id]
		switch known := a.Known[i].Reply; {
		case known != nil:
			if at, ok := l.controls[controlOf{x.host, j.Domain, known.Lines[0]}]; !ok || l.now.Sub(at) > controlLasts+replyTimeout {
				l.wrong("the host has not said %v of the control of %s", known, j.Domain)
			}
		case j.Control != "" && !named[j.Domain]:
			l.wrong("the control of %s is not named", j.Domain)
		}
	}
}

// checkProof holds rule 4.1: several targets have a mailbox behind them that
// the host has accepted, if there is one.
func (l *life) checkProof(x *simSession, a Action) {
	c := l.client(x)
	if a.Proof == "" {
		known := len(a.Targets) > 1 && slices.ContainsFunc(c.proofs, func(p string) bool {
			return !slices.ContainsFunc(a.Targets, func(id JobID) bool { return strings.EqualFold(l.jobs[id].Target, p) })
		})
		if known && l.now.Sub(c.heardAt) < limitsLast {
			l.wrong("no proof is named behind %d targets", len(a.Targets))
		}
		return
	}
	if !strings.HasPrefix(a.Proof, belief.Postmaster+"@") && !c.ever[a.Proof] {
		l.wrong("%s proves nothing: the host has not accepted it", a.Proof)
	}
}

// singleWaits reports whether a single check waits for a host that no session
// has had yet, where there is one egress: with several, it may wait for another
// one.
func (l *life) singleWaits(host int) bool {
	return len(l.world.egresses) == 1 && !l.removed && l.singles[host] > 0
}

// checkAnswer holds that there is one answer, that it is true and proven, and
// that there was reason for it.
func (l *life) checkAnswer(a Action) {
	j := l.jobs[a.Job]
	_, given := l.given[a.Job]
	switch {
	case given || j == nil:
		l.wrong("job %d has its answer", a.Job)
		return
	case !j.Limit.IsZero() && l.now.Sub(j.Limit) > lastWords:
		l.wrong("job %d has its answer %v after its time", a.Job, l.now.Sub(j.Limit))
	case a.Retry < 0:
		l.wrong("job %d is to ask again in %v", a.Job, a.Retry)
	}
	switch a.Result {
	case Inherited, Silent, Turned, AtLimit:
		l.checkInherited(a, j)
	case Unproven:
		l.unproven++
	case Final:
		l.checkFinal(a, j)
	default:
		l.checkReason(a, j)
	}
}

// checkInherited holds that what answers a job is the failure of its host, and
// that the host is left alone from then on. (Rules 4.5 and 5.5)
func (l *life) checkInherited(a Action, j *simJob) {
	from, ok := a.From.(account)
	switch {
	case !ok || from.host != j.host:
		l.wrong("job %d at host %d has the answer of host %v", a.Job, j.host, a.From)
		return
	case a.Result == Inherited && from.hurried && j.asked == 0 && (j.Budget == 0 || j.Budget > from.had*11/10):
		l.wrong("job %d has %v, and the answer of one with %v", a.Job, j.Budget, from.had)
	case a.Ago < 0 || a.Ago > failureLasts && a.Result != AtLimit || a.Ago > limitedLasts:
		l.wrong("job %d has an answer of %v ago", a.Job, a.Ago)
	}
	if c := l.clients[clientKey{j.host, a.Egress}]; c != nil && a.Result != Inherited && !from.hurried {
		lasts := failureLasts
		if a.Result == AtLimit {
			lasts = limitedLasts
		}
		c.restless = l.now.Add(lasts - a.Ago)
	}
}

// checkReason holds that there was reason not to answer a question.
func (l *life) checkReason(a Action, j *simJob) {
	e := l.egress(a.Egress)
	late := !j.Limit.IsZero() && !l.now.Before(j.Limit)
	ok := true
	switch a.Result {
	case Failed:
		ok = late || j.putOff == 0 || j.putOff > maxAtLimit
	case GivenUp:
		ok = j.givenUp
	case LeftOut:
		ok = l.ended[j.Caller]
	case ShutDown:
		ok = l.shut
	case Moved:
		ok = e == nil || e.gone
	case NoEgress:
		ok = j.ways == 0 || len(j.Without) > 0 && (j.up == 0 || l.complained[l.providerOf(j.host)])
	case Full:
		ok = j.Caller == 0 && l.open[openOf{host: j.host}] > l.world.config.MaxWaitingPerHost
	case HeldBack:
		most, set := l.most[j.Caller]
		ok = set && most >= 0 && l.open[openOf{provider: l.providerOf(j.host)}]+l.callers[j.Caller] > most
	case Paused, Slowed:
		ok = l.complained[l.providerOf(j.host)] && a.Retry > 0
	case Limited:
		ok = !j.Limit.IsZero() && a.Retry >= LeastWait && l.now.Add(a.Retry).After(j.Limit)
	case Busy, TooLate:
		ok = late && j.session == nil || late && a.Result == TooLate
	case Unfinished, OutOfTurn:
		ok = late && (j.session != nil || j.proves)
		if x := j.session; ok && x != nil && !x.run.Until.IsZero() && !l.now.Before(x.run.Until) && l.now.Sub(j.Limit) < lastWords && len(x.jobs) == 1 && x.phase == simBusy {
			l.wrong("job %d has no time for last words", j.ID)
		}
	}
	if !ok {
		l.wrong("job %d has no reason to be told %d", a.Job, a.Result)
	}
}

func (l *life) providerOf(host int) string { return l.world.hosts[host].provider.Provider }

// checkFinal compares a final answer with the truth. A refusal needs its proof:
// the host has accepted somebody behind it, or had heard of nobody else before.
func (l *life) checkFinal(a Action, j *simJob) {
	said := j.said
	switch h := &l.world.hosts[j.host]; {
	case j.asked == 0:
		l.wrong("job %d was not asked about", j.ID)
	case said == nil || said.Reply == nil:
		if c := j.client; j.trouble == belief.NotAsked && l.now.Sub(start) < limitsLast && !c.offered.IsZero() {
			l.wrong("SMTPUTF8 is missing at host %d, which has offered it", j.host)
		}
		if j.trouble == belief.NotAsked && j.client.lacked < 2 {
			l.wrong("SMTPUTF8 is missing at host %d: one session says so", j.host)
		}
		if j.trouble == belief.None || j.trouble == belief.CutOff {
			l.wrong("job %d: nothing was said", j.ID)
		}
	case j.trouble != belief.None && !j.alone && said.Reply.Code != smtp.CodeServiceClosing:
		l.wrong("job %d: %v is not to be believed", j.ID, said.Reply)
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

// checkSessions sees that sessions which work for nobody any more have been
// ended. (Rule 1.4)
func (l *life) checkSessions() {
	for _, x := range l.answered {
		nobody := !slices.ContainsFunc(x.jobs, func(j *simJob) bool {
			_, given := l.given[j.ID]
			return !given
		})
		if (x.phase == simOpening || x.phase == simBusy) && !x.aborted && nobody {
			l.wrong("session %d goes on for nobody", x.id)
		}
	}
	l.answered = l.answered[:0]
}

// checkWaiting holds how many single checks wait for a host. (Rule 6.5)
func (l *life) checkWaiting() {
	c := &l.world.config
	if len(l.world.egresses) > 1 || l.removed {
		return
	}
	for host, n := range l.singles {
		if n > c.MaxWaitingPerHost+c.MaxSessionsPerHost {
			l.wrong("%d single checks wait for host %d", n, host)
		}
	}
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
