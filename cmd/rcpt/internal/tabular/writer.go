package tabular

import (
	"strings"
	"unicode/utf8"

	"github.com/rcpt/rcpt/engine"
)

// Output says how a list is to be written.
type Output struct {
	Format    Format // CSV or JSONLines
	Delimiter byte   // of CSV; 0 is that of the list, or a comma
	Details   bool   // with what each verdict rests on
	Raw       bool   // cells of the list stay as they are in CSV, also those that a spreadsheet takes for formulas
}

// Writer writes the rows of a list with what was found out.
type Writer struct {
	Output
	shape  shape
	added  []column
	number int // behind their names where the list has such names itself
}

// NewWriter makes a Writer for the rows of list.
func NewWriter(list *Reader, o Output) (*Writer, error) {
	if csv, ok := list.shape.(*csvShape); ok {
		if o.Delimiter != 0 && o.Delimiter != csv.delimiter {
			return nil, formatError("its delimiter is %q, which the output keeps: name the output .csv", csv.delimiter)
		}
		o.Delimiter = csv.delimiter
	}
	if o.Delimiter == 0 {
		o.Delimiter = delimiters[0]
	}
	w := &Writer{Output: o, shape: list.shape, added: columns(o.Details)}
	w.number = freeNumber(w.names(1), list.shape.taken())
	return w, nil
}

// Head returns what stands before the first row.
func (w *Writer) Head() []byte {
	if w.Format == JSONLines {
		return nil
	}
	return w.shape.csvHead(w.names(w.number), w.Output)
}

// Append writes a row with its result behind out.
func (w *Writer) Append(out []byte, raw string, r engine.Result) []byte {
	if w.Format == JSONLines {
		return w.shape.appendJSON(out, raw, recordOf(r, w.Details))
	}
	return w.shape.appendCSV(out, raw, w.cells(raw, r), w.Output)
}

func (w *Writer) names(number int) []string {
	var names []string
	for _, c := range w.added {
		names = append(names, numbered(c.name, number))
	}
	return names
}

func (w *Writer) cells(raw string, r engine.Result) []string {
	var cells []string
	for _, c := range w.added {
		cell := harmless(c.cell(r))
		if !utf8.ValidString(raw) {
			cell = ascii(cell)
		}
		cells = append(cells, cell)
	}
	return cells
}

// ascii makes a cell fit into a row of whatever encoding.
func ascii(cell string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '?'
		}
		return r
	}, cell)
}
