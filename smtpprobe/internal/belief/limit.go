package belief

import (
	"strings"

	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// limited counts the transactions in a row that were answered with a limit of
// the host, for good or as its last words, as the first of a session would be.
// A host that only puts us off is asked more slowly (package pace).
func (c *Case) limited(trouble Trouble) int {
	before := c.Host.Limited
	for i := range c.Outcome.Targets {
		switch r := &c.Outcome.Named[i]; {
		case r.Reply == nil:
		case r.Class == replies.ClassRateLimited && r.Before > 0 && !c.Host.Shown[sortOf(r)]:
			return before
		case r.Class == replies.ClassRateLimited && (r.Reply.Code >= 500 || trouble == HungUp):
			return before + 1
		default:
			return 0
		}
	}
	return before
}

// putOff reports whether the host put the session off, with 421 or for a
// policy (X.7.z, RFC 3463 §3.8), before anybody was refused in it: not for what
// it was used for. Greylisting is about the mailbox.
func (c *Case) putOff() bool {
	o := c.Outcome
	if !o.Fresh {
		return false
	}
	for _, s := range []Said{o.MAIL, o.Named[0].Said} {
		if r := s.Reply; r != nil && r.Refused() && s.Class != replies.ClassGreylisted {
			return r.Code == smtp.CodeServiceClosing || strings.HasPrefix(r.Enhanced, "4.7.")
		}
	}
	return false
}

// tells returns the recipients whose replies say what the provider thinks of
// us. A reply that was dropped does not.
func (c *Case) tells(fates []Fate) []int {
	var tell []int
	for i := range c.Outcome.Named {
		r, dropped := &c.Outcome.Named[i], i < len(fates) && fates[i] == Dropped
		if r.Reply != nil && !dropped && c.tellsAt(r) {
			tell = append(tell, i)
		}
	}
	return tell
}

// tellsAt reports whether the reply to a recipient says what the provider
// thinks of us. A refusal that only says that the session is too long does not,
// nor does one that is about a control.
func (c *Case) tellsAt(r *Heard) bool {
	if r.AcceptsBehind() {
		return false
	}
	return r.Before == 0 || r.Accepted() ||
		r.Reply.Code != smtp.CodeServiceClosing && !r.TooMany() && c.believes(r)
}
