package file

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/sys/filelock"
	"github.com/rcpt/rcpt/internal/sys/tty"
)

// OutputOptions say what is written.
type OutputOptions struct {
	Writer *list.Writer
	Only   []string // write the rows with these results, and those of these groups; empty: all rows
}

// Output is the list with its results. It is a [bulk.Sink].
type Output struct {
	OutputOptions

	mu      sync.Mutex
	files   []*rowFile              // the output, then its parts
	parts   map[bulk.Group]*rowFile // empty without parts
	groups  map[bulk.Group]int64    // rows of each
	row     []byte
	results []rcpt.Result // of the row whose other results follow
}

// NameBeside returns the name of a file beside the output: checked.risky.csv
// beside checked.csv for the word "risky".
func NameBeside(output, word string) string {
	_, inner := list.PackingOf(output)
	extension := filepath.Ext(inner)
	return strings.TrimSuffix(inner, extension) + "." + word + extension + output[len(inner):]
}

// PartNames returns the names of the parts of an output, one for each of
// [bulk.Groups].
func PartNames(output string) []string {
	var names []string
	for _, group := range bulk.Groups() {
		names = append(names, NameBeside(output, string(group)))
	}
	return names
}

func newOutput(o OutputOptions) *Output {
	return &Output{OutputOptions: o, parts: make(map[bulk.Group]*rowFile), groups: make(map[bulk.Group]int64)}
}

// CreateOutput creates or truncates the files of an output and writes what
// comes before the first row. Without parts it has only the first file. The
// error is a [*Error] where a file cannot be opened.
func CreateOutput(name string, parts []string, o OutputOptions) (*Output, error) {
	out := newOutput(o)
	for i, name := range append([]string{name}, parts...) {
		file, regular, err := openRows(name)
		if err == nil {
			var rows *rowFile
			rows, err = o.begin(name, file, regular)
			out.files = append(out.files, rows)
			if i > 0 {
				out.parts[bulk.Groups()[i-1]] = rows
			}
		}
		if err != nil {
			_, _ = out.Close()
			return nil, err
		}
	}
	return out, nil
}

// begin begins a file of rows. One that is compressed or a spreadsheet begins
// with what its Packer writes first.
func (o OutputOptions) begin(name string, file *os.File, regular bool) (*rowFile, error) {
	packing, _ := list.PackingOf(name)
	if packing == list.Plain && o.Writer.Format != list.XLSX {
		return newRowFile(name, file, regular, o.Writer.Head())
	}
	rows := &rowFile{name: name, regular: regular}
	packed, err := newPackedFile(file, o.Writer, packing)
	rows.file, rows.err = packed, rows.failed(err)
	return rows, rows.err
}

// OutputTo writes an output to standard output, which must not be the list.
func OutputTo(stdout *os.File, in *Input, o OutputOptions) (*Output, error) {
	info, err := stdout.Stat()
	if err == nil && info.Mode().IsRegular() && in.reads(info) {
		return nil, errorOf("standard output", ErrIsInput)
	}
	if isClosed(stdout) {
		return nil, errorOf("standard output", errClosed)
	}
	var to outputFile = stdout
	if tty.Is(stdout) {
		to = terminalFile{stdout}
	}
	rows, err := newRowFile("standard output", to, false, o.Writer.Head())
	out := newOutput(o)
	out.files = []*rowFile{rows}
	return out, err
}

// The reasons why a file cannot be written, in a [*Error].
var (
	ErrIsInput = errors.New("is the input")
	ErrExists  = errors.New("already exists and is not empty")
	ErrInUse   = errors.New("another run writes it")
	errClosed  = errors.New("is closed")
)

// openRows opens a file, truncates it and locks it against other runs.
func openRows(name string) (file *os.File, regular bool, err error) {
	if file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666); err != nil {
		return nil, false, errorOf(name, err)
	}
	info, err := file.Stat()
	if regular = err == nil && info.Mode().IsRegular(); !regular {
		return file, false, nil
	}
	if err = filelock.Try(file); errors.Is(err, filelock.ErrLocked) {
		err = ErrInUse
	}
	if err == nil {
		err = file.Truncate(0)
	}
	if err != nil {
		_ = file.Close()
		return nil, false, errorOf(name, err)
	}
	return file, true, nil
}

// CheckOutput fails where a file cannot be written: it is the input or a
// directory, or it has contents and must not be replaced.
func CheckOutput(name string, in *Input, replace bool) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil // CreateOutput reports it
	case in.reads(info):
		return errorOf(name, ErrIsInput)
	case info.IsDir():
		return errorOf(name, errDirectory)
	case info.Size() > 0 && !replace:
		return errorOf(name, ErrExists)
	}
	return nil
}

// Write takes a result. With the last result of a row it writes the row.
func (o *Output) Write(_ context.Context, item bulk.Item, result rcpt.Result) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.results = append(o.results, result)
	if item.Row == nil { // more columns of the row follow
		return nil
	}
	results := o.results
	o.results = o.results[:0]
	group := bulk.RowGroup(results)
	o.groups[group]++
	wanted := func(r rcpt.Result) bool { return slices.Contains(o.Only, string(r.Verdict)) }
	if len(o.Only) > 0 && !slices.ContainsFunc(results, wanted) && !slices.Contains(o.Only, string(group)) {
		return nil
	}
	o.row = o.Writer.Append(o.row[:0], string(item.Row), results...)
	err := o.files[0].add(o.row)
	if part := o.parts[group]; part != nil && err == nil {
		err = part.add(o.row)
	}
	return err
}

// Flush writes the rows that were gathered.
func (o *Output) Flush(context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, file := range o.files {
		if err := file.flush(); err != nil {
			return err
		}
	}
	return nil
}

// Groups returns how many rows of the list are of each group, the ones that are
// not written included.
func (o *Output) Groups() map[bulk.Group]int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.groups)
}

// Err returns why a file could not be written. It may be called after Close.
func (o *Output) Err() error {
	for _, file := range o.files {
		if file.err != nil {
			return file.err
		}
	}
	return nil
}

// Close writes the rest, and returns how many rows are in each file.
func (o *Output) Close() (rows []int64, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, file := range o.files {
		if closeErr := file.close(); err == nil {
			err = closeErr
		}
		rows = append(rows, file.kept)
	}
	return rows, err
}
