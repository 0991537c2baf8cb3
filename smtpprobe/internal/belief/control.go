package belief

import (
	"slices"

	"github.com/rcpt/rcpt/smtpprobe/internal/dialogue"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Contradicted reports whether target i was refused for good in a domain whose
// control was accepted.
func (c *Case) Contradicted(i int) bool {
	reply, control := c.Named[i].Reply, c.control(i)
	return reply != nil && reply.Code >= 500 && control != nil && !control.Refused()
}

// control is the answer about the control of a target's domain; nil: none is
// known.
func (c *Case) control(i int) *smtp.Reply {
	if r := c.ControlOf(i); r != nil {
		return r.Reply
	}
	return c.Controls[i]
}

// Doubts reports whether a target of the control's domain is to be asked about
// again because the control was accepted.
func (c *Case) Doubts(control *dialogue.Recipient) bool {
	for i := range c.Targets {
		if c.Named[i].Domain == control.Domain && c.Contradicted(i) && !c.Shown[Confirmed] {
			return true
		}
	}
	return false
}

// controlDoubtful reports whether the control of a target's domain was refused
// in a way that may be about the session, or in an earlier one, and this one
// accepts another: its machine may accept everything.
func (c *Case) controlDoubtful(i int) bool {
	control, before := c.ControlOf(i), c.Controls[i]
	if control == nil && before != nil && before.Refused() {
		taken := func(r dialogue.Recipient) bool { return r.Role == dialogue.Control && r.Accepted() }
		return slices.ContainsFunc(c.Named, taken)
	}
	return control != nil && control.Role == dialogue.Control && (control.Reply == nil || !c.believes(control))
}
