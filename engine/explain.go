package engine

import (
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Explanation is what one reply would mean for an address.
type Explanation struct {
	replies.Classification
	Reason  Reason
	Verdict Verdict
	Message string
}

// Explain reads a reply as [Decide] does if it is the one that decides. An
// accepted recipient is judged as if the random one had been refused. A
// positive reply before RCPT decides nothing, because the session goes on:
// [ReasonSMTPSkipped].
func Explain(q replies.Input, classifier *replies.Classifier) Explanation {
	reading := classifier.Read(q)
	reason := ReasonRecipientAccepted
	switch {
	case reading.Class != replies.ClassOK:
		reason = reasonFor(reading.Class, q.Phase, q.Reply.Code)
	case q.Phase != smtp.PhaseRCPT:
		reason = ReasonSMTPSkipped
	}
	rule := rulings[reason]
	if reason == ReasonBlocked {
		rule = *blockedRuling(q)
	}
	j := judgement{reason: reason, retryAfter: reading.RetryAfter}
	reading.RetryAfter = retryAfter(j)
	return Explanation{Classification: reading, Reason: reason, Verdict: rule.verdict, Message: rule.message}
}
