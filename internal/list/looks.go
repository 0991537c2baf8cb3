package list

import (
	"strings"

	"github.com/rcpt/rcpt/engine/address"
)

// looksLikeAddress reports whether a cell probably holds an address, or
// several. It is for guesses only: no verdict depends on it. What else people
// write with an "@" is none: a link ("https://social.example/@jane"), a handle,
// a name ("name@role"), a price ("3 @ 2.50"), or a row that was split at the
// wrong delimiter ("1|jane@a.example").
func looksLikeAddress(cell string) bool {
	if len(cell) > maxLooked || !mayHoldAddress(cell) {
		return false
	}
	if first, rest, found := strings.Cut(strings.TrimSpace(cell), "\n"); found { // not rows that a quote merged
		return looksLikeAddress(first) && looksLikeAddress(rest)
	}
	cleaned := address.Clean(cell)
	if cleaned.Several {
		return !strings.ContainsAny(cell, rareDelimiters)
	}
	local, domain := cutAt(cleaned.Address)
	if strings.ContainsAny(local, "/"+rareDelimiters) || !isDotted(domain) {
		return false
	}
	_, err := address.Read(cleaned.Address)
	return err == nil
}

// addressesIn is how many addresses a cell probably holds.
func addressesIn(cell string) int {
	if !looksLikeAddress(cell) {
		return 0
	}
	count := 0
	for _, part := range strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",;\n", r) }) {
		if looksLikeAddress(part) {
			count++
		}
	}
	return max(1, count)
}

// maxLooked is the length of the longest cell that looksLikeAddress parses.
const maxLooked = 1 << 10

// rareDelimiters are the delimiters that may stand in an address, where they
// are rare.
const rareDelimiters = "|~^"

// mayHoldAddress reports whether a text has an at sign, in one of its forms.
func mayHoldAddress(text string) bool {
	return strings.ContainsAny(text, "@\uFF20\uFE6B") || strings.Contains(text, "%40")
}

func cutAt(mailbox string) (local, domain string) {
	at := strings.LastIndexByte(mailbox, '@')
	return mailbox[:max(at, 0)], mailbox[at+1:]
}

// isDotted reports whether a domain has a dot, and does not end in a number as
// no top-level domain does (RFC 3696 §2).
func isDotted(domain string) bool {
	dot := strings.LastIndexAny(domain, ".。")
	return dot > 0 && strings.Trim(domain[dot:], ".。0123456789") != ""
}
