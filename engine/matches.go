package engine

import (
	"slices"

	"github.com/rcpt/rcpt/lists"
)

// matches reports whether an entry of the list was matched.
func matches(found []lists.Match, list lists.Kind) bool {
	return slices.ContainsFunc(found, func(m lists.Match) bool { return m.List == list })
}

// trapped reports whether a spam trap was matched that is not to be contacted. A weak hint of one is for people to weigh.
func trapped(found []lists.Match) bool {
	return slices.ContainsFunc(found, func(m lists.Match) bool { return m.List == lists.SpamTrap && m.Confidence != lists.Weak })
}
