package engine

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/sys/shown"
)

// known returns the address in a text and, if nobody need be asked, its result:
// one is remembered, or the text, which is to be cleaned, has not one address.
func (v *Verifier) known(ctx context.Context, text string, o GroupOptions) (mailbox string, r Result, known bool) {
	mailbox = text
	if o.Clean {
		cleaned := address.Clean(text)
		if reason := notOne(cleaned); reason != "" {
			r = NotAskedAbout(reason, text)
			v.report(ctx, r, nil)
			return text, r, true
		}
		mailbox = cleaned.Address
	}
	if o.Fresh {
		return mailbox, r, false
	}
	if r, known = v.memory.recall(mailbox); known {
		r = o.given(r, text)
		v.report(ctx, r, nil)
	}
	return mailbox, r, known
}

// notOne returns why a text does not contain exactly one address; empty: it
// does.
func notOne(cleaned address.Cleaned) Reason {
	switch {
	case cleaned.Several:
		return ReasonSeveralAddresses
	case cleaned.Address == "":
		return ReasonNoAddress
	}
	return ""
}

// given returns r with the text from which its address was cleaned, if it was.
func (o GroupOptions) given(r Result, text string) Result {
	if !o.Clean {
		return r
	}
	return r.WithGiven(text)
}

// NotAskedAbout returns the result of a text that is not put to a Verifier, for
// one of the reasons for that: [ReasonSeveralAddresses], [ReasonNoAddress],
// [ReasonUnclearAddress] or [ReasonInvalidRow].
//
// Experimental: it may change in any minor version.
func NotAskedAbout(reason Reason, text string) Result {
	return Result{
		Email: shown.Text(text), Verdict: reason.Verdict(), Reason: reason, Message: reason.Message(),
		CheckedAt: time.Now().UTC(), Details: &Details{CatchAll: CatchAllUnknown},
	}
}
