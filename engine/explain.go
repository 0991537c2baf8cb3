package engine

import "github.com/rcpt/rcpt/smtpprobe"

// Explanation is what one reply would mean for an address.
type Explanation struct {
	smtpprobe.Reading
	Reason  Reason
	Verdict Verdict
	Message string
}

// Explain reads a reply as [Decide] does when it is the one that decides. An accepted recipient is judged as if the random one beside it had
// been refused.
func Explain(q smtpprobe.Question, classifier *smtpprobe.Classifier) Explanation {
	reading := classifier.Read(q)
	reason := RecipientAccepted
	if reading.Class != smtpprobe.ClassOK {
		reason = reasonFor(reading.Class, q.Phase, q.Reply.Code)
	}
	rule := rulings[reason]
	if reading.RetryAfter == 0 {
		reading.RetryAfter = rule.retryAfter
	}
	return Explanation{Reading: reading, Reason: reason, Verdict: rule.verdict, Message: rule.message}
}
