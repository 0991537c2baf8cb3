package bulk

import (
	"cmp"

	"github.com/rcpt/rcpt/engine"
)

// Action is what to do with an address of a mailing list.
type Action string

// The actions.
const (
	ActionSend   Action = "send"   // mail it
	ActionReview Action = "review" // a person or a rule of yours decides; mailing it is a risk
	ActionRemove Action = "remove" // do not mail it
	ActionRetry  Action = "retry"  // verify it again before mailing it
)

// ActionFor returns what to do with an address after its result. The first rule
// that applies decides:
//
//   - a spam trap is removed, whatever else is known: one mail to it can put a
//     sender on block lists;
//   - an undeliverable address, or a text without an address, is removed;
//   - an unknown result whose reason is temporary, or that has a time for the
//     next try, is retried;
//   - a disposable mailbox is reviewed: it accepts mail today, and the list
//     that contains it proves nothing about the person;
//   - a deliverable address is mailed, roles included: info@ of a customer is a
//     customer;
//   - everything else is reviewed: hosts that accept everything, other unknown
//     results, several addresses in one cell.
func ActionFor(r engine.Result) Action {
	reason, later := r.Reason, false
	if r.Details != nil {
		reason, later = cmp.Or(r.Reason, r.Details.Reason), r.Details.RetryAfter > 0
	}
	switch {
	case r.SpamTrap || reason == engine.ReasonSpamTrap:
		return ActionRemove
	case r.Verdict == engine.VerdictUndeliverable || r.Verdict == engine.VerdictEmpty:
		return ActionRemove
	case r.Verdict == engine.VerdictUnknown && (later || reason.Passing()):
		return ActionRetry
	case r.Verdict == engine.VerdictDeliverable && !r.Disposable:
		return ActionSend
	}
	return ActionReview
}
