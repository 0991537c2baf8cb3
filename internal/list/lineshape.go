package list

import (
	"strings"

	"github.com/rcpt/rcpt/engine"
)

// lineShape is the [shape] of one address per line.
type lineShape struct{}

// lineColumn is the name of the addresses in an output with names of columns.
const lineColumn = "email"

func newLineShape(t *text, columns []string) (lineShape, error) {
	if len(columns) > 0 {
		return lineShape{}, formatError("it has one address per line and no columns: " +
			"leave --column out, or name the file .csv")
	}
	first := firstRows(t.sample, t.whole, 0)
	if shown := notAddresses(first); shown != "" {
		return lineShape{}, formatError("it is not a list of addresses: none of its first lines has an \"@\"; "+
			"the first are %s", shown)
	}
	if shown := besideWords(first); shown != "" {
		return lineShape{}, formatError("each of its first lines has other words beside an address; "+
			"the first are %s: %s", shown, apart)
	}
	return lineShape{}, nil
}

func (lineShape) addresses(row string) ([]string, error) {
	return []string{strings.TrimSpace(row)}, nil
}

func (lineShape) earlierResults(string) []*engine.Result { return nil }

func (lineShape) readNames() []string { return []string{lineColumn} }

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
