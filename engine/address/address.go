package address

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Address is a mailbox that [Parse] or [Read] has read. The zero Address is no
// mailbox: all of its parts are empty.
type Address struct {
	local, domain string
	irregular     []Error
	unquoted      string // the content of local: quotes and escapes removed
	mailbox       string
}

// Parse reads s as one RFC 5321 mailbox. Every error is an [*Error].
func Parse(s string) (Address, error) {
	a, err := parse(s)
	if err != nil {
		return Address{}, recognise(s, err)
	}
	return a, nil
}

// Read reads s as one mailbox that a mail host may serve, whatever the grammar
// says: it refuses only what can be put to no host, and notes the rest
// ([Address.Irregular]). Every error is an [*Error].
func Read(s string) (Address, error) {
	a, err := read(s)
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
	d, err := strict(parseDomain(s))
	if err != nil {
		return "", err
	}
	return d, nil
}

// Local returns the local-part exactly as it was given, quotes included.
func (a Address) Local() string { return a.local }

// Domain returns the domain as DNS knows it: lower-case A-labels without a
// trailing dot.
func (a Address) Domain() string { return a.domain }

// Irregular returns what the grammar forbids about the address, in the order in
// which it was found, each reason once. It is empty after [Parse].
func (a Address) Irregular() []Error { return slices.Clone(a.irregular) }

// Unquoted returns the content of the local-part: without quotes and escapes.
func (a Address) Unquoted() string { return a.unquoted }

// Mailbox returns the form to send in RCPT TO: the local-part with the least
// quoting (RFC 5321 §4.1.2) and the A-label domain.
func (a Address) Mailbox() string { return a.mailbox }

// NeedsSMTPUTF8 reports whether the local-part has non-ASCII characters, so
// that only SMTPUTF8 (RFC 6531) can carry it.
func (a Address) NeedsSMTPUTF8() bool { return !isASCII(a.local) }

// strict makes an error of the first thing that is irregular.
func strict[T any](read T, irregular []Error, err *Error) (T, *Error) {
	if len(irregular) > 0 {
		err = &irregular[0]
	}
	if err != nil {
		var none T
		return none, err
	}
	return read, nil
}

func parse(s string) (Address, *Error) {
	a, err := read(s)
	return strict(a, a.irregular, err)
}

// read reads a mailbox. After an error, the address has what was irregular
// before it.
func read(s string) (a Address, err *Error) {
	if err := checkInput(s); err != nil {
		return a, err
	}
	if !strings.Contains(s, "@") {
		return a, fail(ReasonMissingAt, len(s), `there is no "@"`)
	}
	at, content, noted, err := parseLocal(s)
	if a.irregular = noted; err != nil {
		return a, err
	}
	domain, noted, err := parseDomain(s[at+1:])
	for i := range noted {
		a.irregular = note(a.irregular, noted[i].shift(at+1))
	}
	if err != nil {
		return a, err.shift(at + 1)
	}
	if dots := irregularity(a.irregular, ReasonLocalDot); dots != nil && !issuesDots(domain) {
		return a, dots
	}
	local := quoteIfNeeded(content)
	if len(local)+len("@")+len(domain) > maxMailbox {
		return a, addressTooLong()
	}
	a.local, a.domain, a.unquoted, a.mailbox = s[:at], domain, content, s
	if local != a.local || domain != s[at+1:] { // else it was given as it is to be sent
		a.mailbox = local + "@" + domain
	}
	return a, nil
}

func addressTooLong() *Error {
	return fail(ReasonAddressTooLong, 0, "address is longer than %d octets", maxMailbox)
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
