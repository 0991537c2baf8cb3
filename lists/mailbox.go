package lists

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// mailbox is an address in the form that entries are compared with. Tables fold
// ASCII letters themselves.
type mailbox struct {
	local  string
	base   string // local without its "+tag"
	domain string
}

// maxDomain is the longest domain in octets (RFC 1035 §2.3.4, without the
// octets for the root and the first length). A longer one is on no list, and
// the search would be repeated for each label.
const maxDomain = 253

func newMailbox(local, domain string) mailbox {
	if !isASCII(local) {
		local = fold(local)
	}
	if len(domain) > maxDomain {
		domain = ""
	}
	base, _, _ := strings.Cut(local, "+")
	return mailbox{local: local, base: base, domain: domain}
}

// fold unifies spellings that look or mean the same: full-width letters,
// capitals, composed letters.
func fold(local string) string { return strings.ToLower(norm.NFKC.String(local)) }

// spellings are the local-part as it is and, where it has a tag, without it.
func (m *mailbox) spellings() []string {
	if m.base == m.local {
		return []string{m.local}
	}
	return []string{m.local, m.base}
}

// ignoresDots reports whether the domain's provider delivers a.b@ and ab@ to
// one mailbox.
func (m *mailbox) ignoresDots() bool { return m.domain == "gmail.com" || m.domain == "googlemail.com" }

// nextToken takes what stands before the next ".", "-" or "_" off a local-part.
func nextToken(local string) (token, rest string, more bool) {
	if i := strings.IndexAny(local, ".-_"); i >= 0 {
		return local[:i], local[i+1:], true
	}
	return local, "", false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
