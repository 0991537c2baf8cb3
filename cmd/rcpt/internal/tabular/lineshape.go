package tabular

import "strings"

// lineShape is a [shape] of one address a line. A line becomes a row of its own making, so nothing is kept octet for octet.
type lineShape struct{}

// lineColumn is what the addresses are called in an output that names its columns.
const lineColumn = "email"

func newLineShape(column string) (lineShape, error) {
	if column != "" {
		return lineShape{}, formatError("it has one address a line and no columns: leave --column out, or name the file .csv")
	}
	return lineShape{}, nil
}

func (lineShape) address(row string) (string, error) { return strings.TrimSpace(row), nil }

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
