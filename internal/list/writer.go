package list

import (
	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/given"
)

// Output says how to write a list.
type Output struct {
	Format    Format // CSV, JSONLines or XLSX
	Delimiter byte   // of CSV; 0: that of the list, or a comma
	Details   bool   // add the evidence of each verdict
	CheckedAt bool   // add when each address was verified
	Raw       bool   // leave cells of the list that a spreadsheet takes for formulas
	Unmarked  bool   // CSV made from another format has no byte order mark
}

// mark begins CSV that is made from another format. Without it, Excel takes
// UTF-8 for the code page of the country.
func (o Output) mark() string {
	if o.Format != CSV || o.Unmarked {
		return ""
	}
	return byteOrderMark
}

// Writer writes the rows of a list with their results.
type Writer struct {
	Output
	output output
	shape  shape
	read   []string // names of what is read
	added  []column
	number int  // appended to their names where the list has the same names
	sheet  bool // the list is a spreadsheet
	text   cellText
}

// NewWriter returns a Writer for the rows of list.
func NewWriter(list *Reader, o Output) (*Writer, error) {
	if o.Format == XLSX {
		o.Raw = true // a text in a sheet is never a formula
	}
	w := &Writer{
		Output: o, output: of(o.Format).output, added: columns(o),
		shape: list.shape, read: list.description.readNames(), text: list.cellText,
	}
	if csv, ok := list.shape.(*csvShape); ok {
		w.sheet = csv.sheet
		if csv.sheet && o.Delimiter != 0 && o.Delimiter != csv.delimiter {
			return nil, formatError("it is a spreadsheet: name the output .xlsx, .csv or .jsonl")
		}
		if o.Delimiter != 0 && o.Delimiter != csv.delimiter {
			return nil, formatError("its delimiter is %q, which the output keeps: name the output .csv", csv.delimiter)
		}
		w.Delimiter = csv.delimiter
	}
	if w.Delimiter == 0 {
		w.Delimiter = delimiters[0]
	}
	w.number = freeNumber(w.names(1), list.shape.taken())
	return w, nil
}

// Head returns the text before the first row.
func (w *Writer) Head() []byte { return w.output.head(w) }

// Append appends a row with its results to out: one result for each column that
// is read.
func (w *Writer) Append(out []byte, raw string, results ...rcpt.Result) []byte {
	return w.output.append(out, w, raw, results)
}

// addedCells are the cells that are added to a row.
func (w *Writer) addedCells(results []rcpt.Result) []string {
	var cells []string
	for _, r := range results {
		cells = append(cells, w.cells(r)...)
	}
	return cells
}

// record returns the verification record of a row, or an object with one for
// each of several columns that are read.
func (w *Writer) record(raw string, results []rcpt.Result) []byte {
	texts, err := w.shape.addresses(raw)
	var records []member
	for i, name := range w.read {
		r := results[i]
		if w.Details && err == nil && !r.Reason.Failed() {
			r = given.With(r, texts[i])
		}
		records = append(records, member{key: name, value: recordOf(r, w.Output)})
	}
	if len(records) == 1 {
		return records[0].value
	}
	return appendObject(nil, records)
}

// names returns the names of the added columns. If several columns are read,
// each has its own columns, with its name in parentheses.
func (w *Writer) names(number int) []string {
	var names []string
	for _, column := range w.read {
		for _, c := range w.added {
			name := c.name
			if len(w.read) > 1 {
				name += suffixFor(column)
			}
			names = append(names, numbered(name, number))
		}
	}
	return names
}

func (w *Writer) cells(r rcpt.Result) []string {
	var cells []string
	for _, c := range w.added {
		cell := c.cell(r)
		if w.Format == XLSX {
			cells = append(cells, cell)
			continue
		}
		if c.name != emailColumn || !isAddress(cell) { // the list has unchanged addresses too
			cell = harmless(cell)
		}
		cells = append(cells, cell)
	}
	return cells
}
