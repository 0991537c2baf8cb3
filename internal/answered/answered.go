// Package answered makes one result of the two that a Verifier returns: a
// result and an error. What asks any Verifier shares it: lists and the
// endpoint.
package answered

import (
	"cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
)

// Result returns the result of an address, whatever the Verifier has put beside
// an error: a verification that was not carried out is unknown, with a reason
// that says so. So is a result without a verdict. A message that is missing is
// that of the reason.
func Result(address string, r rcpt.Result, err error) rcpt.Result {
	r.Email = cmp.Or(r.Email, address)
	if (err != nil || r.Verdict == "") && !r.Reason.Failed() {
		r.Reason = cmp.Or(engine.ReasonOf(err), rcpt.ReasonInternalError)
		r.Message = r.Reason.Message()
	}
	if r.Reason.Failed() {
		r.Verdict = rcpt.VerdictUnknown
	}
	r.Message = cmp.Or(r.Message, r.Reason.Message())
	return r
}
