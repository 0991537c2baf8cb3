package bulk

import "github.com/rcpt/rcpt"

// Action is what to do with an address of a mailing list.
type Action string

// The actions.
const (
	ActionSend   Action = "send"   // mail it
	ActionReview Action = "review" // a person or a rule of yours decides; mailing it is a risk
	ActionRemove Action = "remove" // do not mail it
	ActionRetry  Action = "retry"  // verify it again before mailing it
	ActionNone   Action = "none"   // there is no address
)

// Group is what an address is for the owner of a mailing list. Each action has
// one.
type Group string

// The groups.
const (
	GroupSafe  Group = "safe"
	GroupRisky Group = "risky"
	GroupBad   Group = "bad"
	GroupRetry Group = "retry"
	GroupNone  Group = "none" // no address: nothing bad is known of anybody
)

// groups has the group of each action, in the order in which people see them.
var groups = []struct {
	Action
	Group
}{
	{ActionSend, GroupSafe},
	{ActionReview, GroupRisky},
	{ActionRemove, GroupBad},
	{ActionRetry, GroupRetry},
	{ActionNone, GroupNone},
}

// Groups returns all groups, those to mail first.
func Groups() []Group {
	all := make([]Group, 0, len(groups))
	for _, row := range groups {
		all = append(all, row.Group)
	}
	return all
}

// Action returns what to do with the addresses of a group.
func (g Group) Action() Action {
	for _, row := range groups {
		if row.Group == g {
			return row.Action
		}
	}
	return ""
}

// GroupFor returns the group of an address after its result: that of
// [ActionFor].
func GroupFor(r rcpt.Result) Group {
	action := ActionFor(r)
	for _, row := range groups {
		if row.Action == action {
			return row.Group
		}
	}
	panic("bulk: an action without a group: " + action)
}

// RowGroup returns the group of a row of a list with the results of several
// cells: that of the first which holds an address. It is bad only if each
// address is; if another may be good, the row is risky.
func RowGroup(results []rcpt.Result) Group {
	found := GroupNone
	for _, result := range results {
		switch of := GroupFor(result); {
		case of == GroupNone:
		case found == GroupNone:
			found = of
		case found == GroupBad && of != GroupBad:
			return GroupRisky
		}
		if found != GroupNone && found != GroupBad {
			return found
		}
	}
	return found
}

// ActionFor returns what to do with an address after its result. The first rule
// that applies decides:
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
func ActionFor(r rcpt.Result) Action {
	switch {
	case r.SpamTrap || r.Reason == rcpt.ReasonSpamTrap:
		return ActionRemove
	case r.Verdict == rcpt.VerdictUndeliverable:
		return ActionRemove
	case r.Reason == rcpt.ReasonNoAddress:
		return ActionNone
	case r.Verdict == rcpt.VerdictUnknown && (!r.RetryAt.IsZero() || r.Reason.Passing()):
		return ActionRetry
	case r.Verdict == rcpt.VerdictDeliverable && !r.Disposable:
		return ActionSend
	}
	return ActionReview
}
