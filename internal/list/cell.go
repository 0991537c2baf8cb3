package list

import (
	"strings"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
)

// Kind says what a cell holds.
type Kind byte

// The kinds of cells.
const (
	Address    Kind = iota // text is the address
	Several                // text is the cell, which has several addresses
	Empty                  // text is the cell, which has none
	Unreadable             // text says why the row cannot be read
)

// Held returns what the row holds in one of its Addresses. An address is a
// copy, as it may be kept longer than the row.
func (r Row) Held(i int) (kind Kind, text string) {
	cell := r.Addresses[i]
	cleaned := address.Clean(cell)
	switch {
	case r.Err != nil:
		return Unreadable, r.Err.Error()
	case cleaned.Several:
		return Several, cell
	case cleaned.Address == "":
		return Empty, cell
	}
	return Address, strings.Clone(cleaned.Address)
}

// Result returns the result of a cell that is not asked about; false: its text
// is an address.
func (k Kind) Result(text string) (engine.Result, bool) {
	switch k {
	case Several:
		return engine.NotOne(engine.VerdictSeveral, text), true
	case Empty:
		r := engine.NotOne(engine.VerdictEmpty, text)
		if strings.TrimSpace(text) == "" {
			r.Message = "The cell is empty."
		}
		return r, true
	case Unreadable:
		r := engine.NotAskedAbout(engine.ReasonInvalidRow, "")
		r.Success = false
		r.Message = "Not verified: " + text + "."
		return r, true
	}
	return engine.Result{}, false
}
