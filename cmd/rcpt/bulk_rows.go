package main

import (
	"cmp"
	"crypto/sha256"
	"strings"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/tabular"
	"github.com/rcpt/rcpt/engine/address"
)

// items are what is verified of a row: the address in each column that is read. The last has the row, so that the others do not keep it too.
func (in *listInput) items(row tabular.Row) []bulk.Item {
	items := make([]bulk.Item, len(row.Addresses))
	former := in.former.resultsFor(row)
	for i, cell := range row.Addresses {
		switch {
		case row.Err != nil:
			items[i].Email = unreadableMark + row.Err.Error()
		case former != nil && former[i] != nil:
			items[i].Email = known(former[i], cell)
		default:
			items[i].Email = toVerify(cell)
		}
	}
	items[len(items)-1].Row = []byte(row.Raw)
	return items
}

// toVerify is what is verified of a cell: the address that it means. It is a copy, since results are kept for duplicates, and the cell is a part of the
// whole row.
func toVerify(cell string) string {
	switch cleaned := address.Clean(cell); cleaned.Kind {
	case address.CleanSeveral:
		return severalMark + cell
	case address.CleanEmpty:
		return emptyMark + cell
	default:
		return strings.Clone(cleaned.Address)
	}
}

// noteRow notes what there is to say about a row.
func (in *listInput) noteRow(row tabular.Row) {
	in.note(func(n *inputNotes) {
		n.rows += int64(len(row.Addresses))
		n.octets += int64(len(row.Raw))
		if row.Foreign {
			n.foreign = cmp.Or(n.foreign, row.Line)
		}
		if row.Merged {
			n.addMerged(row.Line, row.LastLine)
		}
	})
}

// seenAddresses are those of a list so far, for --dedupe: 128 bits of a digest of each.
type seenAddresses map[[16]byte]struct{}

// repeats says whether a row has addresses and all of them were seen before. It remembers them. Upper and lower case make no difference: to no mail host
// that people use are they two mailboxes.
func (s seenAddresses) repeats(row tabular.Row) bool {
	held, fresh := 0, 0
	for _, cell := range row.Addresses {
		parsed, err := address.Parse(address.Clean(cell).Address)
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
