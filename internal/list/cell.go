package list

import (
	"slices"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/given"
)

// Kind says what a cell holds.
type Kind byte

// The kinds of cells.
const (
	Address    Kind = iota // text is the address
	Several                // text is the cell, which has several addresses
	Empty                  // text is the cell, which has none
	Unreadable             // text says why the row cannot be read
	Unclear                // text is the cell, which has other words beside one address, or a part of one
)

// Held returns what the row holds in one of its Addresses. An address is a
// copy, as it may be kept longer than the row.
func (r Row) Held(i int) (kind Kind, text string) {
	if r.Err != nil {
		return Unreadable, r.Err.Error()
	}
	kind, text = held(r.Addresses[i])
	_, err := address.Read(text)
	suspect := kind == Address && err != nil || kind == Empty && r.csv != nil && r.Columns > r.csv.width
	if suspect && r.csv != nil && r.csv.holdsElsewhere(r.Raw) {
		return Unreadable, "the cell " + shownCell(text) + " is no address, and another cell of the row is one"
	}
	return kind, strings.Clone(text)
}

// holdsElsewhere reports whether a column that is not read has an address: the
// cells of the row may stand beside their columns.
func (s *csvShape) holdsElsewhere(row string) bool {
	for i, cell := range s.cells(row) {
		if slices.Contains(s.read, i) || slices.Contains(s.earlier, i) {
			continue
		}
		if kind, text := held(cell); kind == Address && address.IsPlain(text) {
			return true
		}
	}
	return false
}

// noAddressWords are what people write into a cell for a person whose address
// they do not have, in the form of [plainName].
var noAddressWords = []string{
	"unknown", "noemail", "nomail", "noaddress", "notprovided", "notavailable", "notapplicable", "tbd", // English
	"ka", "keine", "keineangabe", "keinemail", "keineemail", "unbekannt", "nichtvorhanden", // German
	"aucun", "aucune", "inconnu", "sansmail", "sansemail", "noncommuniqué", // French
	"ninguno", "sincorreo", "sinemail", "desconocido", "nenhum", "sememail", // Spanish, Portuguese
	"nessuna", "nessuno", "sconosciuto", "geen", "nvt", "onbekend", "brak", // Italian, Dutch, Polish
	"saknas", "ingen", "puuttuu", "yok", "нет", "неизвестно", // Swedish, Danish, Finnish, Turkish, Russian
	"なし", "無し", "无", "無", "없음", // Japanese, Chinese, Korean
}

// held returns what a cell holds. What looks like an address and is not clear
// is asked about by nobody: a list from which it is removed loses a customer.
func held(cell string) (kind Kind, text string) {
	cleaned := address.Clean(address.Unlink(cell))
	switch {
	case cleaned.Several:
		return Several, cell
	case cleaned.Address == "" || slices.Contains(noAddressWords, plainName(cell)):
		return Empty, cell
	case address.CutOff(cell):
		return Unclear, cell
	case address.IsPlain(cleaned.Address):
		return Address, cleaned.Address
	}
	switch within := address.Within(cell); {
	case len(within) > 1:
		return Several, cell
	case len(within) == 1 || isFormula(cell):
		return Unclear, cell
	}
	return Address, cleaned.Address // nobody can be asked about it
}

// Result returns the result of a cell that is not asked about; false: its text
// is an address.
func (k Kind) Result(text string) (rcpt.Result, bool) {
	switch k {
	case Several:
		return given.NotAsked(rcpt.ReasonSeveralAddresses, text), true
	case Empty:
		r := given.NotAsked(rcpt.ReasonNoAddress, text)
		if strings.TrimSpace(text) == "" {
			r.Message = "The cell is empty."
		}
		return r, true
	case Unclear:
		return unclear(text), true
	case Unreadable:
		r := given.NotAsked(rcpt.ReasonInvalidRow, "")
		r.Message = "Not verified: " + text + "."
		return r, true
	}
	return rcpt.Result{}, false
}

// unclear is the result of a cell with other words beside an address, or with a
// part of one.
func unclear(cell string) rcpt.Result {
	r := given.NotAsked(rcpt.ReasonUnclearAddress, cell)
	within := address.Within(cell)
	switch {
	case address.CutOff(cell):
		r.Message = "Not asked: the address is cut off."
	case len(within) == 0:
		r.Message = "Not asked: the cell is a formula, whose result is not in the list."
	default:
		r.Suggestion = within[0]
	}
	return r
}

// isFormula reports whether a cell is a formula that nobody has calculated.
func isFormula(cell string) bool {
	return strings.HasPrefix(strings.TrimPrefix(cell, "'"), "=") && strings.ContainsAny(cell, `"&(`)
}
