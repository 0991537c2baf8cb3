// Package domainname brings the names in lists into one form and knows which of
// them are public suffixes.
//
// The form is that of a look-up under UTS #46, non-transitional: lower-case
// A-labels (RFC 5890) without a trailing dot. A suffix that the public suffix
// list lacks is an ordinary name here.
package domainname

import (
	"fmt"
	"strings"

	"github.com/rcpt/rcpt/internal/sys/publicsuffix"
	"golang.org/x/net/idna"
)

// Normalize returns the form of a name that lists hold. A name without a dot,
// and one that no DNS host name can have, is an error.
func Normalize(name string) (string, error) {
	profile := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckJoiners(true), idna.CheckHyphens(false),
		idna.StrictDomainName(true), idna.VerifyDNSLength(true), idna.Transitional(false))
	ascii, err := profile.ToASCII(strings.TrimSuffix(strings.TrimSpace(name), "."))
	if err != nil {
		return "", fmt.Errorf("%q is not a domain name", name)
	}
	if !strings.Contains(ascii, ".") {
		return "", fmt.Errorf("%q has no dot", name)
	}
	if isNumber(ascii[strings.LastIndexByte(ascii, '.')+1:]) {
		return "", fmt.Errorf("%q is an address, not a domain name", name)
	}
	return ascii, nil
}

// isNumber reports whether a last label is all digits, as no top-level domain
// is.
func isNumber(label string) bool {
	return strings.Trim(label, "0123456789") == ""
}

// IsICANNSuffix reports whether strangers register their domains directly under
// name at a registry of ICANN's section of the public suffix list: com, co.uk.
func IsICANNSuffix(name string) bool {
	suffix, icann := publicsuffix.PublicSuffix(name)
	return icann && suffix == name
}

// IsSuffix is IsICANNSuffix, or the same by the private section: eu.org,
// dynv6.net.
func IsSuffix(name string) bool {
	suffix, _ := publicsuffix.PublicSuffix(name)
	return suffix == name
}

// Parent returns the name one label shorter, unless that is a top-level domain.
func Parent(name string) (string, bool) {
	_, parent, ok := strings.Cut(name, ".")
	return parent, ok && strings.Contains(parent, ".")
}

// SameRegistrant reports whether a parent of name has the same registrant: it
// does unless it is a public suffix or is above one.
func SameRegistrant(parent, name string) bool {
	suffix, _ := publicsuffix.PublicSuffix(name)
	return len(parent) > len(suffix)
}

// Within reports whether name is the suffix or lies below it.
func Within(name, suffix string) bool {
	rest, ok := strings.CutSuffix(name, suffix)
	return ok && (rest == "" || strings.HasSuffix(rest, "."))
}
