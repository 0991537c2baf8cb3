package belief

import (
	"slices"

	"github.com/rcpt/rcpt/smtpprobe/internal/dialogue"
)

// proven reports whether the refusal of target i counts: a mailbox behind it
// was accepted, or it is the first that the host was asked about, which had no
// reason to turn.
func (c *Case) proven(i int) bool {
	accepted := func(r dialogue.Recipient) bool { return r.Accepted() }
	if slices.ContainsFunc(c.Named[i+1:], accepted) {
		return true
	}
	return c.Unheard && !c.Others && !c.Accepts && c.Named[i].Before == 0
}

// Turned reports whether the host refused a mailbox that it had accepted
// before.
func (c *Case) Turned() bool {
	return c.ProofKnown && slices.ContainsFunc(c.Named, func(r dialogue.Recipient) bool {
		return r.Role == dialogue.Proof && r.Reply != nil && r.Reply.Code >= 500
	})
}

// MayHaveTurned reports whether the host may have turned for the rest of the
// transaction: it refused several of its targets, for whatever reason, and was
// named no proof. What it accepts in the next transaction then proves nothing:
// Exim's $rcpt_fail_count, for example, begins anew with each MAIL. Asked
// again, they bring a proof along.
func (c *Case) MayHaveTurned() bool {
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
