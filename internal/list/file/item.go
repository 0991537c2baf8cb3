package file

import (
	"strings"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/mailboxkey"
)

// Marks begin the text in the place of an address that needs no verification.
// The text of a list is UTF-8, so nothing in it looks like a mark.
const (
	unreadableMark = "\xffunreadable:" // the row cannot be read; the reason follows
	severalMark    = "\xffseveral:"    // the cell holds several addresses, and follows
	emptyMark      = "\xffempty:"      // the cell holds none, and follows
	unclearMark    = "\xffunclear:"    // the cell holds more than an address, and follows
	knownMark      = "\xffknown:"      // the result of an earlier run follows
)

// marks are those of cells that are not asked about.
var marks = [...]string{
	list.Unreadable: unreadableMark, list.Several: severalMark, list.Empty: emptyMark, list.Unclear: unclearMark,
}

// items are the addresses to verify of a row, one for each column that is read.
// Only the last has the row itself, which saves memory.
func (in *Input) items(row list.Row) []bulk.Item {
	items := make([]bulk.Item, len(row.Addresses))
	earlier := in.earlier.resultsFor(row)
	for i, cell := range row.Addresses {
		if earlier != nil && earlier[i] != nil {
			items[i].Email = known(earlier[i], cell)
		} else {
			items[i].Email = toVerify(row, i)
		}
	}
	items[len(items)-1].Row = []byte(row.Raw)
	return items
}

// toVerify returns the address in a cell of a row, or a text with a mark.
func toVerify(row list.Row, i int) string {
	kind, text := row.Held(i)
	return marks[kind] + text
}

// seenAddresses are the addresses of a list so far.
type seenAddresses map[mailboxkey.Key]struct{}

// repeats reports whether a row has addresses and all of them were seen before.
// It remembers them. Upper and lower case make no difference, although RFC 5321
// §2.4 would allow a mail host to tell them apart.
func (s seenAddresses) repeats(row list.Row) bool {
	held, fresh := 0, 0
	for i := range row.Addresses {
		kind, text := row.Held(i)
		parsed, err := address.Read(text)
		if kind != list.Address || err != nil {
			continue
		}
		held++
		key := mailboxkey.Of(strings.ToLower(parsed.Mailbox()))
		if _, seen := s[key]; !seen {
			s[key] = struct{}{}
			fresh++
		}
	}
	return held > 0 && fresh == 0
}
