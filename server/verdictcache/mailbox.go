package verdictcache

import (
	"strings"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
)

// mailbox is a well-formed address, as it was given and as it is remembered.
type mailbox struct {
	given string
	parts address.Address
	local string // unquoted
}

// read parses an address, or returns the parsed form from memory.
func (c *Cache) read(given string) (mailbox, bool) {
	if c.memory == nil {
		return read(given)
	}
	return c.memory.read(given)
}

// read parses an address; false: it is not well-formed, and not remembered.
func read(given string) (mailbox, bool) {
	parts, err := address.Parse(given)
	if err != nil {
		return mailbox{}, false
	}
	return mailbox{given: given, parts: parts, local: parts.Unquoted()}, true
}

// text is the form that all spellings of the mailbox share.
func (m mailbox) text() string { return m.parts.Mailbox() }

// spell returns a result of the mailbox in the given spelling.
func (m mailbox) spell(r *engine.Result) {
	if r.Email == m.given {
		return
	}
	r.Email = m.given
	if r.User == m.parts.Local {
		return
	}
	r.User = m.parts.Local
	if r.Details != nil && r.Details.Suggestion != "" {
		details := *r.Details
		details.Suggestion = m.parts.Local + "@" + domainOf(details.Suggestion)
		r.Details = &details
	}
}

// domainOf returns what follows the last "@", or the whole text if there is
// none.
func domainOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }
