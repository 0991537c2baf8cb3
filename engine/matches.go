package engine

import (
	"slices"

	"github.com/rcpt/rcpt/lists"
)

// matches reports whether an entry of the list was matched.
func matches(found []lists.Match, list lists.Kind) bool {
	return slices.ContainsFunc(found, func(m lists.Match) bool { return m.List == list })
}

// trapped reports whether a spam trap was matched that must not be contacted. A
// weak hint of one is left to people.
func trapped(found []lists.Match) bool {
	isTrap := func(m lists.Match) bool { return m.List == lists.KindSpamTrap && m.Confidence != lists.ConfidenceWeak }
	return slices.ContainsFunc(found, isTrap)
}
