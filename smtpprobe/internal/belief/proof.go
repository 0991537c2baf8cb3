package belief

import (
	"slices"

	"github.com/rcpt/rcpt/smtpprobe/internal/dialogue"
)

// proven reports whether the refusal of target i counts: a mailbox behind it
// was accepted, or the host accepted nobody yet and the target is among the
// first few that it hears.
func (c *Case) proven(i int) bool {
	accepted := func(r dialogue.Recipient) bool { return r.Accepted() }
	if slices.ContainsFunc(c.Named[i+1:], accepted) {
		return true
	}
	return c.Fresh && !c.Others && !c.Accepts && c.Heard+c.Named[i].Before < Free
}

// Turned reports whether the host refused a mailbox that it had accepted
// before.
func (c *Case) Turned() bool {
	return c.ProofKnown && slices.ContainsFunc(c.Named, func(r dialogue.Recipient) bool {
		return r.Role == dialogue.Proof && r.Reply != nil && r.Reply.Code >= 500
	})
}

// mayHaveTurned reports whether the host accepted mailboxes of the transaction
// and refused so many of them that it may have turned for its rest. What it
// accepts in the next one then proves nothing: Exim's $rcpt_fail_count, for
// example, begins anew with each MAIL. Asked again, they bring a proof along.
func (c *Case) mayHaveTurned() bool {
	refused := 0
	for i := range c.Targets {
		if c.Named[i].Dead() {
			refused++
		}
	}
	return refused > Free && c.AnyAccepted() && !c.Names(dialogue.Proof)
}

// AnyAccepted reports whether a mailbox was accepted, whoever's.
func (c *Case) AnyAccepted() bool {
	accepted := func(r dialogue.Recipient) bool { return r.Accepted() }
	return c.Trouble == dialogue.None && slices.ContainsFunc(c.Named, accepted)
}
