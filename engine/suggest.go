package engine

import (
	"strings"

	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/lists"
)

// suggest returns the address with the domain that was probably meant; empty when there is none to offer.
func suggest(known *lists.Lists, local, domain string) string {
	meant, ok := known.Suggest(domain)
	if !ok {
		return ""
	}
	return local + "@" + meant
}

// suggestDotted is suggest for an address whose only fault is a domain without a dot: alice@gmailcom.
func suggestDotted(known *lists.Lists, given string, fault *SyntaxFault) string {
	if fault == nil || fault.Reason != address.Dotless {
		return ""
	}
	at := strings.LastIndexByte(given, '@')
	return suggest(known, given[:at], strings.ToLower(given[at+1:]))
}
