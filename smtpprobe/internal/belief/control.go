package belief

import (
	"slices"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// contradicted reports whether target i was refused for good in a domain whose
// control was accepted.
func (c *Case) contradicted(i int) bool {
	reply, control := c.Outcome.Named[i].Reply, c.control(i)
	return reply != nil && reply.Code >= 500 && control != nil && !control.Refused()
}

// control is the answer about the control of a target's domain; nil: none is
// known.
func (c *Case) control(i int) *smtp.Reply {
	if r := c.Outcome.ControlOf(i); r != nil {
		return r.Reply
	}
	return c.Controls[i]
}

// settledControls returns the controls whose answers need not be asked for
// again: they are not in doubt, and final.
func (c *Case) settledControls() []int {
	var settled []int
	for i := c.Outcome.Targets; i < len(c.Outcome.Named); i++ {
		if r := &c.Outcome.Named[i]; r.Reply != nil && r.IsControl() && !c.doubts(r) && c.final(r) {
			settled = append(settled, i)
		}
	}
	return settled
}

// doubts reports whether a target of the control's domain is to be asked about
// again because the control was accepted, or the host may have refused
// everybody in the session before it refused the control.
func (c *Case) doubts(control *Heard) bool {
	if c.Outcome.Company() && control.Behind != nil && !control.AcceptsBehind() {
		return true
	}
	for i := range c.Outcome.Targets {
		if c.Outcome.Named[i].Domain == control.Domain && c.contradicted(i) && !c.Host.Shown[Confirmed] {
			return true
		}
	}
	return false
}

// final reports whether the answer about a control is clear about whether the
// host takes every address, or will not be clearer when it is asked for again.
func (c *Case) final(control *Heard) bool {
	return control.SaysWhether() || control.Behind != nil ||
		control.Role == Control && control.Nameless() && c.Outcome.Alone && c.Outcome.Named[0].Accepted()
}

// controlDoubtful reports whether the control of a target's domain was refused
// in a way that may be about the session, or that takes another transaction to
// prove something; or in an earlier session, and this one accepts another
// control: its machine may accept everything.
func (c *Case) controlDoubtful(i int) bool {
	control, before := c.Outcome.ControlOf(i), c.Controls[i]
	if control == nil && before != nil && before.Refused() {
		taken := func(r Heard) bool { return r.Role == Control && r.Accepted() }
		return slices.ContainsFunc(c.Outcome.Named, taken)
	}
	switch {
	case control == nil || control.Role != Control:
		return false
	case control.AcceptsBehind():
		return false
	}
	return control.Reply == nil || control.Nameless() || !c.believes(control)
}
