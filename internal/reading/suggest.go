package reading

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/lists"
)

// suggest returns the address with the domain that was probably meant, or an
// empty text.
func (r *Reader) suggest(local, domain string) string {
	if domain != r.domain {
		r.domain = domain
		r.meant, _ = r.known.Suggest(domain)
	}
	if r.meant == "" {
		return ""
	}
	return local + "@" + r.meant
}

// suggestDotted is suggest for an address whose only fault is a domain without
// a dot: alice@gmailcom.
func (r *Reader) suggestDotted(given string, fault *address.Error) string {
	if fault == nil || fault.Reason != address.ReasonDotless {
		return ""
	}
	at := strings.LastIndexByte(given, '@')
	return r.suggest(given[:at], strings.ToLower(given[at+1:]))
}

// maxRepaired is the length of the longest text that is repaired, in octets.
const maxRepaired = 512

// repair returns the address at a known provider that one repair makes of a
// text that is not one: "..", ".@" or "," where one character was meant. It
// returns an empty text where it takes two repairs, where several addresses
// come of one, and where the provider is not known.
func (r *Reader) repair(given string) string {
	if len(given) > maxRepaired {
		return ""
	}
	from, to, ok := onlySlip(given)
	if !ok {
		return ""
	}
	meant := ""
	for _, instead := range insteadOf(given, from, to) {
		text := given[:from] + instead + given[to:]
		mailbox, err := address.Parse(text)
		if err != nil || !r.known.Has(lists.KindFree, mailbox.Unquoted(), mailbox.Domain()) {
			continue
		}
		if meant != "" {
			return ""
		}
		meant = mailbox.Mailbox()
	}
	return meant
}

// insteadOf returns what may have been meant by the slip in text[from:to].
func insteadOf(text string, from, to int) []string {
	switch slip := text[from:to]; {
	case from == 0, to == len(text):
		return []string{""}
	case strings.Contains(slip, "@"), !strings.Contains(text, "@"):
		return []string{"@"}
	case strings.ContainsAny(slip, ".,"): // the keys are neighbours
		return []string{"."}
	}
	return []string{".", ""}
}

// onlySlip finds the only slip of a text: characters in a row that separate or
// mean nothing, where there is neither one dot nor one "@" between others.
func onlySlip(text string) (from, to int, found bool) {
	start, inDomain := -1, false
	for i, r := range text + "a" { // which ends the last row
		if i < len(text) && separates(r, inDomain) {
			if start < 0 {
				start = i
			}
			inDomain = inDomain || r == '@'
			continue
		}
		if start < 0 {
			continue
		}
		regular := (text[start:i] == "." || text[start:i] == "@") && start > 0 && i < len(text)
		if !regular && found {
			return 0, 0, false
		}
		if !regular {
			from, to, found = start, i, true
		}
		start = -1
	}
	return from, to, found
}

// separates reports whether a character is no part of a name in an address.
func separates(r rune, inDomain bool) bool {
	switch {
	case r == '-', unicode.In(r, unicode.L, unicode.M, unicode.Nd):
		return false
	case inDomain, r >= utf8.RuneSelf:
		return true
	}
	return strings.ContainsRune(` .,;:@"<>()[]\`, r)
}
