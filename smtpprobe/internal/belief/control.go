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
// again because the control was accepted, or the host may have refused
// everybody in the session before it refused the control.
func (c *Case) Doubts(control *dialogue.Recipient) bool {
	if c.Company() && control.Behind != nil && !control.AcceptsBehind() {
		return true
	}
	for i := range c.Targets {
		if c.Named[i].Domain == control.Domain && c.Contradicted(i) && !c.Shown[Confirmed] {
			return true
		}
	}
	return false
}

// controlDoubtful reports whether the control of a target's domain was refused
// in a way that may be about the session, or that takes another transaction to
// prove something; or in an earlier session, and this one accepts another
// control: its machine may accept everything.
func (c *Case) controlDoubtful(i int) bool {
	control, before := c.ControlOf(i), c.Controls[i]
	if control == nil && before != nil && before.Refused() {
		taken := func(r dialogue.Recipient) bool { return r.Role == dialogue.Control && r.Accepted() }
		return slices.ContainsFunc(c.Named, taken)
	}
	switch {
	case control == nil || control.Role != dialogue.Control:
		return false
	case control.AcceptsBehind():
		return false
	}
	return control.Reply == nil || control.Nameless() || !c.believes(control)
}
