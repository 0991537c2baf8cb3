package engine

import (
	"fmt"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// happened are the messages about sessions that failed, instead of those of
// [rcpt.ReasonConnectionFailed] and [rcpt.ReasonConnectionTimeout]. The first
// that fits is taken; no phase fits all.
var happened = []struct {
	kind    smtp.Kind
	phase   smtp.Phase
	message string
}{
	{smtp.KindRefused, "", "The mail host refused the connection."},
	{smtp.KindClosed, smtp.PhaseGreeting, "The mail host hung up without a greeting."},
	{smtp.KindClosed, smtp.PhaseRCPT, "The mail host hung up when it was asked about the mailbox."},
	{smtp.KindClosed, "", "The mail host hung up before it could be asked about the mailbox."},
	{smtp.KindTimeout, smtp.PhaseConnect, "No connection to the mail host came about in time."},
	{smtp.KindTimeout, smtp.PhaseGreeting, "The mail host did not greet in time."},
	{smtp.KindTimeout, smtp.PhaseRCPT, "The mail host did not answer in time when it was asked about the mailbox."},
}

// afterFailure returns the ruling of a reason with a message that says what
// happened, and how many of the domain's mail hosts were tried if not all were.
func afterFailure(reason rcpt.Reason, failure smtp.Failure, tried, hosts int) *ruling {
	rule := rulingOf(reason)
	kind := failure.Kind
	if kind == smtp.KindReset {
		kind = smtp.KindClosed // as far as anybody can tell, it hung up
	}
	for _, h := range happened {
		if h.kind == kind && (h.phase == failure.Phase || h.phase == "") {
			rule.message = h.message
			break
		}
	}
	if tried < hosts {
		rule.message += fmt.Sprintf(" Only %d of the domain's %d mail hosts could be tried.", tried, hosts)
	}
	return &rule
}
