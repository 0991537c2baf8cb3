package smtpprobe

import (
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// ControlClass is what a reply about a control proves, which is read with the
// domain alone for its mailbox. [replies.ClassNoSuchUser] means that the host
// tells mailboxes apart: it calls this one unknown, even if only for now, as
// hosts do that ask another one about their recipients (Postfix,
// unverified_recipient_reject_code); or disabled, which what never was cannot
// be, with a code that some hosts have for both.
func ControlClass(reading replies.Classification, reply smtp.Reply) replies.Class {
	switch {
	case reading.AsPermanent == replies.ClassNoSuchUser:
		return replies.ClassNoSuchUser
	case reading.Class == replies.ClassDisabled && (reply.Enhanced == "5.2.1" || reply.Enhanced == "5.1.1"):
		return replies.ClassNoSuchUser
	}
	return reading.Class
}
