package dnsresolve

import (
	"cmp"
	"slices"
)

// inOrder returns the exchangers in the order to try them: by preference, those
// of equal preference at random (RFC 5321 §5.1), each host once. The root as a
// host means no mail (RFC 7505 §3): alone it leaves no exchanger, beside others
// it is ignored.
func inOrder(named []exchanger, shuffle shuffler) []exchanger {
	sorted := slices.DeleteFunc(slices.Clone(named), func(e exchanger) bool { return e.host == "" })
	slices.SortFunc(sorted, func(a, b exchanger) int {
		return cmp.Or(cmp.Compare(a.host, b.host), cmp.Compare(a.preference, b.preference))
	})
	sorted = slices.CompactFunc(sorted, func(a, b exchanger) bool { return a.host == b.host })
	slices.SortStableFunc(sorted, func(a, b exchanger) int { return cmp.Compare(a.preference, b.preference) })
	shuffleEqual(sorted, func(e exchanger) uint16 { return e.preference }, shuffle)
	return sorted
}

// shuffler is rand.Shuffle, or a substitute for it in tests.
type shuffler func(n int, swap func(i, j int))

// shuffleEqual shuffles adjacent elements of the same preference.
func shuffleEqual[T any](sorted []T, preference func(T) uint16, shuffle shuffler) {
	for start := 0; start < len(sorted); {
		end := start
		for end < len(sorted) && preference(sorted[end]) == preference(sorted[start]) {
			end++
		}
		if equal := sorted[start:end]; len(equal) > 1 {
			shuffle(len(equal), func(i, j int) { equal[i], equal[j] = equal[j], equal[i] })
		}
		start = end
	}
}
