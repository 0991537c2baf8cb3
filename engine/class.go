package engine

import (
	"time"

	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// reasonOf maps what a refusal proves to a reason. [replies.ClassOK] is not in
// it, because an acceptance is judged together with the control's reply.
var reasonOf = map[replies.Class]Reason{
	replies.ClassNoSuchUser:   ReasonMailboxNotFound,
	replies.ClassDisabled:     ReasonMailboxDisabled,
	replies.ClassMoved:        ReasonMailboxMoved,
	replies.ClassMailboxFull:  ReasonMailboxFull,
	replies.ClassNotOurDomain: ReasonNotOurDomain,
	replies.ClassGreylisted:   ReasonGreylisted,
	replies.ClassRateLimited:  ReasonRateLimited,
	replies.ClassBlocked:      ReasonBlocked,
	replies.ClassRestricted:   ReasonRestricted,
	replies.ClassTemporary:    ReasonTemporaryFailure,
	replies.ClassAmbiguous:    ReasonAmbiguousRefusal,
	replies.ClassOKUnverified: ReasonControlInconclusive,
}

// restsOnResolver reports whether the reason is the word of the resolver alone:
// the DNS has answered, and against the domain.
func restsOnResolver(r Reason) bool { return r.EndsAt() == StepDNS && !r.Passing() }

// unreached reports whether the reason is that no mail host could be asked.
func unreached(r Reason) bool { return r == ReasonConnectionFailed || r == ReasonConnectionTimeout }

// ruling is what a result says for a reason. Some causes of a reason have
// another one than its row.
type ruling struct {
	verdict    Verdict
	message    string
	retryAfter time.Duration // zero: asking again is not worthwhile
}

// rulingOf returns the usual one of the reason.
func rulingOf(r Reason) ruling {
	return ruling{verdict: r.Verdict(), message: r.Message(), retryAfter: r.RetryAfter()}
}

// retryDeferred is how long to wait after a 4yz reply for a reason that does
// not pass by itself in minutes.
const retryDeferred = time.Hour

// retryTemporary is the wait where another reason has a temporary cause.
var retryTemporary = ReasonTemporaryFailure.RetryAfter()
