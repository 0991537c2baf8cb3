package main

import (
	"slices"
	"strings"

	"github.com/rcpt/rcpt/internal/listdata/domainname"
)

// freeSubdomain is the group of domains under which strangers register names of
// their own: package lists matches them exactly.
const freeSubdomain = "free_subdomain"

// disposable makes the list from the disposable entries of packages, the
// entries of mixed files that no package has as free, and the changes of the
// hand files. Mistyped providers are left out, unless the domain was observed
// in use: disposable services use such names, too.
func (in *inputs) disposable() entries {
	all := normalized(in.raw[holdsDisposable])
	free, mixedFree := in.votes(), normalized(in.raw[holdsMixedFree])
	for name, e := range normalized(in.raw[holdsMixed]) {
		if !free.has(name) && !mixedFree.has(name) {
			all.add(name, e.letters, e.group)
		}
	}
	mistyped, seen := in.hand.mistyped(), in.pins.observers()
	for name, e := range all {
		if !in.freenom && isFreenom(name) || !strings.ContainsAny(e.letters, seen) && mistyped(name) {
			delete(all, name)
		}
	}
	return in.hand.apply(listDisposable, all)
}

// isFreenom reports a name under a top-level domain that Freenom gave away
// until 2023; most of those names are gone.
func isFreenom(name string) bool {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "tk", "ml", "ga", "cf", "gq":
		return true
	}
	return false
}

// withoutCovered tells the entries under which strangers register names, and
// leaves out those below a listed one that stands for them.
func (h *hand) withoutCovered(all entries) entries {
	strangers := names(h.freeSubdomain)
	covering := make(set)
	for name := range all {
		if !strangers[name] {
			covering[name] = true
		}
	}
	kept := make(entries)
	for name, e := range all {
		if covering.above(name) {
			continue
		}
		if strangers[name] || domainname.IsSuffix(name) {
			e.group = freeSubdomain
		}
		kept[name] = e
	}
	return kept
}

// notDisposable reports names that are never disposable: the allowed names and
// the relays with all names below them, the free providers, and parents of a
// relay or a free provider, which would cover it.
func (h *hand) notDisposable() func(name string) bool {
	exact := make(set)
	for _, r := range slices.Concat(h.relay, h.freeAdd) {
		exact[r.name] = true
		for parent := range parents(r.name) {
			exact[parent] = true
		}
	}
	covering := names(slices.Concat(h.allow, h.relay))
	return func(name string) bool { return exact[name] || covering.covers(name) }
}
