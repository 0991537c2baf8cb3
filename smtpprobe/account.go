package smtpprobe

import (
	"strconv"

	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// account is what came of the transaction for a job.
func (t *transaction) account(i int, failure *smtp.Failure) *Session {
	j, r := t.jobs[i], &t.named[i]
	found := t.s.findings(j)
	found.MAIL, found.Failure, found.Target = t.mail.Reply, failure, r.Reply
	found.Recipients = r.before
	control := t.controlOf(j)
	if control != nil && t.canary && control.class != replies.NoSuchUser && control.class != replies.OK {
		control = nil // it was about something else this time
	}
	switch {
	case control != nil:
		found.Control = control.Reply
	case found.Target != nil:
		found.Control, found.ControlShared = j.control, j.control != nil
	}
	if len(t.jobs) == 1 && t.fresh && t.proof == "" {
		found.Transcript = t.s.Transcript(false)
		return found
	}
	parts := []wire.Exchange{t.mail.Exchange, r.Exchange}
	if control != nil {
		parts = append(parts, control.Exchange)
	}
	found.Transcript = t.s.Excerpt(namedBefore(r.before), parts...)
	return found
}

// namedBefore says that others were asked about in the same session.
func namedBefore(others int) string {
	switch others {
	case 0:
		return ""
	case 1:
		return "1 other recipient has been named in this session"
	}
	return strconv.Itoa(others) + " other recipients have been named in this session"
}
