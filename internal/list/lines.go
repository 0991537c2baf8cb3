package list

import (
	"strings"

	"github.com/rcpt/rcpt"
)

// lineShape is the [shape] of one address per line.
type lineShape struct{}

// lineColumn is the name of the addresses in an output with names of columns.
const lineColumn = "email"

// lineKind is the [kind] of one address per line.
type lineKind struct{}

func (lineKind) recognise(*beginning) bool { return true }

func (lineKind) describe(b *beginning, d *Description) error {
	d.Columns, d.Read = []Column{{Name: lineColumn}}, []Choice{{0, lineColumn, Only}}
	if len(b.Options.Columns) > 0 {
		return choiceError(columnChoice, "it has one address per line and no columns: "+
			"leave --column out, or name the file .csv")
	}
	d.HeaderRow = NoHeader
	first := b.rows(0)
	if d.OneLine = b.isOneLine(); d.OneLine {
		first = addressesOf(first[0])
	}
	d.noteFirst(b.oneCell(first))
	d.tally(b.oneCell(first))
	if f := flawOf(first); f != nil {
		return f.errorOf("the list", "lines", "")
	}
	return nil
}

// oneCell are rows of one cell.
func (b *beginning) oneCell(lines []string) [][]string {
	var rows [][]string
	for _, line := range lines {
		rows = append(rows, []string{strings.TrimSpace(b.cellText.toUTF8(line))})
	}
	return rows
}

func (lineKind) shape(*Description) shape { return lineShape{} }

func (lineShape) addresses(row string) ([]string, error) {
	return []string{strings.TrimSpace(row)}, nil
}

func (lineShape) earlierResults(string) []*rcpt.Result { return nil }

func (lineShape) cells(row string) []string { return []string{strings.TrimSpace(row)} }

func (lineShape) names() []string { return []string{lineColumn} }

func (s lineShape) csvHead(columns []string, o Output) []byte {
	return s.appendCSV(nil, lineColumn, columns, o)
}

func (lineShape) appendCSV(out []byte, row string, added []string, o Output) []byte {
	return appendCells(out, append(o.guarded([]string{strings.TrimSpace(row)}), added...), o.Delimiter)
}

func (lineShape) appendJSON(out []byte, _ string, record []byte) []byte {
	return append(append(out, record...), '\n')
}

func (lineShape) taken() []string { return []string{lineColumn} }
