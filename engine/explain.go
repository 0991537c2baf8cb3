package engine

import (
	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Explain reads a reply as [Decide] does if it is the one that decides, and
// returns what it is read as and the result for an address, without details. An
// accepted recipient is judged as if the random one had been refused. A
// positive reply before RCPT decides nothing, because the session goes on:
// [rcpt.ReasonLevelReached].
//
// Experimental: it may change in any minor version.
func Explain(q replies.Input, classifier *replies.Classifier) (replies.Classification, rcpt.Result) {
	reading := classifier.Read(q)
	reason := rcpt.ReasonRecipientAccepted
	switch {
	case reading.Class != replies.ClassOK:
		reason = reasonFor(reading.Class, q.Phase, q.Reply.Code)
	case q.Phase != smtp.PhaseRCPT:
		reason = rcpt.ReasonLevelReached
	}
	j := judgement{reason: reason, retryAfter: reading.RetryAfter}
	if reason == rcpt.ReasonBlocked {
		j.special = blockedRuling(q)
	}
	j.mindCode(q.Reply.Code)
	reading.RetryAfter = retryAfter(j)
	rule := j.ruling()
	return reading, rcpt.Result{Reason: reason, Verdict: rule.verdict, Message: rule.message}
}
