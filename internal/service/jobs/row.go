package jobs

import (
	"encoding/binary"
	"slices"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/list"
)

// kind says what a cell of a list holds.
type kind byte

const (
	kindAddress    kind = iota // text is the address
	kindRepeated               // text is the address, in the spelling of this cell; first is the cell that holds it
	kindSeveral                // text is the cell with several addresses
	kindEmpty                  // text is the cell without an address
	kindUnreadable             // text says why
	kindUnclear                // text is the cell with other words beside an address, or a part of one
)

// repeatedLater marks a cell whose address is in a later cell, too.
const repeatedLater = 0x80

// cell is a cell of a list that is read for an address. A row has one for each
// column that is read. Cells are numbered from 0, row by row.
type cell struct {
	kind     kind
	repeated bool // a later cell has its address, too
	text     string
	first    int64 // cell of the list
}

// append writes the next cell of a row. The first one has the row before its
// text: so a row with one cell is what earlier versions have stored.
func (c cell) append(to []byte, raw string, begins bool) []byte {
	mark := byte(c.kind)
	if c.repeated {
		mark |= repeatedLater
	}
	to = append(to, mark)
	if begins {
		to = appendText(to, raw)
	}
	to = appendText(to, c.text)
	if c.kind == kindRepeated {
		to = binary.AppendUvarint(to, uint64(c.first))
	}
	return to
}

// cell reads the next cell, and the row if the cell begins it.
func (f *fields) cell(begins bool) (c cell, raw string) {
	mark := f.octet()
	if begins {
		raw = f.text()
	}
	c = cell{kind: kind(mark &^ repeatedLater), repeated: mark&repeatedLater != 0, text: f.text()}
	if c.kind == kindRepeated {
		c.first = int64(f.number())
	}
	return c, raw
}

// skipCell passes over a cell, and tells whether its address comes again.
func (f *fields) skipCell(begins bool) (repeated bool) {
	mark := f.octet()
	if begins {
		f.octets()
	}
	f.octets()
	if kind(mark&^repeatedLater) == kindRepeated {
		f.number()
	}
	return mark&repeatedLater != 0
}

// kinds are the kinds of cells by what they hold.
var kinds = [...]kind{
	list.Address: kindAddress, list.Several: kindSeveral, list.Empty: kindEmpty, list.Unreadable: kindUnreadable,
	list.Unclear: kindUnclear,
}

// without returns the result of a cell that is not asked about; false: it is.
func (c cell) without() (engine.Result, bool) {
	held := slices.Index(kinds[:], c.kind)
	if held < 0 { // repeated
		return engine.Result{}, false
	}
	return list.Kind(held).Result(c.text)
}

// entry is an address of a batch.
type entry struct {
	cell    int // within its segment
	email   string
	answers int   // temporary ones
	since   int64 // of the first, in milliseconds since 1970
}

func (e entry) append(to []byte) []byte {
	to = binary.AppendUvarint(to, uint64(e.cell))
	to = appendText(to, e.email)
	to = binary.AppendUvarint(to, uint64(e.answers))
	if e.answers > 0 {
		to = binary.AppendUvarint(to, uint64(e.since))
	}
	return to
}

func packEntries(of part, entries []entry) []byte {
	var octets []byte
	for _, e := range entries {
		octets = e.append(octets)
	}
	return of.pack(octets)
}

func unpackEntries(of part, packed []byte) ([]entry, error) {
	octets, err := of.unpack(packed)
	if err != nil {
		return nil, err
	}
	f := fields{left: octets}
	var entries []entry
	for f.more() {
		e := entry{cell: int(f.number()), email: f.text(), answers: int(f.number())}
		if e.answers > 0 {
			e.since = int64(f.number())
		}
		entries = append(entries, e)
	}
	return entries, f.err()
}
