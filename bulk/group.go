package bulk

import "github.com/rcpt/rcpt"

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
	rcpt.Action
	Group
}{
	{rcpt.ActionSend, GroupSafe},
	{rcpt.ActionReview, GroupRisky},
	{rcpt.ActionRemove, GroupBad},
	{rcpt.ActionRetry, GroupRetry},
	{rcpt.ActionNone, GroupNone},
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
func (g Group) Action() rcpt.Action {
	for _, row := range groups {
		if row.Group == g {
			return row.Action
		}
	}
	return ""
}

// GroupFor returns the group of an address after its result: that of its
// [rcpt.Result.Action].
func GroupFor(r rcpt.Result) Group {
	action := r.Action()
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
