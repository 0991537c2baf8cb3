package file

import (
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/mailboxkey"
)

// items are the addresses to verify of a row, one for each column that is read,
// and the known results of cells that are not asked about. Only the last has
// the row itself, which saves memory.
func (in *Input) items(row list.Row) []bulk.Item {
	items := make([]bulk.Item, len(row.Addresses))
	earlier := in.earlier.resultsFor(row)
	for i, cell := range row.Addresses {
		if earlier != nil && earlier[i] != nil {
			items[i] = known(*earlier[i], cell)
		} else {
			items[i] = itemOf(row, i)
		}
	}
	items[len(items)-1].Row = []byte(row.Raw)
	return items
}

// itemOf returns the address in a cell of a row, or the result of one that
// holds none.
func itemOf(row list.Row, i int) bulk.Item {
	kind, text := row.Held(i)
	item := bulk.Item{Email: text}
	if result, without := kind.Result(text); without {
		item.Known = &result
	}
	return item
}

// known is an item whose result was that of an earlier run.
func known(r rcpt.Result, cell string) bulk.Item {
	r.Email = address.Clean(cell).Address
	if parsed, err := address.Read(r.Email); err == nil {
		r.Local, r.Domain = parsed.Local(), parsed.Domain()
		if r.Details != nil {
			details := *r.Details // which other rows share
			details.Canonical, r.Details = parsed.Canonical(), &details
		}
	}
	return bulk.Item{Email: r.Email, Known: &r}
}

// Dedupe says which rows repeat a row before; empty: none does.
type Dedupe string

// What a row repeats.
const (
	DedupeAddress   Dedupe = "address"   // addresses
	DedupeCanonical Dedupe = "canonical" // mailboxes: [address.Address.Canonical]
)

// seen are the addresses or mailboxes of a list so far.
type seen struct {
	by   Dedupe
	keys map[mailboxkey.Key]struct{}
}

func newSeen(by Dedupe) seen { return seen{by, map[mailboxkey.Key]struct{}{}} }

// repeats reports whether a row has addresses and all of them were seen before.
// It remembers them. Upper and lower case make no difference, although RFC 5321
// §2.4 would allow a mail host to tell them apart.
func (s seen) repeats(row list.Row) bool {
	held, fresh := 0, 0
	for i := range row.Addresses {
		kind, text := row.Held(i)
		parsed, err := address.Read(text)
		if kind != list.Address || err != nil {
			continue
		}
		held++
		mailbox := parsed.Mailbox()
		if s.by == DedupeCanonical {
			mailbox = parsed.Canonical()
		}
		key := mailboxkey.Of(strings.ToLower(mailbox))
		if _, known := s.keys[key]; !known {
			s.keys[key] = struct{}{}
			fresh++
		}
	}
	return held > 0 && fresh == 0
}
