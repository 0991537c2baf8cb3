package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/lab/lists/listfile"
)

// changes are the changes of the hand files to a list from packages.
type changes struct {
	unwanted func(name string) bool
	added    []row
	group    func(row) string // of an added entry, or empty
	reason   func(row) string // in the source of an added entry, or empty
}

func (h *hand) changes(list string) changes {
	switch list {
	case listDisposable:
		return changes{h.notDisposable(), h.disposableAdd, serviceIn(1), column(1)}
	case listFree:
		return changes{h.notFree(), h.freeAdd, column(1), nothing}
	}
	return changes{has(slices.Concat(h.roleDrop, h.roleQualifiers)), h.roleAdd, column(1), column(2)}
}

// apply makes the list from the entries of packages. The group of an added
// entry overrides those of packages. A second call changes nothing.
func (h *hand) apply(list string, packaged entries) entries {
	c := h.changes(list)
	kept := make(entries)
	for name, e := range packaged {
		if !c.unwanted(name) {
			kept[name] = e
		}
	}
	for _, r := range c.added {
		kept.add(r.name, handLetter, "")
		if group := c.group(r); group != "" {
			kept[r.name] = entry{kept[r.name].letters, group}
		}
	}
	if list == listDisposable {
		return h.withoutCovered(kept)
	}
	return kept
}

// agreesWith reports a text file that was made before the hand files were
// changed: applying them again would change it.
func (h *hand) agreesWith(f listfile.File) error {
	packaged, text := make(entries), make(entries)
	for _, e := range f.Entries {
		text[e.Name] = entry{e.Letters, e.Group}
		if letters := strings.ReplaceAll(e.Letters, handLetter, ""); letters != "" {
			packaged[e.Name] = entry{letters, e.Group}
		}
	}
	now := h.apply(f.Name, packaged)
	for name := range now {
		if now[name] != text[name] {
			return fmt.Errorf("%s.txt was made before the hand files were changed: %q", f.Name, name)
		}
		delete(text, name)
	}
	for name := range text {
		return fmt.Errorf("%s.txt was made before the hand files were changed: %q", f.Name, name)
	}
	return nil
}

// reasons are those for added entries, by name.
func (c changes) reasons() map[string]string {
	why := make(map[string]string)
	for _, r := range c.added {
		why[r.name] = c.reason(r)
	}
	return why
}

// serviceIn is the column where it names the site of a service, and not a
// reason in words.
func serviceIn(i int) func(row) string {
	return func(r row) string {
		if isDomain(r.columns[i]) != nil {
			return ""
		}
		return r.columns[i]
	}
}
