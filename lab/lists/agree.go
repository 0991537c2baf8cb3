package main

import "github.com/rcpt/rcpt/internal/listdata/domainname"

// agree reports hand files that contradict each other.
func (h *hand) agree() error {
	for _, c := range []struct {
		rows  []row
		clash func(name string) bool
		with  string
	}{
		{h.disposableAdd, h.notDisposable(), "allow.txt, relay.txt or free-add.txt"},
		{h.freeAdd, has(h.freeDrop), "free-drop.txt"},
		{h.roleAdd, has(h.roleDrop), "role-drop.txt"},
		{h.roleAdd, has(h.roleQualifiers), "role-qualifiers.txt"},
		{h.disposableHosts, under(h.sharedHosts), "shared-hosts.txt"},
		{h.parkedHosts, has(h.sharedHosts), "shared-hosts.txt"},
		{h.parkedHosts, has(h.disposableHosts), "disposable-hosts.txt"},
	} {
		for _, r := range c.rows {
			if c.clash(r.name) {
				return r.errorf("%q goes against %s", r.name, c.with)
			}
		}
	}
	return nil
}

func has(rows []row) func(string) bool {
	s := names(rows)
	return func(name string) bool { return s[name] }
}

// under reports hosts that are one of the suffixes or are below one, whatever
// their registrants.
func under(rows []row) func(string) bool {
	s := names(rows)
	return func(name string) bool {
		for ok := true; ok; name, ok = domainname.Parent(name) {
			if s[name] {
				return true
			}
		}
		return false
	}
}
