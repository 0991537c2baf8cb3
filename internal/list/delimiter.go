package list

import (
	"bufio"
	"bytes"
	"cmp"
	"strings"
)

// delimiters are the possible delimiters of CSV. The first that fits best is
// used.
const delimiters = ",;\t|"

// sampleRows is how many rows a guess uses.
const sampleRows = 200

// Spreadsheets write and read a first line that names the delimiter: "sep=;".
const delimiterLine = "sep="

// namedDelimiter parses that line, which may name any delimiter, and returns
// it.
func namedDelimiter(sample []byte) (delimiter byte, line string) {
	first, _ := (&rowReader{text: bufio.NewReader(bytes.NewReader(sample))}).read()
	body, end := cutLineEnd(first)
	if len(body) > len(delimiterLine)+2 || end == "" {
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
	return best
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
