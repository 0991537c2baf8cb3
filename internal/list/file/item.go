package file

import (
	"crypto/sha256"
	"strings"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/list"
)

// Marks begin the text in the place of an address that needs no verification.
// The text of a list is UTF-8, so nothing in it looks like a mark.
const (
	unreadableMark = "\xffunreadable:" // the row cannot be read; the reason follows
	severalMark    = "\xffseveral:"    // the cell holds several addresses, and follows
	emptyMark      = "\xffempty:"      // the cell holds none, and follows
	knownMark      = "\xffknown:"      // the result of an earlier run follows
)

// items are the addresses to verify of a row, one for each column that is read.
// Only the last has the row itself, which saves memory.
func (in *Input) items(row list.Row) []bulk.Item {
	items := make([]bulk.Item, len(row.Addresses))
	earlier := in.earlier.resultsFor(row)
	for i, cell := range row.Addresses {
		switch {
		case row.Err != nil:
			items[i].Email = unreadableMark + row.Err.Error()
		case earlier != nil && earlier[i] != nil:
			items[i].Email = known(earlier[i], cell)
		default:
			items[i].Email = toVerify(cell)
		}
	}
	items[len(items)-1].Row = []byte(row.Raw)
	return items
}

// toVerify returns the address in a cell. It is a copy: results are kept for
// duplicates, and the cell is a part of the whole row.
func toVerify(cell string) string {
	switch cleaned := address.Clean(cell); {
	case cleaned.Several:
		return severalMark + cell
	case cleaned.Address == "":
		return emptyMark + cell
	default:
		return strings.Clone(cleaned.Address)
	}
}

// seenAddresses are the addresses of a list so far: 128 bits of a digest of
// each.
type seenAddresses map[[16]byte]struct{}

// repeats reports whether a row has addresses and all of them were seen before.
// It remembers them. Upper and lower case make no difference, although RFC 5321
// §2.4 would allow a mail host to tell them apart.
func (s seenAddresses) repeats(row list.Row) bool {
	held, fresh := 0, 0
	for _, cell := range row.Addresses {
		parsed, err := address.Read(address.Clean(cell).Address)
		if err != nil {
			continue
		}
		held++
		digest := sha256.Sum256([]byte(strings.ToLower(parsed.Mailbox())))
		key := [16]byte(digest[:16])
		if _, seen := s[key]; !seen {
			s[key] = struct{}{}
			fresh++
		}
	}
	return held > 0 && fresh == 0
}
