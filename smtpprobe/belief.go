package smtpprobe

import (
	"slices"
	"strconv"

	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// fate is what becomes of a job after a transaction.
type fate int

const (
	final       fate = iota
	awaitsProof      // refused, and nobody was accepted behind it yet
	unproven         // final: refused, and the host gave no proof that it still accepts anybody
	again            // in a smaller transaction
	againAlone       // one command at a time, in a session of its own
)

// fate decides what becomes of job i. The pool's lock is held.
func (t *transaction) fate(i int) fate {
	switch {
	case t.trouble == notAsked && !t.alone && !t.host.limits.trusted[lacksSMTPUTF8]:
		return againAlone
	case t.trouble == cutOff:
		return t.noTimeFor(i)
	case t.alone:
		return t.lastFate(i)
	case t.trouble == noTrouble:
		return t.believe(i)
	case t.trouble == notAsked, t.owns(i):
		return final
	}
	return again
}

// company reports whether others are to be answered in the session, too.
func (t *transaction) company() bool { return len(t.jobs) > 1 || !t.fresh }

// owns reports whether the trouble is the answer about target i: the session
// ended before anybody was named, the host fell silent at the target, or no
// other target was in the session and it ended there, or with what is no reply.
func (t *transaction) owns(i int) bool {
	switch {
	case t.fresh && !t.mail.accepted():
		return t.trouble != outOfStep
	case t.stopped == i && t.trouble == fellSilent:
		return t.fresh || i > 0
	}
	return !t.company() && (t.stopped == i || t.stopped > i && t.trouble == outOfStep)
}

// believe tells what a reply in a transaction that is in step proves.
func (t *transaction) believe(i int) fate {
	r := &t.named[i]
	switch {
	case t.contradicted(i) && !t.host.limits.trusted[confirmed]:
		return againAlone
	case t.company() && (!t.believes(r) || r.accepted() && t.controlDoubtful(t.jobs[i])):
		return againAlone
	}
	switch {
	case !isDead(r.class) || t.proven(i):
		return final
	case t.proof.known && t.turned(), t.mayHaveTurned():
		return again
	}
	return awaitsProof
}

// mayHaveTurned reports whether the host accepted mailboxes of the transaction
// and refused so many of them that it may have turned for its rest. What it
// accepts in the next one then proves nothing: Exim's $rcpt_fail_count, for
// example, begins anew with each MAIL. Asked again, they bring a proof along.
func (t *transaction) mayHaveTurned() bool {
	refused := 0
	for _, r := range t.named[:len(t.jobs)] {
		if r.Reply != nil && isDead(r.class) {
			refused++
		}
	}
	named := func(r recipient) bool { return r.role == isProof }
	return refused > freeRefusals && t.anyAccepted() && !slices.ContainsFunc(t.named, named)
}

// noTimeFor is the fate of job i where it is to be asked again and there is no
// time. A reply that is not believed is dropped. A refusal stays without the
// proof that it lacks.
func (t *transaction) noTimeFor(i int) fate {
	r := &t.named[i]
	switch {
	case t.trouble != noTrouble, t.contradicted(i), r.accepted():
		r.Reply = nil
	case r.Reply != nil && isDead(r.class):
		return unproven
	}
	return final
}

// lastFate is that of a job which is not asked about again.
func (t *transaction) lastFate(i int) fate {
	if r := &t.named[i]; r.Reply != nil && isDead(r.class) && !t.proven(i) {
		if !t.proof.known {
			return awaitsProof // of another session
		}
		return unproven
	}
	return final
}

// isDead reports whether a class says that a mailbox takes no mail for good.
func isDead(c replies.Class) bool {
	return c == replies.ClassNoSuchUser || c == replies.ClassDisabled || c == replies.ClassMoved
}

// proven reports whether the refusal of target i counts: a mailbox behind it
// was accepted, or the host accepted nobody yet and it is among the first few
// that it hears.
func (t *transaction) proven(i int) bool {
	for j := i + 1; j < len(t.named); j++ {
		if t.named[j].accepted() {
			return true
		}
	}
	h := t.host
	undisturbed := h.heard == t.heard+len(t.named) // by sessions beside this one
	return t.fresh && undisturbed && len(h.accepted) == 0 && t.heard+t.named[i].before < freeRefusals
}

// turned reports whether the host refused a mailbox that it had accepted.
func (t *transaction) turned() bool {
	return slices.ContainsFunc(t.named, func(r recipient) bool {
		return r.role == isProof && r.Reply != nil && r.Reply.Code >= 500
	})
}

// anyAccepted reports whether a mailbox was, whoever's.
func (t *transaction) anyAccepted() bool {
	return t.trouble == noTrouble && slices.ContainsFunc(t.named, func(r recipient) bool { return r.accepted() })
}

// anyTooMany reports whether a recipient was refused for being one too many.
func (t *transaction) anyTooMany() bool {
	return len(t.jobs) > 1 && slices.ContainsFunc(t.named[1:], func(r recipient) bool {
		return r.Reply != nil && (limited(*r.Reply) || r.class == replies.ClassRateLimited) && !t.believes(&r)
	})
}

// confirmed is what a host has shown, as [hostLimits.trusted] has it, that
// refuses a mailbox in a domain whose control it accepts and means it.
const confirmed = "refused beside an accepted control"

// What sessions with a host have shown, as [hostLimits.trusted] has it. Behind
// one address one machine may offer SMTPUTF8, and another not: it is missing
// only where two sessions in a row agree and none is known that had it.
const (
	lacksSMTPUTF8  = "two sessions lacked SMTPUTF8"
	offersSMTPUTF8 = "a session offered SMTPUTF8"
)

// contradicted reports whether a target was refused for good in a domain whose
// control was accepted.
func (t *transaction) contradicted(i int) bool {
	control := t.jobs[i].control
	if r := t.controlOf(t.jobs[i]); r != nil {
		control = r.Reply
	}
	reply := t.named[i].Reply
	return reply != nil && reply.Code >= 500 && control != nil && !control.Refused()
}

// doubtsControl reports whether a target of the control's domain is to be asked
// about again because the control was accepted.
func (t *transaction) doubtsControl(control *recipient) bool {
	for i := range t.jobs {
		if t.named[i].domain == control.domain && t.contradicted(i) && !t.host.limits.trusted[confirmed] {
			return true
		}
	}
	return false
}

// controlDoubtful reports whether the control was refused in a way that may be
// about the session, or in an earlier one, and this one accepts another: its
// machine may accept everything.
func (t *transaction) controlDoubtful(j *job) bool {
	control := t.controlOf(j)
	if control == nil && j.control != nil && j.control.Refused() {
		taken := func(r recipient) bool { return r.role == isControl && r.accepted() }
		return slices.ContainsFunc(t.named, taken)
	}
	return control != nil && control.role == isControl && (control.Reply == nil || !t.believes(control))
}

// believes reports whether a reply to a recipient that was not the first of the
// session is about the mailbox: it says what is the matter with it, or the host
// says the same to one that is alone.
func (t *transaction) believes(r *recipient) bool {
	switch r.class {
	case replies.ClassOK, replies.ClassOKUnverified, replies.ClassNoSuchUser, replies.ClassDisabled,
		replies.ClassMoved, replies.ClassMailboxFull:
		return true
	case replies.ClassGreylisted:
		return true // to ask again at once would not help, and is what greylisting is against
	}
	return r.before == 0 || t.host.limits.trusted[sortOf(r)]
}

// sortOf is the sort of a refusal.
func sortOf(r *recipient) string {
	if r.Reply == nil {
		return ""
	}
	return strconv.Itoa(r.Reply.Code) + " " + r.Reply.Enhanced + " " + string(r.class)
}
