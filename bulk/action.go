package bulk

import (
	"cmp"

	"github.com/rcpt/rcpt/engine"
)

// Action is what to do with an address of a mailing list.
type Action string

// The actions.
const (
	Send   Action = "send"   // mail it
	Review Action = "review" // a person or a rule of yours decides; mailing it is a risk
	Remove Action = "remove" // do not mail it
	Retry  Action = "retry"  // verify it again before mailing it
)

// Actions returns every action, in the order of the parts of a list:
// deliverable, risky, bad, retry.
func Actions() []Action { return []Action{Send, Review, Remove, Retry} }

// passing has the reasons of unknown results that another try may change.
var passing = map[engine.Reason]bool{
	engine.DNSTemporary:       true,
	engine.ConnectionFailed:   true,
	engine.ConnectionTimeout:  true,
	engine.TLSFailed:          true,
	engine.Greylisted:         true,
	engine.RateLimited:        true,
	engine.TemporaryFailure:   true,
	engine.MailboxFull:        true, // it would bounce today
	engine.Blocked:            true, // from another network, or when the block is gone
	engine.InternalError:      true,
	engine.ResolverUnreliable: true,
	engine.PortBlocked:        true,
	engine.EgressFailed:       true,
}

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
	case r.SpamTrap || reason == engine.SpamTrap:
		return Remove
	case r.Verdict == engine.Undeliverable || r.Verdict == engine.Empty:
		return Remove
	case r.Verdict == engine.Unknown && (later || passing[reason]):
		return Retry
	case r.Verdict == engine.Deliverable && !r.Disposable:
		return Send
	}
	return Review
}
