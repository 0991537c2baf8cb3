package engine

import "github.com/rcpt/rcpt/smtpprobe/replies"

// blockedRuling returns the ruling of [ReasonBlocked] with the cause of a reply
// in its message, if the cause is known.
func blockedRuling(q replies.Input) *ruling {
	rule := rulings[ReasonBlocked]
	if remedy, known := replies.RemedyFor(q); known {
		rule.message = "The mail host refused us, not the mailbox. " + remedy.Cause
	}
	return &rule
}
