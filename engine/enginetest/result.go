package enginetest

import (
	"fmt"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/screen"
)

// Result returns what a Verifier returns about an address for a reason, for
// stubs and tables in tests: the verdict and the message of the reason, the
// parts of the address, its flags by the embedded lists, the suggestion, and
// the times, of which the first is now. There are no details: HasMX and
// CatchAll say what the reason implies, and the JSON has no reason. A test that
// needs more sets Details, such as &rcpt.Details{CatchAll: rcpt.CatchAllNo}.
//
// Result panics if there is no such reason, or if no Verifier gives it for the
// address: the reason is that of an impossible address if, and only if, email
// is one.
func Result(email string, reason rcpt.Reason) rcpt.Result {
	r := screen.Check(email)
	switch {
	case reason.Verdict() == "":
		panic(fmt.Sprintf("enginetest: there is no reason %q", reason))
	case (reason.EndsAt() == rcpt.StepSyntax) != (r.Reason.EndsAt() == rcpt.StepSyntax):
		panic(fmt.Sprintf("enginetest: no Verifier gives %s for %q", reason, email))
	}
	r.Email, r.Verdict, r.Reason, r.Message = email, reason.Verdict(), reason, reason.Message()
	r.AcceptAll = reason == rcpt.ReasonCatchAll
	r.SpamTrap = r.SpamTrap || reason == rcpt.ReasonSpamTrap
	if after := reason.RetryAfter(); after > 0 {
		r.RetryAt = r.CheckedAt.Add(after)
	}
	return r.WithoutDetails()
}
