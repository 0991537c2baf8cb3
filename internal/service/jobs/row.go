package jobs

import (
	"encoding/binary"
	"slices"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/list"
)

// kind says what a row of a list holds.
type kind byte

const (
	kindAddress    kind = iota // text is the address
	kindRepeated               // text is the address, in the spelling of this row; first is the row that holds it
	kindSeveral                // text is the cell with several addresses
	kindEmpty                  // text is the cell without an address
	kindUnreadable             // text says why
)

// repeatedLater marks a row whose address is in a later row, too.
const repeatedLater = 0x80

// row is a row of a list.
type row struct {
	raw      string
	kind     kind
	repeated bool // a later row has its address, too
	text     string
	first    int64 // row of the list, from 0
}

func (r row) append(to []byte) []byte {
	mark := byte(r.kind)
	if r.repeated {
		mark |= repeatedLater
	}
	to = appendText(append(to, mark), r.raw)
	to = appendText(to, r.text)
	if r.kind == kindRepeated {
		to = binary.AppendUvarint(to, uint64(r.first))
	}
	return to
}

func (f *fields) row() row {
	mark := f.octet()
	r := row{kind: kind(mark &^ repeatedLater), repeated: mark&repeatedLater != 0, raw: f.text(), text: f.text()}
	if r.kind == kindRepeated {
		r.first = int64(f.number())
	}
	return r
}

// skipRow passes over a row, and tells whether its address comes again.
func (f *fields) skipRow() (repeated bool) {
	mark := f.octet()
	f.octets()
	f.octets()
	if kind(mark&^repeatedLater) == kindRepeated {
		f.number()
	}
	return mark&repeatedLater != 0
}

// kinds are the kinds of rows by what their cell holds.
var kinds = [...]kind{
	list.Address: kindAddress, list.Several: kindSeveral, list.Empty: kindEmpty, list.Unreadable: kindUnreadable,
}

// without returns the result of a row that is not asked about; false: it is.
func (r row) without() (engine.Result, bool) {
	held := slices.Index(kinds[:], r.kind)
	if held < 0 { // repeated
		return engine.Result{}, false
	}
	return list.Kind(held).Result(r.text)
}

// entry is an address of a batch.
type entry struct {
	row     int // within its segment
	email   string
	answers int   // temporary ones
	since   int64 // of the first, in milliseconds since 1970
}

func (e entry) append(to []byte) []byte {
	to = binary.AppendUvarint(to, uint64(e.row))
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
		e := entry{row: int(f.number()), email: f.text(), answers: int(f.number())}
		if e.answers > 0 {
			e.since = int64(f.number())
		}
		entries = append(entries, e)
	}
	return entries, f.err()
}
