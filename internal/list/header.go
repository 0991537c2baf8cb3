package list

import (
	"bufio"
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// NoHeader says that no row of a list names the columns.
const NoHeader = -1

// firstRow is one of the first rows of a table that are not blank.
type firstRow struct {
	cells  []string
	number int // in the list, from 1; blank rows count, too
}

// noteFirst keeps the first rows of a list without rows above.
func (d *Description) noteFirst(rows [][]string) {
	for i, cells := range rows {
		d.first = append(d.first, firstRow{cells, i + 1})
	}
}

// table returns the first rows of CSV. It leaves out a row that the sample cuts
// off, unless it is the only one.
func (b *beginning) table(delimiter byte) []firstRow {
	reader := newRowReader(bufio.NewReader(bytes.NewReader(b.text)), delimiter)
	var rows []firstRow
	for number := 1; len(rows) < sampleRows; number++ {
		row, err := reader.next()
		body, end := cutLineEnd(row)
		if err != nil || end == "" && !b.whole && len(rows) > 0 {
			return rows
		}
		if !reader.blank(row) {
			if body = b.cellText.toUTF8(body); len(rows) > 0 {
				body = withStandardQuotes(body, delimiter, len(rows[0].cells))
			}
			rows = append(rows, firstRow{cells(body, delimiter), number})
		}
	}
	return rows
}

// findTable finds the row that names the columns and the rows above it, such as
// a title, and returns the cells of the table from its header on.
func (b *beginning) findTable(d *Description, rows []firstRow) ([][]string, error) {
	if d.HeaderRow = NoHeader; len(rows) == 0 {
		return nil, nil
	}
	first, named, err := b.firstOfTable(rows)
	if err != nil {
		return nil, err
	}
	if named {
		d.HeaderRow = rows[first].number
	}
	switch {
	case first == len(rows): // a line that names the delimiter, alone
		d.Before = rows[first-1].number
	case first > 0 || named:
		d.Before = rows[first].number - 1
	}
	d.Head, d.Header = b.head(d)
	var table [][]string
	for _, row := range rows[first:] {
		table = append(table, row.cells)
	}
	if named && isShifted(table[0], table[1:]) {
		d.Shifted, d.Header = true, string(d.Delimiter)+d.Header
		table[0] = append([]string{""}, table[0]...)
	}
	return table, nil
}

// isShifted reports whether a header lacks its first name: R's write.table
// leaves out that of the rows' numbers. Each row has a cell more, and the
// addresses are beside the name that says so.
func isShifted(header []string, rows [][]string) bool {
	if slices.ContainsFunc(rows, func(row []string) bool { return len(row) != len(header)+1 }) {
		return false
	}
	holds := func(i int) bool {
		return slices.ContainsFunc(rows, func(row []string) bool { return looksLikeAddress(row[i]) })
	}
	for i, name := range header {
		if hasAddressWord(name) && !holds(i) && holds(i+1) {
			return true
		}
	}
	return false
}

// head returns the rows above the table, and its header, as they are. Blank
// rows alone are left out, as they are below.
func (b *beginning) head(d *Description) (before, header string) {
	reader := newRowReader(bufio.NewReader(bytes.NewReader(b.text)), d.Delimiter)
	for range d.Before {
		row, err := reader.next()
		if err != nil {
			return before, ""
		}
		before += row
	}
	if d.HeaderRow != NoHeader {
		header, _ = reader.next()
	}
	if strings.TrimSpace(before) == "" {
		before = ""
	}
	if d.isDecoded() {
		before, header = b.cellText.toUTF8(before), b.cellText.toUTF8(header)
	}
	return before, header
}

// firstOfTable returns the index of the first row of the table, and whether it
// names the columns.
func (b *beginning) firstOfTable(rows []firstRow) (first int, named bool, err error) {
	if delimiter, _ := namedDelimiter(b.text); delimiter != 0 { // the line that says so comes first
		first = 1
	}
	switch n := b.Options.HeaderRow; {
	case n > 0:
		at := slices.IndexFunc(rows, func(row firstRow) bool { return row.number == n })
		if at < 0 {
			return 0, false, choiceError(headerChoice,
				"row %d cannot name the columns: it is empty or not among the first rows", n)
		}
		return at, true, nil
	case n == NoHeader || first == len(rows):
		return first, false, nil
	}
	at, named := headerOf(rows[first:], b.Options.Columns)
	return first + at, named, nil
}

// headerOf finds the header: the first row with a known name, or with a column
// that is wanted, or else the fullest row above the addresses that has a cell
// above theirs. Where there is none, it returns the first row that is no title.
func headerOf(rows []firstRow, wanted []string) (at int, named bool) {
	for i, row := range rows {
		above := rows[:i]
		isHeader := row.hasWanted(wanted) || len(earlierColumns(row.cells)) > 0 || isNamed(rows, i) ||
			row.filled() > 1 && row.isAbove(rows[i+1:], func(column int) bool {
				return hasAddressWord(row.cells[column]) && !holds(above, column)
			})
		if isHeader && areNotes(above, row) {
			return i, true
		}
	}
	column := fullestColumn(rows)
	data := slices.IndexFunc(rows, func(row firstRow) bool { return row.holds(column) })
	if data < 1 || rows[0].holdsAddress() && !areNotes(rows[:1], rows[data]) {
		return 0, false
	}
	best, most := -1, 0
	for i, row := range rows[:data] {
		if filled := row.filled(); filled > most && row.has(column) && areNotes(rows[:i], row) &&
			(filled > 1 || len(rows[data].cells) == 1) {
			best, most = i, filled
		}
	}
	switch {
	case best >= 0:
		return best, true
	case rows[0].filled() > 1:
		return 0, true
	}
	return slices.IndexFunc(rows, func(row firstRow) bool { return !row.isTitle() }), false
}

// areNotes reports whether the rows above one may stand above a header: they
// have no address, or one has a single one, as of the person who made the list,
// and all are narrower then.
func areNotes(above []firstRow, header firstRow) bool {
	holding := 0
	for _, row := range above {
		if row.holdsAddress() {
			holding++
		}
	}
	return holding == 0 || holding == 1 && !slices.ContainsFunc(above, func(row firstRow) bool {
		return row.filled() > 2 || row.filled() >= header.filled()
	})
}

// fullestColumn returns the column with most addresses; -1: there are none.
func fullestColumn(rows []firstRow) int {
	var counts []int
	for _, row := range rows {
		for i := range row.cells {
			if i == len(counts) {
				counts = append(counts, 0)
			}
			if row.holds(i) {
				counts[i]++
			}
		}
	}
	if len(counts) == 0 || slices.Max(counts) == 0 {
		return -1
	}
	return slices.Index(counts, slices.Max(counts))
}

// hasWanted reports whether a row has the name of a wanted column. A number
// chooses a column by its place.
func (r firstRow) hasWanted(wanted []string) bool {
	return slices.ContainsFunc(wanted, func(name string) bool {
		_, err := strconv.Atoi(name)
		return err != nil && slices.ContainsFunc(r.cells, func(cell string) bool { return sameName(cell, name) })
	})
}

// isNamed reports whether a row has a known name, under which there are
// addresses: "Email" may also say how a person wants to be reached. Without
// addresses there, the row has none at all, and it is the first or wider than
// those above it.
func isNamed(rows []firstRow, at int) bool {
	row, below := rows[at], rows[at+1:]
	if row.isAbove(below, func(column int) bool { return isAddressName(row.cells[column]) }) {
		return true
	}
	return slices.ContainsFunc(row.cells, isAddressName) && !row.holdsAddress() &&
		(at == 0 || isWidest(rows[:at+1]) && !slices.ContainsFunc(below, firstRow.holdsAddress))
}

// isAbove reports whether there are addresses under a cell that is a name.
func (r firstRow) isAbove(below []firstRow, isName func(column int) bool) bool {
	for column := range r.cells {
		if isName(column) && holds(below, column) {
			return true
		}
	}
	return false
}

// holds reports whether one of some rows has an address in a column.
func holds(rows []firstRow, column int) bool {
	return slices.ContainsFunc(rows, func(row firstRow) bool { return row.holds(column) })
}

func (r firstRow) holds(column int) bool { return r.has(column) && looksLikeAddress(r.cells[column]) }

// isWidest reports whether the last of some rows has the most cells.
func isWidest(rows []firstRow) bool {
	last := len(rows) - 1
	return !slices.ContainsFunc(rows[:last], func(r firstRow) bool { return r.filled() >= rows[last].filled() })
}

func (r firstRow) has(column int) bool {
	return column >= 0 && column < len(r.cells) && strings.TrimSpace(r.cells[column]) != ""
}

// filled is how many cells have something in them.
func (r firstRow) filled() (count int) {
	for i := range r.cells {
		if r.has(i) {
			count++
		}
	}
	return count
}

func (r firstRow) holdsAddress() bool { return slices.ContainsFunc(r.cells, looksLikeAddress) }

// isTitle reports whether a row has words in one cell alone.
func (r firstRow) isTitle() bool {
	return r.filled() <= 1 && !r.holdsAddress() &&
		!slices.ContainsFunc(r.cells, func(cell string) bool { return cell != "" && isNumber(cell) })
}
