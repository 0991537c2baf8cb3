package belief

import (
	"slices"

	"github.com/rcpt/rcpt/smtpprobe/internal/dialogue"
)

// proven reports whether the refusal of target i counts: a mailbox behind it
// was accepted, or it is the first that the host was asked about: it had no
// reason yet to refuse everybody.
func (c *Case) proven(i int) bool {
	accepted := func(r dialogue.Recipient) bool { return r.Accepted() && c.Proves(r.Mailbox, i) }
	if slices.ContainsFunc(c.Named[i+1:], accepted) {
		return true
	}
	return c.Unheard && !c.Others && !c.Accepts && c.Named[i].Before == 0
}

// Proves reports whether the refusal of target i counts if a mailbox is
// accepted behind it. Hosts exempt postmaster from what they do to others: it
// proves no refusal in other words than the first that the host gave.
func (c *Case) Proves(mailbox string, i int) bool {
	return !dialogue.Exempt(mailbox) || c.First.Same(WordingOf(&c.Named[i]))
}

// reworded reports whether only a mailbox that may be exempt was accepted
// behind target i, which was refused in other words than the first, and the
// host has not shown that it says so to the first recipient of a session.
func (c *Case) reworded(i int) bool {
	r := &c.Named[i]
	accepted := func(r dialogue.Recipient) bool { return r.Accepted() }
	return r.Dead() && r.Before > 0 && slices.ContainsFunc(c.Named[i+1:], accepted) && !c.proven(i) &&
		!c.Shown[WordingOf(r).String()]
}

// Reworded reports whether a target was refused in other words than before:
// the host may be hostile.
func (c *Case) Reworded() bool {
	for i := range c.Targets {
		if c.reworded(i) {
			return true
		}
	}
	return false
}

// ProofAccepted reports whether the host accepted the proof.
func (c *Case) ProofAccepted() bool {
	taken := func(r dialogue.Recipient) bool { return r.Role == dialogue.Proof && r.Accepted() }
	return slices.ContainsFunc(c.Named, taken)
}

// Hostile reports whether the host refuses everybody: it refused a mailbox that
// it had accepted before.
func (c *Case) Hostile() bool {
	return c.ProofKnown && slices.ContainsFunc(c.Named, func(r dialogue.Recipient) bool {
		return r.Role == dialogue.Proof && r.Reply != nil && r.Reply.Code >= 500
	})
}

// MayBeHostile reports whether the host may refuse everybody for the rest of
// the transaction: it refused several of its targets, for whatever reason, and
// was named no proof. What it accepts in the next transaction then proves
// nothing: Exim's $rcpt_fail_count, for example, begins anew with each MAIL.
// Asked again, they bring a proof along.
func (c *Case) MayBeHostile() bool {
	refused := 0
	for i := range c.Targets {
		if c.Named[i].Refused() {
			refused++
		}
	}
	return refused > 1 && !c.Names(dialogue.Proof)
}

// AnyAccepted reports whether a mailbox was accepted, whoever's.
func (c *Case) AnyAccepted() bool {
	accepted := func(r dialogue.Recipient) bool { return r.Accepted() }
	return c.Trouble == dialogue.None && slices.ContainsFunc(c.Named, accepted)
}
