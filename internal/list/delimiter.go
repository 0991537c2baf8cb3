package list

import (
	"bufio"
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// delimiters are the usual delimiters of CSV. The first that fits best is used.
const delimiters = ",;\t|"

// otherDelimiters are used where those fit no address: by /etc/passwd, by hand,
// by Hive.
const otherDelimiters = ":~^\x01"

// sampleRows is how many rows a guess uses.
const sampleRows = 200

// Spreadsheets write and read a first line that names the delimiter: "sep=;".
const delimiterLine = "sep="

// namedDelimiter parses that line, which may name any delimiter, and returns
// it.
func namedDelimiter(sample []byte) (delimiter byte, line string) {
	first, _ := (&rowReader{text: bufio.NewReader(bytes.NewReader(sample))}).read()
	body, end := cutLineEnd(first)
	if len(body) > len(delimiterLine)+len(`";"`) || end == "" {
		return 0, ""
	}
	name := strings.TrimPrefix(strings.TrimSuffix(body, `"`), `"`)
	if len(name) != len(delimiterLine)+1 || !strings.EqualFold(name[:len(delimiterLine)], delimiterLine) {
		return 0, ""
	}
	return name[len(delimiterLine)], first
}

// guessDelimiter returns the delimiter that fits a sample best: with most
// addresses, in most cells, then with most rows of the same number of cells.
func (b *beginning) guessDelimiter() byte {
	best, bestFit := delimiters[0], fit{}
	for i := range len(delimiters) {
		if f := fitOf(b.cells(delimiters[i])); bestFit.less(f) {
			best, bestFit = delimiters[i], f
		}
	}
	for i := 0; i < len(otherDelimiters) && bestFit.addresses == 0; i++ {
		if rows := b.cells(otherDelimiters[i]); isTable(rows) && bestFit.less(fitOf(rows)) {
			best, bestFit = otherDelimiters[i], fitOf(rows)
		}
	}
	return best
}

// isTable reports whether nearly all rows have as many cells, and most hold an
// address. A blank behind a delimiter is one of prose.
func isTable(rows [][]string) bool {
	f := fitOf(rows)
	return len(rows) > 1 && f.alike*10 >= len(rows)*9 && f.addresses*2 >= len(rows) &&
		!slices.ContainsFunc(rows, func(row []string) bool {
			return slices.ContainsFunc(row, func(cell string) bool { return strings.HasPrefix(cell, " ") })
		})
}

// fit is how well a delimiter fits a sample.
type fit struct {
	addresses int
	holding   int // cells with them
	alike     int // rows of the same number of cells
}

func (f fit) less(other fit) bool {
	return cmp.Or(f.addresses-other.addresses, f.holding-other.holding, f.alike-other.alike) < 0
}

func fitOf(rows [][]string) fit {
	var f fit
	widths := map[int]int{}
	for _, row := range rows {
		for _, cell := range row {
			if count := addressesIn(cell); count > 0 {
				f.addresses += count
				f.holding++
			}
		}
		if widths[len(row)]++; len(row) > 1 {
			f.alike = max(f.alike, widths[len(row)])
		}
	}
	return f
}

// firstRows returns the first rows without their line ends. It leaves out a row
// that the sample cuts off, unless it is the only one.
func firstRows(sample []byte, whole bool, delimiter byte, text cellText) []string {
	reader := rowReader{text: bufio.NewReader(bytes.NewReader(sample)), delimiter: delimiter}
	var rows []string
	for len(rows) < sampleRows {
		row, err := reader.read()
		body, end := cutLineEnd(row)
		if err != nil || end == "" && !whole && len(rows) > 0 {
			return rows
		}
		rows = append(rows, text.toUTF8(body))
	}
	return rows
}

// checkFirstRow fails if the first row is too long to find the columns from.
func (b *beginning) checkFirstRow(delimiter byte) error {
	if _, end := cutLineEnd(b.firstRow(delimiter)); b.whole || end != "" {
		return nil
	}
	return formatError("line 1: the first row is longer than %d octets, so its columns cannot be found",
		len(b.text))
}

// firstRow returns the first row as it is, with its line end.
func (b *beginning) firstRow(delimiter byte) string {
	row, _ := (&rowReader{text: bufio.NewReader(bytes.NewReader(b.text)), delimiter: delimiter}).read()
	return row
}
