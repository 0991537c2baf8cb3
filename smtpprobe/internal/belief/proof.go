package belief

import (
	"slices"
	"strings"

	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// Postmaster is the local-part that each domain has (RFC 5321 §4.5.1).
const Postmaster = "postmaster"

// Exempt reports whether hosts may accept a mailbox from clients from which
// they take nothing else: postmaster (RFC 5321 §4.5.1), and abuse (RFC 2142).
func Exempt(mailbox string) bool {
	local, _, _ := strings.Cut(mailbox, "@")
	return strings.EqualFold(local, Postmaster) || strings.EqualFold(local, "abuse")
}

// proven reports whether the refusal of target i counts: a mailbox behind it
// was accepted, or it is the first that the host was asked about: it had no
// reason yet to refuse everybody.
func (c *Case) proven(i int) bool {
	accepted := func(r Heard) bool { return r.Accepted() && c.Proves(r.Mailbox, i) }
	if slices.ContainsFunc(c.Outcome.Named[i+1:], accepted) {
		return true
	}
	return c.Host.Unheard && !c.Host.Others && !c.Host.Accepts && c.Outcome.Named[i].Before == 0
}

// Proves reports whether the refusal of target i counts if a mailbox is
// accepted behind it. Hosts exempt postmaster from what they do to others: it
// proves no refusal in other words than the first that the host gave, none
// behind another one of the transaction, for which the host may have turned,
// and none where the host refuses a mailbox that it had accepted.
func (c *Case) Proves(mailbox string, i int) bool {
	return !Exempt(mailbox) ||
		!c.hostile() && !c.behindRefusal(i) && c.Host.First.Same(WordingOf(&c.Outcome.Named[i]))
}

// behindRefusal reports whether target i was named behind one that was refused.
func (c *Case) behindRefusal(i int) bool {
	return slices.ContainsFunc(c.Outcome.Named[:i], func(r Heard) bool { return r.Refused() })
}

// reworded reports whether a target was refused in other words than before.
func (c *Case) reworded() bool {
	for i := range c.Outcome.Targets {
		if c.rewordedAt(i) {
			return true
		}
	}
	return false
}

// rewordedAt reports whether only a mailbox that may be exempt was accepted
// behind target i, which was refused in other words than the first, and the
// host has not shown that it says so to the first recipient of a session.
func (c *Case) rewordedAt(i int) bool {
	r := &c.Outcome.Named[i]
	return r.Dead() && r.Before > 0 && slices.ContainsFunc(c.Outcome.Named[i+1:], isAccepted) && !c.proven(i) &&
		!c.Host.First.Same(WordingOf(r)) && !c.Host.Shown[WordingOf(r).String()]
}

func isAccepted(r Heard) bool { return r.Accepted() }

// proofAccepted reports whether the host accepted the proof.
func (c *Case) proofAccepted() bool {
	taken := func(r Heard) bool { return r.Role == Proof && r.Accepted() }
	return slices.ContainsFunc(c.Outcome.Named, taken)
}

// hostile reports whether the host refuses everybody: it refused a mailbox that
// it had accepted before, be that the proof or a target. A target may have gone
// meanwhile: it has where the host accepts another mailbox behind it, unless
// that may be exempt.
func (c *Case) hostile() bool {
	for i := range c.Outcome.Named {
		r := &c.Outcome.Named[i]
		switch {
		case r.Role == Proof && c.ProofKnown && r.Reply != nil && r.Reply.Code >= 500:
			return true
		case i < len(c.Known) && c.Known[i] && r.Dead() && c.Outcome.Trouble == None && !c.othersBehind(i):
			return true
		}
	}
	return false
}

// othersBehind reports whether a mailbox was accepted behind target i that is
// not one which hosts may exempt.
func (c *Case) othersBehind(i int) bool {
	return slices.ContainsFunc(c.Outcome.Named[i+1:], func(r Heard) bool { return r.Accepted() && !Exempt(r.Mailbox) })
}

// mayBeHostile reports whether the host may refuse everybody for the rest of
// the transaction: it refused several of its targets, for whatever reason, and
// was named no proof. What it accepts in the next transaction then proves
// nothing: Exim's $rcpt_fail_count, for example, begins anew with each MAIL.
// Asked again, they bring a proof along.
func (c *Case) mayBeHostile() bool {
	refused := 0
	for i := range c.Outcome.Targets {
		if c.Outcome.Named[i].Refused() {
			refused++
		}
	}
	return refused > 1 && !c.Outcome.Names(Proof)
}

// anyAccepted reports whether a mailbox was accepted, whoever's.
func (c *Case) anyAccepted() bool {
	return c.Outcome.Trouble == None && slices.ContainsFunc(c.Outcome.Named, isAccepted)
}

// accepted returns the mailboxes that prove later refusals: targets that exist,
// as far as the reply goes, and the proof.
func (c *Case) accepted() []int {
	var all []int
	for i := range c.Outcome.Named {
		r := &c.Outcome.Named[i]
		if r.Role == Target && r.Reply != nil && r.Class == replies.ClassOK || r.Role == Proof && r.Accepted() {
			all = append(all, i)
		}
	}
	return all
}
