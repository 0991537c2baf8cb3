package engine

import (
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// reasonOf maps what a refusal proves to a reason. [replies.ClassOK] is not in
// it, because an acceptance is judged together with the control's reply.
var reasonOf = map[replies.Class]rcpt.Reason{
	replies.ClassNoSuchUser:   rcpt.ReasonMailboxNotFound,
	replies.ClassDisabled:     rcpt.ReasonMailboxDisabled,
	replies.ClassMoved:        rcpt.ReasonMailboxMoved,
	replies.ClassMailboxFull:  rcpt.ReasonMailboxFull,
	replies.ClassNotOurDomain: rcpt.ReasonNotOurDomain,
	replies.ClassGreylisted:   rcpt.ReasonGreylisted,
	replies.ClassRateLimited:  rcpt.ReasonRateLimited,
	replies.ClassBlocked:      rcpt.ReasonBlocked,
	replies.ClassRestricted:   rcpt.ReasonRestricted,
	replies.ClassTemporary:    rcpt.ReasonTemporaryFailure,
	replies.ClassAmbiguous:    rcpt.ReasonAmbiguousRefusal,
	replies.ClassOKUnverified: rcpt.ReasonControlInconclusive,
}

// restsOnResolver reports whether the reason is the word of the resolver alone:
// the DNS has answered, and against the domain.
func restsOnResolver(r rcpt.Reason) bool { return r.EndsAt() == rcpt.StepDNS && !r.Passing() }

// unreached reports whether the reason is that no mail host could be asked.
func unreached(r rcpt.Reason) bool {
	return r == rcpt.ReasonConnectionFailed || r == rcpt.ReasonConnectionTimeout
}

// ruling is what a result says for a reason. Some causes of a reason have
// another one than its row.
type ruling struct {
	verdict    rcpt.Verdict
	message    string
	retryAfter time.Duration // zero: asking again is not worthwhile
}

// rulingOf returns the usual one of the reason.
func rulingOf(r rcpt.Reason) ruling {
	return ruling{verdict: r.Verdict(), message: r.Message(), retryAfter: r.RetryAfter()}
}

// retryDeferred is how long to wait after a 4yz reply for a reason that does
// not pass by itself in minutes.
const retryDeferred = time.Hour

// retryTemporary is the wait where another reason has a temporary cause.
var retryTemporary = rcpt.ReasonTemporaryFailure.RetryAfter()
