package tabular

import (
	"strings"

	"github.com/rcpt/rcpt/engine"
)

// lineShape is a [shape] of one address a line. A line becomes a row of its own making, so nothing is kept octet for octet.
type lineShape struct{}

// lineColumn is what the addresses are called in an output that names its columns.
const lineColumn = "email"

func newLineShape(t *text, columns []string) (lineShape, error) {
	if len(columns) > 0 {
		return lineShape{}, formatError("it has one address a line and no columns: leave --column out, or name the file .csv")
	}
	first := firstRows(t.sample, t.whole, 0)
	if shown := notAddresses(first); shown != "" {
		return lineShape{}, formatError("it is no list of addresses: no line at its beginning has an \"@\"; the first are %s", shown)
	}
	if shown := besideWords(first); shown != "" {
		return lineShape{}, formatError("each line at its beginning has other words beside an address; the first are %s: %s", shown, apart)
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
