package verdictcache

import (
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/address"
)

// mailbox is an address, as it was given and as it is remembered.
type mailbox struct {
	given string
	parts address.Address
	// local tells it from the others of its domain: the unquoted local-part; of
	// an irregular address its text, behind a zero octet, which no local-part
	// has.
	local string
}

// read parses an address, or returns the parsed form from memory.
func (c *Cache) read(given string) (mailbox, bool) {
	if c.memory == nil {
		return read(given)
	}
	return c.memory.read(given)
}

// read parses an address; false: it can be put to no mail host, and is not
// remembered.
func read(given string) (mailbox, bool) {
	parts, err := address.Read(given)
	if err != nil {
		return mailbox{}, false
	}
	m := mailbox{given: given, parts: parts, local: parts.Unquoted()}
	if len(parts.Irregular()) > 0 {
		m.local = "\x00" + m.text()
	}
	return m, true
}

// Key returns what the verdict of an address is remembered under; false: none
// is.
func Key(address string) (key string, ok bool) {
	m, ok := read(address)
	if !ok {
		return "", false
	}
	return m.text(), true
}

// text is the form that all spellings of the mailbox share. An irregular
// address stands for itself: its result says what is irregular about it.
func (m mailbox) text() string {
	if len(m.parts.Irregular()) == 0 {
		return m.parts.Mailbox()
	}
	return m.parts.Local() + strings.ToLower(m.given[len(m.parts.Local()):])
}

// spell returns a result of the mailbox in the given spelling.
func (m mailbox) spell(r *rcpt.Result) {
	if r.Email == m.given {
		return
	}
	r.Email = m.given
	if r.Local == m.parts.Local() {
		return
	}
	r.Local = m.parts.Local()
	if r.Suggestion != "" {
		r.Suggestion = m.parts.Local() + "@" + domainOf(r.Suggestion)
	}
}

// domainOf returns what follows the last "@", or the whole text if there is
// none.
func domainOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }
