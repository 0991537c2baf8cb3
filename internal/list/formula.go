package list

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rcpt/rcpt/engine/address"
)

// A spreadsheet takes a cell that begins with one of formulaStarts for a
// formula, quoted or not; in some languages also the full-width characters.
// Some spreadsheets ignore leading blanks (OWASP, "CSV Injection").
const (
	formulaStarts = "=+-@＝＋－＠"
	leadingBlanks = " \u00a0\u3000\ufeff\u200b"
	lineBreaks    = "\t\r\n" // begin a formula in some spreadsheets
)

// looksLikeFormula reports whether a spreadsheet may take a cell for a formula.
func looksLikeFormula(cell string) bool {
	if cell == "" || strings.IndexByte(lineBreaks, cell[0]) >= 0 {
		return cell != ""
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(cell, leadingBlanks+lineBreaks))
	return first != utf8.RuneError && strings.ContainsRune(formulaStarts, first)
}

// harmless keeps a spreadsheet from taking an added cell for a formula: its
// text may come from a mail host.
func harmless(cell string) string {
	if looksLikeFormula(cell) {
		return "'" + cell
	}
	return cell
}

// isDangerous reports whether a cell of the list must be kept from being a
// formula: lists are filled in by strangers too. Numbers, telephone numbers and
// addresses are unchanged. They can begin with such a character, but cannot be
// a harmful formula, which needs parentheses or a bar and quotes.
func isDangerous(cell string) bool {
	return looksLikeFormula(cell) && !isNumber(cell) && !isAddress(cell)
}

func isNumber(cell string) bool {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return true
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return true
	}
	return strings.Trim(cell, "+-0123456789 .,/()") == "" && strings.IndexByte(cell[1:], '+') < 0
}

func isAddress(cell string) bool {
	_, err := address.Parse(strings.TrimSpace(cell))
	return err == nil
}

// guarded returns cells of the list with dangerous ones made harmless, unless
// o.Raw.
func (o Output) guarded(cells []string) []string {
	if o.Raw {
		return cells
	}
	for i, cell := range cells {
		if isDangerous(cell) {
			cells[i] = "'" + cell
		}
	}
	return cells
}
