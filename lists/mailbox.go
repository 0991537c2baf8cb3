package lists

import "strings"

// mailbox is an address in the form that entries are compared with.
type mailbox struct {
	local  string
	base   string // local without its "+tag"
	domain string
}

func newMailbox(local, domain string) mailbox {
	if !isASCII(local) {
		local = strings.ToLower(local) // tables fold ASCII letters themselves
	}
	base, _, _ := strings.Cut(local, "+")
	return mailbox{local: local, base: base, domain: domain}
}

// tokens yields what stands between ".", "-" and "_" in the local-part without its tag.
func (m mailbox) tokens(yield func(string) bool) {
	rest := m.base
	for {
		i := strings.IndexAny(rest, ".-_")
		if i < 0 {
			yield(rest)
			return
		}
		if !yield(rest[:i]) {
			return
		}
		rest = rest[i+1:]
	}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
