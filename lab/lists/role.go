package main

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// groupOther is the group of roles to which no hand file gives another.
const groupOther = "other"

// role makes the list from the words of roles in packages, without numbers, and
// with the changes of the hand files.
func (in *inputs) role() entries {
	words := make(entries)
	raw := in.raw[holdsRole]
	for _, word := range slices.Sorted(maps.Keys(raw)) {
		folded := fold(strings.TrimSpace(word))
		if strings.Trim(folded, "0123456789") != "" {
			words.add(folded, raw[word].letters, groupOther)
		}
	}
	return in.hand.apply(listRole, words)
}

// fold brings a local-part into the form that package lists compares.
func fold(local string) string { return strings.ToLower(norm.NFKC.String(local)) }
