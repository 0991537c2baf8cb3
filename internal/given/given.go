// Package given has the results of what people wrote in the place of an
// address. What verifies texts shares it: the engine, lists, the service.
package given

import (
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/sys/shown"
)

// Clean returns the address in a text. If there is not exactly one, nobody is
// asked, and the result says so.
func Clean(text string) (mailbox string, result rcpt.Result, one bool) {
	switch cleaned := address.Clean(text); {
	case cleaned.Several:
		return "", NotAsked(rcpt.ReasonSeveralAddresses, text), false
	case cleaned.Address == "":
		return "", NotAsked(rcpt.ReasonNoAddress, text), false
	default:
		return cleaned.Address, rcpt.Result{}, true
	}
}

// NotAsked returns the result of a text about which nobody is asked, for one of
// the reasons for that: several addresses, none, one that is unclear, or a row
// that cannot be read.
func NotAsked(reason rcpt.Reason, text string) rcpt.Result {
	return rcpt.Result{
		Email: shown.Text(text), Verdict: reason.Verdict(), Reason: reason, Message: reason.Message(),
		CheckedAt: time.Now().UTC(), Details: &rcpt.Details{CatchAll: rcpt.CatchAllUnknown},
	}
}

// With returns r with Details.Given set to the text from which its address was
// cleaned, unless they are the same. It does not change the details that r
// points to, which others may share.
func With(r rcpt.Result, text string) rcpt.Result {
	text = shown.Text(text)
	if r.Details == nil || text == r.Email {
		return r
	}
	details := *r.Details
	details.Given = text
	r.Details = &details
	return r
}
