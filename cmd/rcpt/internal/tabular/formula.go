package tabular

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rcpt/rcpt/engine/address"
)

// A spreadsheet takes a cell that begins with one of formulaStarts for a formula, quoted or not, and the full-width ones too in some languages; of
// leading blanks some spreadsheets make nothing (OWASP, "CSV Injection").
const (
	formulaStarts = "=+-@＝＋－＠"
	leadingBlanks = " \u00a0\u3000\ufeff\u200b"
	lineBreaks    = "\t\r\n" // begin a formula themselves, to some
)

// looksLikeFormula says whether a spreadsheet may take a cell for a formula.
func looksLikeFormula(cell string) bool {
	if cell == "" || strings.IndexByte(lineBreaks, cell[0]) >= 0 {
		return cell != ""
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(cell, leadingBlanks+lineBreaks))
	return first != utf8.RuneError && strings.ContainsRune(formulaStarts, first)
}

// harmless keeps a spreadsheet from taking a cell of ours for a formula: mail hosts may have a say in it.
func harmless(cell string) string {
	if looksLikeFormula(cell) {
		return "'" + cell
	}
	return cell
}

// isDangerous says whether a cell of the list is to be kept from being a formula: strangers fill in lists, too. Numbers, telephone numbers and
// addresses are left as they are. They can begin with such a character, but make no formula that does anything: it takes parentheses or a bar
// and quotes, which no number has, and nothing can follow the domain of an address.
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

// guarded are cells of the list as o wants them.
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
