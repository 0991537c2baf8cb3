package main

import (
	"slices"
	"strconv"

	"github.com/rcpt/rcpt/internal/listdata/suggest"
)

// mistyped reports names that look like a mistyped provider's and are not known
// to be anything else. Packages contain many of them, because they were
// collected from typed addresses. Such an address is a typing error in a real
// address, and is neither disposable nor free.
func (h *hand) mistyped() func(name string) bool {
	var targets []suggest.Target
	for _, r := range h.typoTargets {
		weight, _ := strconv.Atoi(r.columns[1]) // isWeight has seen it
		targets = append(targets, suggest.Target{Domain: r.name, Weight: weight})
	}
	known := names(slices.Concat(h.typoExempt, h.allow, h.relay, h.freeAdd))
	s := suggest.New(targets, func(name string) bool { return known[name] })
	meant := names(h.typoTargets)
	return func(name string) bool {
		target, ok := s.Suggest(name)
		return ok && meant[target]
	}
}
