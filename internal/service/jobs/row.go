package jobs

import (
	"encoding/binary"
	"slices"

	"github.com/rcpt/rcpt"
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

// Marks beside the kind of a cell.
const (
	repeatedLater = 0x80 // its address is in a later cell, too
	countsRows    = 0x40 // the number of rows that it stands for follows: it is not one
	marks         = repeatedLater | countsRows
)

// cell is a cell of a list that is read for an address. A row has one for each
// column that is read. Cells are numbered from 0, row by row.
type cell struct {
	kind     kind
	repeated bool // a later cell has its address, too
	text     string
	first    int64 // cell of the list
	// others is how many rows count with an address besides the row of the cell
	// that holds it; -1: not even that.
	others int64
}

// append writes the next cell of a row. The first one has the row before its
// text: so a row with one cell is what earlier versions have stored.
func (c cell) append(to []byte, raw string, begins bool) []byte {
	mark := byte(c.kind)
	if c.repeated {
		mark |= repeatedLater
	}
	if c.others != 0 {
		mark |= countsRows
	}
	to = append(to, mark)
	if begins {
		to = appendText(to, raw)
	}
	to = appendText(to, c.text)
	if c.kind == kindRepeated {
		to = binary.AppendUvarint(to, uint64(c.first))
	}
	if c.others != 0 {
		to = binary.AppendUvarint(to, uint64(c.others+1))
	}
	return to
}

// cell reads the next cell, and the row if the cell begins it.
func (f *fields) cell(begins bool) (c cell, raw string) {
	mark := f.octet()
	if begins {
		raw = f.text()
	}
	c = cell{kind: kind(mark &^ marks), repeated: mark&repeatedLater != 0, text: f.text()}
	if c.kind == kindRepeated {
		c.first = int64(f.number())
	}
	if mark&countsRows != 0 {
		c.others = int64(f.number()) - 1
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
	if kind(mark&^marks) == kindRepeated {
		f.number()
	}
	if mark&countsRows != 0 {
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
func (c cell) without() (rcpt.Result, bool) {
	held := slices.Index(kinds[:], c.kind)
	if held < 0 { // repeated
		return rcpt.Result{}, false
	}
	return list.Kind(held).Result(c.text)
}

// entry is an address of a batch.
type entry struct {
	cell    int // within its segment
	email   string
	answers int   // temporary ones
	since   int64 // of the first, in milliseconds since 1970
	others  int64 // of its cell
}

// withRows is added to the number of answers of an entry that is followed by
// the number of rows that it stands for. There are never so many answers.
const withRows = 1 << 20

// rows is how many rows count with the address.
func (e entry) rows() int64 { return e.others + 1 }

func (e entry) append(to []byte) []byte {
	to = binary.AppendUvarint(to, uint64(e.cell))
	to = appendText(to, e.email)
	answers := uint64(e.answers)
	if e.others != 0 {
		answers += withRows
	}
	to = binary.AppendUvarint(to, answers)
	if e.answers > 0 {
		to = binary.AppendUvarint(to, uint64(e.since))
	}
	if e.others != 0 {
		to = binary.AppendUvarint(to, uint64(e.rows()))
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

// rowsOf is how many rows count with the addresses of a batch.
func rowsOf(entries []entry) (n int64) {
	for _, e := range entries {
		n += e.rows()
	}
	return n
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
		counted := e.answers >= withRows
		if counted {
			e.answers -= withRows
		}
		if e.answers > 0 {
			e.since = int64(f.number())
		}
		if counted {
			e.others = int64(f.number()) - 1
		}
		entries = append(entries, e)
	}
	return entries, f.err()
}
