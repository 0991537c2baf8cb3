package address

import (
	"strings"
	"unicode/utf8"
)

// Address is a mailbox read by [Parse], which alone fills it completely.
type Address struct {
	// Local is the local-part exactly as it was given, quotes included.
	Local string
	// Domain is the domain as DNS knows it: lower-case A-labels without a
	// trailing dot.
	Domain string
	// unquoted is the content of Local: quotes and escapes removed.
	unquoted string
	mailbox  string
}

// Parse reads s as one RFC 5321 mailbox. Every error is an [*Error].
func Parse(s string) (Address, error) {
	a, err := parse(s)
	if err != nil {
		return Address{}, recognise(s, err)
	}
	return a, nil
}

// Domain brings a domain name into the form DNS knows: UTS #46
// non-transitional, lower-case A-labels. Every error is an [*Error].
func Domain(s string) (string, error) {
	if err := checkInput(s); err != nil {
		return "", err
	}
	d, err := parseDomain(s)
	if err != nil {
		return "", err
	}
	return d, nil
}

// Unquoted returns the content of the local-part: without quotes and escapes.
func (a Address) Unquoted() string { return a.unquoted }

// Mailbox returns the form to send in RCPT TO: the local-part with the least
// quoting (RFC 5321 §4.1.2) and the A-label domain.
func (a Address) Mailbox() string { return a.mailbox }

// NeedsSMTPUTF8 reports whether the local-part has non-ASCII characters, so
// that only SMTPUTF8 (RFC 6531) can carry it.
func (a Address) NeedsSMTPUTF8() bool { return !isASCII(a.Local) }

func parse(s string) (Address, *Error) {
	if err := checkInput(s); err != nil {
		return Address{}, err
	}
	if !strings.Contains(s, "@") {
		return Address{}, fail(ReasonMissingAt, len(s), `there is no "@"`)
	}
	at, content, err := parseLocal(s)
	if err != nil {
		return Address{}, err
	}
	domain, err := parseDomain(s[at+1:])
	if err != nil {
		return Address{}, err.shift(at + 1)
	}
	local := quoteIfNeeded(content)
	if len(local)+len("@")+len(domain) > maxMailbox {
		return Address{}, fail(ReasonAddressTooLong, 0, "address is longer than %d octets", maxMailbox)
	}
	a := Address{Local: s[:at], Domain: domain, unquoted: content, mailbox: s}
	if local != a.Local || domain != s[at+1:] { // else it was given as it is to be sent
		a.mailbox = local + "@" + domain
	}
	return a, nil
}

// checkInput refuses what no later step should have to look at.
func checkInput(s string) *Error {
	switch {
	case s == "":
		return fail(ReasonEmpty, 0, "nothing was given")
	case len(s) > maxInput:
		return fail(ReasonAddressTooLong, maxMailbox, "%d bytes are far too long for an address", len(s))
	case !utf8.ValidString(s):
		return fail(ReasonIllFormedUTF8, illFormedAt(s), "text is not UTF-8")
	}
	return nil
}
