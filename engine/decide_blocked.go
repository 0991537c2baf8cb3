package engine

import (
	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// blockedRuling returns the ruling of [rcpt.ReasonBlocked] with the cause of a
// reply in its message, if the cause is known.
func blockedRuling(q replies.Input) *ruling {
	rule := rulingOf(rcpt.ReasonBlocked)
	if cause, _ := replies.Remedy(q); cause != "" {
		rule.message = "The mail host refused us, not the mailbox. " + cause
	}
	return &rule
}
