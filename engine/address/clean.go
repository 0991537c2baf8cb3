package address

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cleaned is what [Clean] found in a text.
type Cleaned struct {
	// Address is the mailbox that the text means, as [Read] wants it, and as
	// [Parse] does where the text has such a one. It is the text itself where
	// nothing had to be removed, and where the text cannot be cleaned: Read
	// then says what is wrong. It is empty if the text
	// has several addresses, and if it has none: nothing but blanks, a word for
	// "no value" such as "N/A", or a comment line.
	Address string
	// Several reports that the text has two addresses or more: which one is
	// meant cannot be known.
	Several bool
	// Removed names in plain words what was removed or changed, such as
	// "display name" or "blank"; each once. It is empty when Address is the
	// text.
	Removed []string
}

// What is removed, in plain words.
const (
	removedBlank      = "blank"
	removedInvisible  = "invisible character"
	removedScheme     = "mailto:"
	removedLabel      = "label"
	removedPercent    = "percent encoding"
	removedName       = "display name"
	removedBrackets   = "angle brackets"
	removedComment    = "comment"
	removedQuotes     = "quotes"
	removedDot        = "trailing dot"
	removedSeparator  = "separator"
	removedFullWidth  = "full-width character"
	removedRepetition = "repeated address"
	removedFormula    = "formula"
	removedLink       = "link"
	removedMarkup     = "markup"
)

const (
	// rightToLeftOverride makes a text look as if it were written backwards:
	// what a person means by it cannot be known.
	rightToLeftOverride = '\u202E'
	// maxCleaned is the longest text that is looked at: a spreadsheet's cell.
	maxCleaned = 32 << 10
	// maxRounds is more than any text needs that was not made to need many.
	maxRounds = 16
)

// Clean finds the mailbox that a person means by a text from a list, a form or
// an address book: "Jane <jane@a.example>", "mailto:jane@a.example", an address
// between blanks or with a dot behind it. Parse stays exact; callers that take
// text from people clean it first, verify Address, and say what was given
// (rcpt.Details.Given).
//
// Cleaning never turns one valid mailbox into another: a text that Parse
// accepts is returned as it is, but for invisible characters at its ends that
// IDNA ignores. What was removed from other texts could not have been a part of
// an address where it stood.
func Clean(text string) Cleaned {
	if mailbox, err := parse(text); err == nil {
		return trimIgnored(text, mailbox)
	}
	if len(text) > maxCleaned || !utf8.ValidString(text) || strings.ContainsRune(text, rightToLeftOverride) {
		return Cleaned{Address: text}
	}
	for _, reads := range []reading{parse, read} { // an irregular address only where there is no other
		c := cleaner{text: text, reads: reads}
		if found, ok := c.clean(); ok {
			return found
		}
	}
	return Cleaned{Address: text}
}

// reading is how an address is read.
type reading func(string) (Address, *Error)

// accepts reports whether a text is an address. A dot behind it is removed
// first.
func (reads reading) accepts(s string) bool {
	a, err := reads(s)
	return err == nil && irregularity(a.irregular, ReasonTrailingDot) == nil
}

// Trim removes what forms, spreadsheets and chats leave in an address: blanks
// and invisible characters at both ends of a text, and those in the domain that
// IDNA ignores.
func Trim(text string) string {
	text = strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || isEdgeInvisible(r) })
	at := strings.LastIndexByte(text, '@') + 1
	visible := text[:at] + strings.Map(func(r rune) rune {
		if isInvisible(r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, text[at:])
	if visible == text {
		return text
	}
	mailbox, err := parse(text)
	same, fault := parse(visible)
	if err != nil || fault != nil || same.Mailbox() != mailbox.Mailbox() {
		return text
	}
	return visible
}

// trimIgnored removes invisible characters at the ends of a valid address if it
// names the same mailbox without them.
func trimIgnored(text string, mailbox Address) Cleaned {
	trimmed := trimInvisible(text)
	if trimmed == text {
		return Cleaned{Address: text}
	}
	same, err := parse(trimmed)
	if err != nil || same.Mailbox() != mailbox.Mailbox() {
		return Cleaned{Address: text}
	}
	return Cleaned{Address: trimmed, Removed: []string{removedInvisible}}
}

// clean makes one change after the other until an address comes out; false:
// none does.
func (c *cleaner) clean() (cleaned Cleaned, ok bool) {
	for range maxRounds {
		c.trim()
		switch {
		case c.reads.accepts(c.text):
			return Cleaned{Address: c.text, Removed: c.removed}, true
		case isEmpty(c.text):
			return Cleaned{}, true
		}
		if found := c.listed(); len(found) > 1 {
			return Cleaned{Several: true}, true
		} else if len(found) == 1 {
			c.note(removedRepetition)
			return Cleaned{Address: found[0], Removed: c.removed}, true
		}
		if !c.step() {
			break
		}
	}
	return Cleaned{}, false
}

// cleaner is a text on its way to an address.
type cleaner struct {
	text    string
	reads   reading
	removed []string
	ofList  bool // is a part of a list itself, and not searched for lists again
}

func (c *cleaner) note(removed string) {
	if !slices.Contains(c.removed, removed) {
		c.removed = append(c.removed, removed)
	}
}

// change is one way to clean a text. It returns the text as it is where there
// is nothing to do.
type change struct {
	removed string
	apply   func(string) string
}

// edges are the changes that come before a text is searched for several
// addresses.
var edges = []change{
	{removedInvisible, trimInvisible},
	{removedBlank, trimBlanks},
	{removedScheme, cutScheme},
	{removedLabel, cutLabel},
	{removedFormula, cutFormula},
	{removedLink, cutAnchor},
}

// changes are the others; the first that changes something is made, and the
// outcome looked at again.
var changes = []change{
	{removedMarkup, decodeEntities},
	{removedMarkup, cutTags},
	{removedLink, cutLink},
	{removedComment, cutComments},
	{removedName, cutName},
	{removedBrackets, cutBrackets},
	{removedQuotes, cutQuotes},
	{removedQuotes, trimQuotes},
	{removedSeparator, trimSeparators},
	{removedDot, trimDots},
	{removedBlank, joinAtSign},
	{removedPercent, decodePercent},
	{removedInvisible, dropInvisible},
	{removedFullWidth, foldFullWidth},
}

// trim makes the changes at the edges until there is nothing left to do.
func (c *cleaner) trim() {
	for range maxRounds {
		if !c.first(edges) {
			return
		}
	}
}

func (c *cleaner) step() bool { return c.first(changes) }

// first makes the first of some changes that changes something.
func (c *cleaner) first(of []change) bool {
	for _, change := range of {
		if changed := change.apply(c.text); changed != c.text {
			c.text = changed
			c.note(change.removed)
			return true
		}
	}
	return false
}
