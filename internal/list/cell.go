package list

import (
	"strings"
	"time"

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
		return engine.NotOne(engine.VerdictEmpty, text), true
	case Unreadable:
		return engine.Result{
			Verdict: engine.VerdictUnknown, Reason: engine.ReasonInternalError,
			Message: "Not verified: " + text + ".",
			Details: &engine.Details{
				Reason: engine.ReasonInternalError, CatchAll: engine.CatchAllUnknown, CheckedAt: time.Now().UTC(),
			},
		}, true
	}
	return engine.Result{}, false
}
