// Package screen checks addresses without a network, for sign-up forms: the
// syntax (RFC 5321 §4.1.2, RFC 6531), the embedded lists, and the address that
// was probably meant. A check takes microseconds, needs no context, and never
// fails.
//
// It cannot tell whether the mailbox exists. The verdict is
// [rcpt.VerdictUndeliverable] where the text is no address, and else
// [rcpt.VerdictUnknown]. Package engine goes on from there: at its LevelSyntax
// it gives the same results.
package screen

import (
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/given"
	"github.com/rcpt/rcpt/internal/reading"
	"github.com/rcpt/rcpt/internal/sys/shown"
	"github.com/rcpt/rcpt/lists"
)

// Check checks the address in a text that a person wrote, such as "Jane
// <jane@example.com>", by the embedded lists.
//
// A text that is not one address ends at the first step: Reason.EndsAt() is
// [rcpt.StepSyntax]. These are [rcpt.ReasonInvalidSyntax],
// [rcpt.ReasonUnsupportedAddress] (no dot in the domain, or an address
// literal), [rcpt.ReasonNoAddress] and [rcpt.ReasonSeveralAddresses].
//
// A spam trap is [rcpt.ReasonSpamTrap]. All others are
// [rcpt.ReasonLevelReached]; their flags say whether the address is disposable,
// free or a role.
func Check(text string) rcpt.Result { return With(lists.Default(), text) }

// With is [Check] with other lists than the embedded ones. Nil: the embedded
// ones.
func With(l *lists.Lists, text string) rcpt.Result {
	if l == nil {
		l = lists.Default()
	}
	mailbox, r, one := given.Clean(text)
	if !one {
		return r
	}
	r = rcpt.Result{
		Email: shown.Text(mailbox), CheckedAt: time.Now().UTC().Truncate(time.Millisecond),
		Details: &rcpt.Details{CatchAll: rcpt.CatchAllUnknown},
	}
	facts := reading.By(l).Read(mailbox)
	judge(&r, facts)
	r.Verdict, r.Suggestion = r.Reason.Verdict(), facts.Suggestion
	return given.With(r, text)
}

func judge(r *rcpt.Result, facts reading.Facts) {
	if facts.Syntax != nil {
		r.Reason, r.Message = reading.Judge(*facts.Syntax)
		return
	}
	irregular := facts.Mailbox.Irregular()
	r.Local, r.Domain = facts.Mailbox.Local(), facts.Mailbox.Domain()
	r.Details.Canonical = facts.Mailbox.Canonical()
	r.Details.Matches, r.Details.Irregular = facts.Matches, reading.Irregularities(irregular)
	reading.Flag(r, facts.Matches)
	if r.Reason = rcpt.ReasonLevelReached; r.SpamTrap {
		r.Reason = rcpt.ReasonSpamTrap
	}
	r.Message = reading.Message(r.Reason, r.Reason.Message(), irregular)
}
