package belief

import (
	"slices"

	"github.com/rcpt/rcpt/smtpprobe/internal/dialogue"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Fate is what becomes of a target after a transaction.
type Fate int

// Fates of targets.
const (
	Final       Fate = iota // what the host said, or did, is the answer
	AwaitsProof             // refused, and nobody was accepted behind it yet
	Unproven                // final: refused, and the host gave no proof that it still accepts anybody
	Dropped                 // final, without the reply, which is not believed: there is no time to ask again
	Again                   // in a smaller transaction
	AgainAlone              // one command at a time, in a session of its own
)

// Case is a transaction that is over, with what was known before.
type Case struct {
	*dialogue.Transaction
	Host
	Controls   []*smtp.Reply // for each target: the answer about an earlier control of its domain; nil: none is known
	ProofKnown bool          // the host had accepted the proof before
}

// Host is what a mail host has shown.
type Host struct {
	Shown   Shown
	Unheard bool    // it was asked about no other target in the last hour
	Others  bool    // it has heard others since
	Accepts bool    // it has accepted a mailbox in the last hour
	First   Wording // of its first refusal
}

// Finds returns the trouble of the transaction: that which it ended with or, if
// there was none, that a recipient was one too many.
func (c *Case) Finds() dialogue.Trouble {
	if c.Trouble == dialogue.None && c.anyTooMany() {
		return dialogue.TooMany
	}
	return c.Trouble
}

// Fates returns what becomes of the targets, going by the trouble of the
// transaction ([Case.Finds]). Of those with the same doubtful reply one is
// asked about alone: its answer shows what that reply means for the others.
func (c *Case) Fates() []Fate {
	fates := make([]Fate, c.Targets)
	alone := map[string]bool{}
	for i := range fates {
		fates[i] = c.fate(i)
		if fates[i] == AgainAlone {
			sort := SortOf(&c.Named[i])
			if c.reworded(i) {
				sort = WordingOf(&c.Named[i]).String()
			}
			if alone[sort] {
				fates[i] = Again
			}
			alone[sort] = true
		}
	}
	return fates
}

func (c *Case) fate(i int) Fate {
	switch {
	case c.Trouble == dialogue.NotAsked && !c.Alone && !c.Shown[LacksSMTPUTF8]:
		return AgainAlone
	case c.Trouble == dialogue.CutOff:
		return c.NoTimeFor(i)
	case c.Alone:
		return c.last(i)
	case c.Trouble == dialogue.None:
		return c.believe(i)
	case c.Trouble == dialogue.NotAsked, c.Trouble == dialogue.Failed, c.owns(i):
		return Final
	}
	return Again
}

// owns reports whether the trouble is the answer about target i: the session
// ended before anybody was named, the host fell silent at the target, or no
// other target was in the session and it ended there, or with what is no reply.
func (c *Case) owns(i int) bool {
	switch {
	case c.Fresh && !c.MAIL.Accepted():
		return c.Trouble != dialogue.OutOfStep
	case c.Stopped == i && c.Trouble == dialogue.FellSilent:
		return c.Fresh || i > 0
	}
	return !c.Company() && (c.Stopped == i || c.Stopped > i && c.Trouble == dialogue.OutOfStep)
}

// believe tells what a reply in a transaction that is in step proves.
func (c *Case) believe(i int) Fate {
	r := &c.Named[i]
	switch {
	case c.Contradicted(i) && !c.Shown[Confirmed]:
		return AgainAlone
	case c.Company() && (!c.believes(r) || r.Accepted() && c.controlDoubtful(i)):
		return AgainAlone
	case !r.Dead() || c.proven(i):
		return Final
	case c.reworded(i):
		return AgainAlone
	case c.Hostile(), c.MayBeHostile() && (c.Accepts || c.AnyAccepted()):
		return Again
	}
	return AwaitsProof
}

// last is the fate of a target that is not asked about again. Without a proof
// that is known to be one, another session may bring it.
func (c *Case) last(i int) Fate {
	switch {
	case !c.Named[i].Dead() || c.proven(i):
		return Final
	case c.ProofKnown:
		return Unproven
	}
	return AwaitsProof
}

// NoTimeFor returns the fate of target i if it is to be asked about again and
// there is no time: a reply that is not believed is dropped, and a refusal
// stays without the proof that it lacks.
func (c *Case) NoTimeFor(i int) Fate {
	r := &c.Named[i]
	switch {
	case c.Trouble != dialogue.None, c.Contradicted(i), r.Accepted():
		return Dropped
	case r.Dead():
		return Unproven
	}
	return Final
}

// believes reports whether a reply to a recipient is about the mailbox, and not
// about the session so far: its class says so, the recipient was the first of
// the session, or the host has said the same to a lone one. A recipient that is
// greylisted is believed, too: to ask again at once would not help, and is what
// greylisting is against.
func (c *Case) believes(r *dialogue.Recipient) bool {
	return r.Class.AboutMailbox() || r.Class == replies.ClassGreylisted || r.Before == 0 || c.Shown[SortOf(r)]
}

// Tells reports whether the reply to a recipient says what the provider thinks
// of us. A refusal that only says that the session is too long does not, nor
// does one that is about a control.
func (c *Case) Tells(r *dialogue.Recipient) bool {
	if r.AcceptsBehind() {
		return false
	}
	return r.Before == 0 || r.Accepted() ||
		r.Reply.Code != smtp.CodeServiceClosing && !r.TooMany() && c.believes(r)
}

// anyTooMany reports whether a recipient was refused for being one too many.
func (c *Case) anyTooMany() bool {
	return c.Targets > 1 && slices.ContainsFunc(c.Named[1:], func(r dialogue.Recipient) bool {
		return (r.TooMany() || r.Reply != nil && r.Class == replies.ClassRateLimited) && !c.believes(&r)
	})
}
