package file

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
)

// ErrInterrupted is the error of reading that a closed Stop channel ended.
var ErrInterrupted = errors.New("interrupted")

// Error reports that a file cannot be used as the user named it: it does
// not exist, it is a directory, another run writes it.
type Error struct {
	Name string
	Err  error
}

func (e *Error) Error() string { return e.Name + ": " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

func errorOf(name string, err error) error {
	return &Error{name, wholefile.WithoutPath(err)}
}

var errDirectory = errors.New("is a directory")

// InputOptions say which list to read, and how.
type InputOptions struct {
	Name     string          // of the file; empty: Stdin
	Stdin    *os.File        // read where there is no name
	Columns  []string        // of the addresses; guessed when empty
	Sheet    string          // of a spreadsheet; chosen by its addresses when empty
	Header   int             // row that names the columns: see [list.Options]
	Encoding string          // of text; guessed when empty
	Folder   string          // for temporary files; that of the system when empty
	Dedupe   Dedupe          // leave out rows that repeat rows before
	Sample   Sample          // read only some rows
	Earlier  *Earlier        // where settled results are taken from; may be nil
	Stop     <-chan struct{} // when closed, Next no longer waits for a pipe
}

// Input is the list to verify. It is a [bulk.Source].
type Input struct {
	*list.Reader
	file *os.File
	pipe *pipeReader  // nil: a file
	size int64        // in octets; 0: unknown
	read atomic.Int64 // octets so far

	pending []bulk.Item // further addresses of the row that was read last
	seen    seen        // zero: rows may repeat
	sampler *sampler    // nil: all rows
	stop    <-chan struct{}
	done    <-chan struct{} // of the run that reads
	earlier *Earlier

	mu    sync.Mutex // Notes is called while Next runs
	notes Notes
}

// Notes are what happened while a list was read.
type Notes struct {
	Stopped    bool     // Stop was closed while Next waited for a pipe
	Failed     error    // why the list could not be read to its end
	Foreign    int      // line of the first row that is not UTF-8, or 0
	Merged     int      // rows that look like several rows
	MergedRows []string // the lines of the first of them
	Repeated   int64    // rows that Dedupe left out
	Drawn      int64    // rows among which a sample was drawn; 0: none was
	ended      bool     // the list was read to its end
	rows       int64    // verifications that the rows read so far need
	octets     int64    // of those rows
}

// OpenInput opens the list and finds out its format. It takes Earlier over, to
// close it. The error is [ErrInterrupted], a [*Error], a
// [*list.FormatError], or that of reading.
func OpenInput(o InputOptions) (*Input, error) {
	in := &Input{file: o.Stdin, earlier: o.Earlier, stop: o.Stop}
	if o.Sample.Size > 0 {
		in.sampler = &sampler{Sample: o.Sample}
	}
	if o.Name != "" {
		var err error
		if in.file, err = openUntil(o.Stop, o.Name); err != nil {
			in.earlier.Close()
			return nil, err
		}
	}
	if err := in.begin(o); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

func (in *Input) begin(o InputOptions) error {
	info, err := in.file.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		return errorOf(cmp.Or(o.Name, "standard input"), errDirectory)
	}
	var octets io.Reader = in.file
	if info.Mode().IsRegular() {
		in.size = info.Size()
	} else {
		in.pipe = interruptible(in.file, o.Stop)
		octets = in.pipe
	}
	if o.Dedupe != "" {
		in.seen = newSeen(o.Dedupe)
	}
	options := readOptions(o.Name, o.Columns)
	options.Sheet, options.HeaderRow, options.Encoding, options.Folder = o.Sheet, o.Header, o.Encoding, o.Folder
	in.Reader, err = list.NewReader(counting{octets, &in.read}, options)
	return err
}

func readOptions(name string, columns []string) list.Options {
	return list.Options{Format: list.FormatOf(name), Delimiter: list.DelimiterOf(name), Columns: columns}
}

// Next returns the next address. It does not wait for a pipe any more when ctx
// is cancelled.
func (in *Input) Next(ctx context.Context) (bulk.Item, error) {
	in.done = ctx.Done()
	if in.pipe != nil {
		in.pipe.done = in.done
	}
	if len(in.pending) > 0 {
		next := in.pending[0]
		in.pending = in.pending[1:]
		return next, nil
	}
	row, err := in.nextWanted()
	switch {
	case errors.Is(err, io.EOF):
		in.note(func(n *Notes) { n.ended = true })
		return bulk.Item{}, err
	case errors.Is(err, ErrInterrupted) && ctx.Err() != nil:
		return bulk.Item{}, ctx.Err()
	case errors.Is(err, ErrInterrupted):
		in.note(func(n *Notes) { n.Stopped = true })
		return bulk.Item{}, io.EOF
	case err != nil:
		in.note(func(n *Notes) { n.Failed = err })
		return bulk.Item{}, err
	}
	items := in.items(row)
	in.pending = items[1:]
	return items[0], nil
}

// nextWanted returns the next row that belongs in the output, and notes it.
func (in *Input) nextWanted() (list.Row, error) {
	if in.sampler != nil {
		return in.nextSampled()
	}
	row, err := in.nextRow()
	if err == nil {
		in.noteRow(row)
	}
	return row, err
}

// nextRow reads the next row of the list, without those that Dedupe leaves out.
func (in *Input) nextRow() (list.Row, error) {
	for {
		row, err := in.Reader.Next()
		if err != nil || in.seen.keys == nil || !in.seen.repeats(row) {
			return row, err
		}
		in.note(func(n *Notes) { n.Repeated++ })
	}
}

// maxMerged is how many merged rows Notes names.
const maxMerged = 5

func (in *Input) noteRow(row list.Row) {
	in.note(func(n *Notes) {
		n.rows += int64(len(row.Addresses))
		n.octets += int64(len(row.Raw))
		if row.Foreign {
			n.Foreign = cmp.Or(n.Foreign, row.Line)
		}
		if row.Merged {
			n.Merged++
			if len(n.MergedRows) < maxMerged {
				n.MergedRows = append(n.MergedRows, fmt.Sprintf("%d–%d", row.Line, row.LastLine))
			}
		}
	})
}

func (in *Input) note(change func(*Notes)) Notes {
	in.mu.Lock()
	defer in.mu.Unlock()
	change(&in.notes)
	return in.notes
}

// Notes returns what happened so far.
func (in *Input) Notes() Notes { return in.note(func(*Notes) {}) }

// Taken returns how many results were taken from the earlier output.
func (in *Input) Taken() int64 {
	if in.earlier == nil {
		return 0
	}
	return in.earlier.taken
}

// Total returns how many verifications the list needs, as far as that is known.
func (in *Input) Total() Total {
	n := in.Notes()
	if read, size, isSheet := in.Position(); isSheet {
		return totalOf(n.rows, 0, read, size, n.ended)
	}
	if in.IsPacked() {
		n.octets = 0 // they are more than those of the file
	}
	return totalOf(n.rows, n.octets, in.read.Load(), in.size, n.ended)
}

// IsBroken reports whether the contents of the list are why it was not read to
// its end: to read it again would fail again.
func (in *Input) IsBroken() bool {
	failed := in.Notes().Failed
	return failed != nil && !errors.As(failed, new(*fs.PathError))
}

// IsRegular reports whether the list is a regular file, which can be read
// again.
func (in *Input) IsRegular() bool {
	info, err := in.file.Stat()
	return err == nil && info.Mode().IsRegular()
}

// Digest identifies the contents of a regular file.
func (in *Input) Digest() (string, error) {
	digest := sha256.New()
	size, err := io.Copy(digest, io.NewSectionReader(in.file, 0, in.size))
	return fmt.Sprintf("%d octets, SHA-256 %x", size, digest.Sum(nil)), err
}

// reads reports whether a file is the list or the earlier output.
func (in *Input) reads(file os.FileInfo) bool {
	files := []*os.File{in.file}
	if in.earlier != nil {
		files = append(files, in.earlier.file)
	}
	for _, f := range files {
		if info, err := f.Stat(); err == nil && os.SameFile(info, file) {
			return true
		}
	}
	return false
}

// Close closes the files.
func (in *Input) Close() {
	if in.Reader != nil {
		_ = in.Reader.Close()
	}
	_ = in.file.Close()
	in.earlier.Close()
}

// counting counts the octets that are read.
type counting struct {
	from io.Reader
	read *atomic.Int64
}

func (c counting) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.read.Add(int64(n))
	return n, err
}
