package lists

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rcpt/rcpt/internal/listdata/domainname"
)

// maxLocal is the longest local-part in octets (RFC 5321 §4.5.3.1.1).
const maxLocal = 64

// hostPrefix marks an entry that names a mail exchanger.
const hostPrefix = "mx:"

// entry is one line of a user's list: a local-part, a domain, an address or its
// digest, or a mail exchanger.
type entry struct {
	local  string
	domain string
	host   bool    // domain names a mail exchanger
	digest digests // local is one
}

// parseEntry reads an entry of a list of the given kind.
func parseEntry(kind Kind, text string) (entry, error) {
	e := splitEntry(kind, text)
	if e.local == "" && e.domain == "" {
		return entry{}, fmt.Errorf("%q has no name", text)
	}
	var err error
	if e.local, err = normalizeLocal(e.local); err != nil {
		return entry{}, err
	}
	if e.domain, err = normalizeDomain(e.domain); err != nil {
		return entry{}, err
	}
	return e, e.fits(kind, text)
}

func splitEntry(kind Kind, text string) entry {
	if host, ok := strings.CutPrefix(text, hostPrefix); ok {
		return entry{domain: host, host: true}
	}
	if d := digestOf(text); kind == KindSpamTrap && d.any() {
		return entry{local: text, digest: d}
	}
	at := strings.LastIndexByte(text, '@')
	switch {
	case at >= 0:
		return entry{local: text[:at], domain: text[at+1:]}
	case kind == KindRole:
		return entry{local: text}
	default:
		return entry{domain: text}
	}
}

// fits reports an entry that a list of this kind could never match.
func (e entry) fits(kind Kind, text string) error {
	var fit bool
	switch kind {
	case KindRole:
		fit = e.local != ""
	case KindFree:
		fit = e.local == "" && !e.host
	case KindDisposable:
		fit = e.local == ""
	case KindSpamTrap:
		fit = true
	default:
		fit = !e.host
	}
	if !fit {
		return fmt.Errorf("%q cannot be an entry of the list %s", text, kind)
	}
	return nil
}

func normalizeDomain(domain string) (string, error) {
	if domain == "" {
		return "", nil
	}
	name, err := domainname.Normalize(domain)
	if err != nil {
		return "", err
	}
	if domainname.IsICANNSuffix(name) {
		return "", fmt.Errorf("%q is a public suffix, not a domain of its own", domain)
	}
	return name, nil
}

func normalizeLocal(local string) (string, error) {
	if len(local) > maxLocal {
		return "", fmt.Errorf("%q is longer than the %d octets of a local-part", local, maxLocal)
	}
	strange := func(r rune) bool {
		return r == '@' || r == '"' || r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r)
	}
	if strings.ContainsFunc(local, strange) {
		return "", fmt.Errorf("%q is not a valid local-part", local)
	}
	return fold(local), nil
}
