package address

import (
	"slices"
	"strings"
	"unicode"
)

// listed returns different addresses that a text lists, where it seems to list
// some; nil: it does not. Two stand for all.
func (c *cleaner) listed() []string {
	s := c.text
	if c.ofList || strings.Count(s, "@") < 2 {
		return nil
	}
	for _, parts := range [][]string{
		splitList(s), splitAngles(s), splitWords(s, unicode.IsSpace), splitWords(s, isSlash),
	} {
		if found := c.cleanAll(parts); found != nil {
			return found
		}
	}
	return nil
}

// cleanAll returns the different addresses in those parts of a text that have
// an "@"; nil: there are no two such parts, or no address. Two are enough to
// know that there are several, and a part that is no address counts as one.
func (c *cleaner) cleanAll(parts []string) []string {
	parts = slices.DeleteFunc(parts, func(part string) bool { return !strings.Contains(part, "@") })
	if len(parts) < 2 {
		return nil
	}
	var found []string
	mailboxes := map[string]bool{}
	for _, part := range parts {
		one := cleaner{text: part, reads: c.reads, ofList: true}
		address := part
		if cleaned, ok := one.clean(); ok {
			address = cleaned.Address
		}
		a, _ := c.reads(address) // the mailbox of a text that is no address is empty
		if !mailboxes[a.mailbox] {
			mailboxes[a.mailbox] = true
			found = append(found, address)
		}
		if len(mailboxes) > 1 {
			return found
		}
	}
	if mailboxes[""] {
		return nil
	}
	return found
}

// splitList splits a text at separators that stand neither between quotes nor
// in a comment nor in angle brackets.
func splitList(s string) []string {
	var parts []string
	scan := scanner{}
	from, inAngle := 0, false
	for i, r := range s {
		inComment := scan.next(r)
		switch {
		case scan.quoted || inComment:
		case r == '<':
			inAngle = true
		case r == '>':
			inAngle = false
		case !inAngle && strings.ContainsRune(",;|\t\r\n", r):
			parts = append(parts, s[from:i])
			from = i + 1
		}
	}
	if scan.quoted || scan.comment > 0 || inAngle { // a stray mark: it says nothing
		return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(",;|\t\r\n", r) })
	}
	return append(parts, s[from:])
}

// splitAngles returns what is in angle brackets outside of quotes, for texts
// without separators: "a <a@b.example> c <c@d.example>".
func splitAngles(s string) []string {
	var parts []string
	scan := scanner{}
	from := -1
	for i, r := range s {
		switch inComment := scan.next(r); {
		case scan.quoted || inComment:
		case r == '<':
			from = i + 1
		case r == '>' && from >= 0:
			parts = append(parts, s[from:i])
			from = -1
		}
	}
	return parts
}

// splitWords splits a text without angle brackets, before which stands a name,
// and without quotes.
func splitWords(s string, isSeparator func(rune) bool) []string {
	if strings.ContainsAny(s, `<"`) {
		return nil
	}
	return strings.FieldsFunc(s, isSeparator)
}

func isSlash(r rune) bool { return r == '/' }
