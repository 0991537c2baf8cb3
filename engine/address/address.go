package address

// Address is a parsed mailbox.
type Address struct {
	// Local is the local-part exactly as it was given, quotes included.
	Local string
	// Domain is the domain as DNS knows it: lower-case A-labels without a trailing dot.
	Domain string
	// unquoted is the content of Local: quotes and escapes removed.
	unquoted string
}

// Parse reads s as one RFC 5321 mailbox. Every error is an [*Error].
func Parse(s string) (Address, error) { panic("not here yet") }

// Domain brings a domain name into the form DNS knows: UTS #46 non-transitional, lower-case A-labels. Every error is an [*Error].
func Domain(s string) (string, error) { panic("not here yet") }

// Unquoted returns the content of the local-part: without quotes and escapes.
func (a Address) Unquoted() string { return a.unquoted }

// Mailbox returns the form to send in RCPT TO: the local-part with the least quoting (RFC 5321 §4.1.2) and the A-label domain.
func (a Address) Mailbox() string { panic("not here yet") }

// NeedsSMTPUTF8 reports whether the local-part has non-ASCII characters, so that only SMTPUTF8 (RFC 6531) can carry it.
func (a Address) NeedsSMTPUTF8() bool { panic("not here yet") }
