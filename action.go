package rcpt

// Action is what to do with an address after its result: mailing it, for the
// owner of a list.
type Action string

// The actions.
const (
	ActionSend   Action = "send"   // mail it
	ActionReview Action = "review" // a person or a rule of yours decides; mailing it is a risk
	ActionRemove Action = "remove" // do not mail it
	ActionRetry  Action = "retry"  // verify it again before mailing it
	ActionNone   Action = "none"   // there is no address
)

// Action returns what to do with the address; "action" in the details of the
// JSON. The first rule that applies decides:
//
//   - a spam trap is removed, whatever else is known: one mail to it can put a
//     sender on block lists;
//   - an undeliverable address is removed;
//   - where there is no address, there is nothing to do;
//   - an unknown result whose reason is temporary, or that has a time for the
//     next try, is retried;
//   - a disposable mailbox is reviewed: it accepts mail today, and the list
//     that contains it proves nothing about the person;
//   - a deliverable address is mailed, roles included: info@ of a customer is a
//     customer;
//   - everything else is reviewed: hosts that accept everything, other unknown
//     results, a cell with several addresses or with other words beside one, a
//     row that could not be read.
//
// It needs the reason, which JSON without details does not have: an unknown
// result is then reviewed.
func (r Result) Action() Action {
	switch {
	case r.SpamTrap || r.Reason == ReasonSpamTrap:
		return ActionRemove
	case r.Verdict == VerdictUndeliverable:
		return ActionRemove
	case r.Reason == ReasonNoAddress:
		return ActionNone
	case r.Verdict == VerdictUnknown && (!r.RetryAt.IsZero() || r.Reason.Passing()):
		return ActionRetry
	case r.Verdict == VerdictDeliverable && !r.Disposable:
		return ActionSend
	}
	return ActionReview
}
