package smtpprobe

import (
	"slices"
	"strconv"

	"github.com/rcpt/rcpt/smtpprobe/internal/dialogue"
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
	case t.Trouble == dialogue.NotAsked && !t.Alone && !t.host.limits.trusted[lacksSMTPUTF8]:
		return againAlone
	case t.Trouble == dialogue.CutOff:
		return t.noTimeFor(i)
	case t.Alone:
		return t.lastFate(i)
	case t.Trouble == dialogue.None:
		return t.believe(i)
	case t.Trouble == dialogue.NotAsked, t.owns(i):
		return final
	}
	return again
}

// owns reports whether the trouble is the answer about target i: the session
// ended before anybody was named, the host fell silent at the target, or no
// other target was in the session and it ended there, or with what is no reply.
func (t *transaction) owns(i int) bool {
	switch {
	case t.Fresh && !t.MAIL.Accepted():
		return t.Trouble != dialogue.OutOfStep
	case t.Stopped == i && t.Trouble == dialogue.FellSilent:
		return t.Fresh || i > 0
	}
	return !t.company() && (t.Stopped == i || t.Stopped > i && t.Trouble == dialogue.OutOfStep)
}

// believe tells what a reply in a transaction that is in step proves.
func (t *transaction) believe(i int) fate {
	r := &t.Named[i]
	switch {
	case t.contradicted(i) && !t.host.limits.trusted[confirmed]:
		return againAlone
	case t.company() && (!t.believes(r) || r.Accepted() && t.controlDoubtful(t.jobs[i])):
		return againAlone
	}
	switch {
	case !r.Dead() || t.proven(i):
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
	for _, r := range t.Named[:len(t.jobs)] {
		if r.Dead() {
			refused++
		}
	}
	return refused > freeRefusals && t.anyAccepted() && !t.Names(dialogue.Proof)
}

// noTimeFor is the fate of job i where it is to be asked again and there is no
// time. A reply that is not believed is dropped. A refusal stays without the
// proof that it lacks.
func (t *transaction) noTimeFor(i int) fate {
	r := &t.Named[i]
	switch {
	case t.Trouble != dialogue.None, t.contradicted(i), r.Accepted():
		r.Reply = nil
	case r.Dead():
		return unproven
	}
	return final
}

// lastFate is that of a job which is not asked about again.
func (t *transaction) lastFate(i int) fate {
	if r := &t.Named[i]; r.Dead() && !t.proven(i) {
		if !t.proof.known {
			return awaitsProof // of another session
		}
		return unproven
	}
	return final
}

// proven reports whether the refusal of target i counts: a mailbox behind it
// was accepted, or the host accepted nobody yet and it is among the first few
// that it hears.
func (t *transaction) proven(i int) bool {
	for j := i + 1; j < len(t.Named); j++ {
		if t.Named[j].Accepted() {
			return true
		}
	}
	h := t.host
	undisturbed := h.heard == t.heard+len(t.Named) // by sessions beside this one
	return t.Fresh && undisturbed && len(h.accepted) == 0 && t.heard+t.Named[i].Before < freeRefusals
}

// turned reports whether the host refused a mailbox that it had accepted.
func (t *transaction) turned() bool {
	return slices.ContainsFunc(t.Named, func(r dialogue.Recipient) bool {
		return r.Role == dialogue.Proof && r.Reply != nil && r.Reply.Code >= 500
	})
}

// anyAccepted reports whether a mailbox was, whoever's.
func (t *transaction) anyAccepted() bool {
	accepted := func(r dialogue.Recipient) bool { return r.Accepted() }
	return t.Trouble == dialogue.None && slices.ContainsFunc(t.Named, accepted)
}

// anyTooMany reports whether a recipient was refused for being one too many.
func (t *transaction) anyTooMany() bool {
	return len(t.jobs) > 1 && slices.ContainsFunc(t.Named[1:], func(r dialogue.Recipient) bool {
		return (r.TooMany() || r.Reply != nil && r.Class == replies.ClassRateLimited) && !t.believes(&r)
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
	reply := t.Named[i].Reply
	return reply != nil && reply.Code >= 500 && control != nil && !control.Refused()
}

// doubtsControl reports whether a target of the control's domain is to be asked
// about again because the control was accepted.
func (t *transaction) doubtsControl(control *dialogue.Recipient) bool {
	for i := range t.jobs {
		if t.Named[i].Domain == control.Domain && t.contradicted(i) && !t.host.limits.trusted[confirmed] {
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
		taken := func(r dialogue.Recipient) bool { return r.Role == dialogue.Control && r.Accepted() }
		return slices.ContainsFunc(t.Named, taken)
	}
	return control != nil && control.Role == dialogue.Control && (control.Reply == nil || !t.believes(control))
}

// believes reports whether a reply to a recipient that was not the first of the
// session is about the mailbox: it says what is the matter with it, or the host
// says the same to one that is alone.
func (t *transaction) believes(r *dialogue.Recipient) bool {
	switch r.Class {
	case replies.ClassOK, replies.ClassOKUnverified, replies.ClassNoSuchUser, replies.ClassDisabled,
		replies.ClassMoved, replies.ClassMailboxFull:
		return true
	case replies.ClassGreylisted:
		return true // to ask again at once would not help, and is what greylisting is against
	}
	return r.Before == 0 || t.host.limits.trusted[sortOf(r)]
}

// sortOf is the sort of a refusal.
func sortOf(r *dialogue.Recipient) string {
	if r.Reply == nil {
		return ""
	}
	return strconv.Itoa(r.Reply.Code) + " " + r.Reply.Enhanced + " " + string(r.Class)
}
