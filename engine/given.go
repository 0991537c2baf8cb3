package engine

import (
	"context"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/given"
)

// known returns the address in a text and, if nobody need be asked, its result:
// one is remembered, or the text, which is to be cleaned, has not one address.
func (v *Verifier) known(ctx context.Context, text string, o GroupOptions) (mailbox string, r rcpt.Result, known bool) {
	mailbox = text
	if o.Clean {
		var one bool
		if mailbox, r, one = given.Clean(text); !one {
			v.report(ctx, r, nil)
			return text, r, true
		}
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

// given returns r with the text from which its address was cleaned, if it was.
func (o GroupOptions) given(r rcpt.Result, text string) rcpt.Result {
	if !o.Clean {
		return r
	}
	return given.With(r, text)
}
