package main

import (
	"iter"
	"maps"
	"slices"

	"github.com/rcpt/rcpt/internal/listdata/domainname"
)

// normalized brings domains into the form of lists (which includes NFKC and
// lower case) and leaves out invalid ones. Names that become equal unite their
// sources.
func normalized(raw entries) entries {
	clean := make(entries, len(raw))
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		domain, err := domainname.Normalize(name)
		if err == nil && !domainname.IsICANNSuffix(domain) {
			clean.add(domain, raw[name].letters, raw[name].group)
		}
	}
	return clean
}

// set is a set of names.
type set map[string]bool

// covers reports whether the name or a parent of the same registrant is in the
// set, as lists that cover sub-domains are matched.
func (s set) covers(name string) bool { return s[name] || s.above(name) }

// above reports whether a parent of the same registrant is in the set.
func (s set) above(name string) bool {
	for parent := range parents(name) {
		if s[parent] {
			return true
		}
	}
	return false
}

// parents yields the parents of a name that belong to its registrant, the
// nearest first.
func parents(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		parent, ok := domainname.Parent(name)
		for ; ok && domainname.SameRegistrant(parent, name); parent, ok = domainname.Parent(parent) {
			if !yield(parent) {
				return
			}
		}
	}
}
