package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/tabular"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/filelock"
)

// listOutput is the list with its results. It is a [bulk.Sink].
type listOutput struct {
	writer *tabular.Writer
	only   []engine.Verdict // results to write; none: all

	mu      sync.Mutex
	files   []*rowFile               // the output, and its parts behind it
	parts   map[bulk.Action]*rowFile // where there are any
	row     []byte
	results []engine.Result // of the row whose columns come
}

// outputName is the name of a file, which cannot be empty: with -o "$UNSET" the
// rows would go to standard output.
type outputName string

func (n *outputName) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("the name is empty: name a file, or write - for standard output")
	}
	*n = outputName(text)
	return nil
}

// onlyResult is a result to write.
type onlyResult engine.Verdict

// writtenResults are what rcpt_result can be.
var writtenResults = []string{"deliverable", "accept-all", "undeliverable", "unknown", "several", "empty"}

func (r *onlyResult) UnmarshalText(text []byte) error {
	if !slices.Contains(writtenResults, string(text)) {
		return fmt.Errorf("%q is no result: the results are %s", text, strings.Join(writtenResults, ", "))
	}
	*r = onlyResult(text)
	return nil
}

// partNames are the words in the names of the parts of a list.
var partNames = map[bulk.Action]string{bulk.Send: "deliverable", bulk.Review: "risky", bulk.Remove: "bad", bulk.Retry: "retry"}

// besides is the name of a file beside the output: checked.risky.csv beside
// checked.csv.
func besides(output, word string) string {
	extension := filepath.Ext(output)
	return strings.TrimSuffix(output, extension) + "." + word + extension
}

// outputNames are the files that are written, the output first.
func (c *bulkCommand) outputNames() []string {
	names := []string{string(c.Output)}
	if c.Split {
		for _, action := range bulk.Actions() {
			names = append(names, besides(string(c.Output), partNames[action]))
		}
	}
	return names
}

// outputFormat is the form of the output: by its name, or on standard output
// that of the list.
func (c *bulkCommand) outputFormat(list tabular.Format) (tabular.Output, error) {
	name := string(c.Output)
	out := tabular.Output{Format: tabular.FormatOf(name), Delimiter: tabular.DelimiterOf(name), Details: c.Details, Raw: c.CSVRaw}
	switch {
	case !c.toStdout() && (out.Format == tabular.CSV || out.Format == tabular.JSONLines):
	case !c.toStdout():
		return out, usage(fmt.Errorf("--output %s: choose a name that ends with .csv, .tsv or .jsonl: it says what to write", name))
	case c.Split:
		return out, usage(errors.New("--split writes files beside the output: name it with --output"))
	case c.JSON || list == tabular.JSONLines:
		out.Format = tabular.JSONLines
	default:
		out.Format = tabular.CSV
	}
	return out, nil
}

func (c *bulkCommand) toStdout() bool { return c.Output == "" || c.Output == stdio }

// openOutput opens the output, which must not be there yet unless a run goes
// on, nor be the input, and writes what comes before the first row.
func (c *bulkCommand) openOutput(std terminal, in *listInput, writer *tabular.Writer) (*listOutput, error) {
	out := &listOutput{writer: writer, parts: make(map[bulk.Action]*rowFile)}
	for _, verdict := range c.Only {
		out.only = append(out.only, engine.Verdict(verdict))
	}
	if c.toStdout() {
		return out, out.toStdout(std.out, in)
	}
	for i, name := range c.outputNames() {
		file, regular, err := openRows(name)
		if err == nil {
			var rows *rowFile
			rows, err = newRowFile(name, file, regular, writer.Head())
			out.files = append(out.files, rows)
			if i > 0 {
				out.parts[bulk.Actions()[i-1]] = rows
			}
		}
		if err != nil {
			_, _ = out.close()
			return nil, err
		}
	}
	return out, nil
}

func (o *listOutput) toStdout(stdout *os.File, in *listInput) error {
	if sameFile(in.file, stdout) {
		return usage(errors.New("standard output is the input: choose another file"))
	}
	if isClosed(stdout) {
		return usage(errors.New("standard output is closed: name a file with --output"))
	}
	var to outputFile = stdout
	if isTerminal(stdout) {
		to = shownFile{stdout}
	}
	rows, err := newRowFile("standard output", to, false, o.writer.Head())
	o.files = []*rowFile{rows}
	return err
}

// openRows opens a file to be written anew, and locks it against other runs.
func openRows(name string) (file *os.File, regular bool, err error) {
	failed := func(err error) error { return usage(fmt.Errorf("--output %s: %w", name, bare(err))) }
	if file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666); err != nil {
		return nil, false, failed(err)
	}
	info, err := file.Stat()
	if regular = err == nil && info.Mode().IsRegular(); !regular {
		return file, false, nil
	}
	if err = filelock.Try(file); errors.Is(err, filelock.ErrLocked) {
		err = errors.New("another run writes it")
	}
	if err == nil {
		err = file.Truncate(0)
	}
	if err != nil {
		_ = file.Close()
		return nil, false, failed(err)
	}
	return file, true, nil
}

// mayWrite says why one of the output files cannot be written.
func (c *bulkCommand) mayWrite(in *listInput) error {
	if c.toStdout() {
		return nil
	}
	for _, name := range c.outputNames() {
		err := c.mayWriteTo(name, in.file)
		if err == nil && in.former != nil {
			err = c.mayWriteTo(name, in.former.file)
		}
		if err != nil {
			return usage(fmt.Errorf("--output %s: %w", name, err))
		}
	}
	return nil
}

func (c *bulkCommand) mayWriteTo(name string, input *os.File) error {
	there, err := os.Stat(name)
	if err != nil {
		return nil // to open it will tell
	}
	read, err := input.Stat()
	switch {
	case err == nil && os.SameFile(read, there):
		return errors.New("is the input: choose another name")
	case there.IsDir():
		return errors.New("is a directory")
	case there.Size() > 0 && !c.Overwrite && !c.Resume:
		return errors.New("is there already and not empty: choose another name, or --overwrite it")
	}
	return nil
}

func sameFile(a, b *os.File) bool {
	first, err := a.Stat()
	if err != nil || !first.Mode().IsRegular() {
		return false
	}
	second, err := b.Stat()
	return err == nil && os.SameFile(first, second)
}

// Write takes a result, and with the last of a row the row.
func (o *listOutput) Write(item bulk.Item, result engine.Result) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.results = append(o.results, result)
	if item.Row == nil { // more columns of the row follow
		return nil
	}
	results := o.results
	o.results = o.results[:0]
	if len(o.only) > 0 && !slices.ContainsFunc(results, func(r engine.Result) bool { return slices.Contains(o.only, r.Verdict) }) {
		return nil
	}
	o.row = o.writer.Append(o.row[:0], string(item.Row), results...)
	err := o.files[0].add(o.row)
	if part := o.parts[rowAction(results)]; part != nil && err == nil {
		err = part.add(o.row)
	}
	return err
}

// rowAction is what to do with a row: what the first of its addresses says. A
// row is removed only where that goes for each of its addresses; if another may
// be good, a person decides.
func rowAction(results []engine.Result) bulk.Action {
	var held []bulk.Action
	for _, result := range results {
		if result.Verdict != engine.Empty {
			held = append(held, bulk.ActionFor(result))
		}
	}
	switch {
	case len(held) == 0:
		return bulk.ActionFor(results[0])
	case held[0] == bulk.Remove && slices.ContainsFunc(held, func(a bulk.Action) bool { return a != bulk.Remove }):
		return bulk.Review
	}
	return held[0]
}

// flush writes the rows that have been gathered.
func (o *listOutput) flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, file := range o.files {
		if err := file.flush(); err != nil {
			return err
		}
	}
	return nil
}

// failed is why not everything is written that was to be, when the output is
// closed.
func (o *listOutput) failed() error {
	for _, file := range o.files {
		if file.err != nil {
			return file.err
		}
	}
	return nil
}

// close writes the rest, and returns how many rows are in each file.
func (o *listOutput) close() (rows []int64, err error) {
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
