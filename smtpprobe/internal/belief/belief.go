package belief

import (
	"slices"

	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Case is a transaction that is over, with what was known before.
type Case struct {
	Outcome    *Outcome
	Host       Host
	Controls   []*smtp.Reply // for each target: the answer about an earlier control of its domain; nil: none is known
	ProofKnown bool          // the host had accepted the proof before
	Known      []bool        // for each target: the host had accepted it before
}

// Host is what a mail host has shown.
type Host struct {
	Shown   Shown
	Unheard bool    // it was asked about no other target in the last hour
	Others  bool    // it has heard others since
	Accepts bool    // it has accepted a mailbox in the last hour
	First   Wording // of its first refusal
	Limited int     // transactions in a row that it answered with a limit of its own
}

// Finding is what a case proves. Recipients are named by their index in
// [Outcome].Named.
type Finding struct {
	// Trouble is that of the transaction or, if it had none, [TooMany] where a
	// recipient was one too many.
	Trouble Trouble
	Fates   []Fate // of the targets

	// Hostile: the host refuses everybody. It refused a mailbox that it had
	// accepted before, and behind a target none but one that it may exempt.
	Hostile bool
	// Reworded: a target was refused in other words than before. The host may
	// be hostile.
	Reworded bool
	// MayBeHostile: the host may refuse everybody for the rest of the
	// transaction: it refused several targets, and was named no proof. What it
	// accepts in the next one proves nothing.
	MayBeHostile bool

	Accepted      []int    // mailboxes that prove later refusals: targets, and the proof
	ProofAccepted bool     // the proof was accepted
	Controls      []int    // controls whose answers need not be asked for again
	Shown         []string // by the host, that it had not shown before
	Tells         []int    // recipients whose replies say what the provider thinks of us
	Limited       int      // as in [Host], with this transaction
	PutOff        bool     // the session was not wanted, whatever it was used for
	Mute          bool     // a session for one target, in which nothing was said about any recipient
}

// Judge returns what the case proves.
func (c Case) Judge() Finding {
	trouble := c.trouble()
	f := Finding{
		Trouble: trouble, Fates: c.fates(trouble),
		Hostile: c.hostile(), Reworded: c.reworded(), MayBeHostile: c.mayBeHostile(),
		ProofAccepted: c.proofAccepted(), Limited: c.limited(trouble), PutOff: c.putOff(),
		Mute: !c.Outcome.Company() && trouble >= OutOfStep && !c.Outcome.Answered(),
	}
	f.Tells = c.tells(f.Fates)
	switch {
	case trouble == None:
		f.Accepted, f.Controls, f.Shown = c.accepted(), c.settledControls(), c.newlyShown()
	case trouble == NotAsked && c.Outcome.Alone:
		f.Shown = c.Host.Shown.without(nil, LacksSMTPUTF8)
	}
	return f
}

// trouble is that which the transaction ended with or, if there was none, that
// a recipient was one too many.
func (c *Case) trouble() Trouble {
	if c.Outcome.Trouble == None && c.anyTooMany() {
		return TooMany
	}
	return c.Outcome.Trouble
}

// anyTooMany reports whether a recipient was refused for being one too many.
func (c *Case) anyTooMany() bool {
	return c.Outcome.Targets > 1 && slices.ContainsFunc(c.Outcome.Named[1:], func(r Heard) bool {
		return (r.TooMany() || r.Reply != nil && r.Class == replies.ClassRateLimited) && !c.believes(&r)
	})
}

// believes reports whether a reply to a recipient is about the mailbox, and not
// about the session so far: its class says so, the recipient was the first of
// the session, or the host has said the same to a lone one. A recipient that is
// greylisted is believed, too: to ask again at once would not help, and is what
// greylisting is against.
func (c *Case) believes(r *Heard) bool {
	return r.Class.AboutMailbox() || r.Class == replies.ClassGreylisted || r.Before == 0 || c.Host.Shown[sortOf(r)]
}
