package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/store/rows"
	"github.com/rcpt/rcpt/internal/tabular"
)

// Output says which rows of a job are written, and how.
type Output struct {
	Format  tabular.Format   // CSV, JSONLines or XLSX
	Results []engine.Verdict // with one of these results; empty: any
	Reasons []engine.Reason  // with one of these reasons; empty: any
	Flags   []string         // with all of these flags; see [Flags]
	Actions []bulk.Action    // for which this is to be done; empty: any
	Search  string           // with this text in the address, in any case; empty: any
}

// flags are the names of the flags, as the verification record has them.
var flags = map[string]byte{
	"accept_all": flagAcceptAll, "role": flagRole, "free_email": flagFree,
	"disposable": flagDisposable, "spamtrap": flagSpamTrap,
}

// Flags returns the names of flags that an [Output] can ask for.
func Flags() []string { return []string{"accept_all", "role", "free_email", "disposable", "spamtrap"} }

func (o Output) wants(of outcome, result engine.Result) bool {
	if len(o.Actions) > 0 && !slices.Contains(o.Actions, bulk.ActionFor(result)) {
		return false
	}
	if o.Search != "" && !strings.Contains(strings.ToLower(result.Email), strings.ToLower(o.Search)) {
		return false
	}
	return (len(o.Results) == 0 || slices.Contains(o.Results, of.verdict)) &&
		(len(o.Reasons) == 0 || slices.Contains(o.Reasons, of.reason)) &&
		!slices.ContainsFunc(o.Flags, func(name string) bool { return of.flags&flags[name] == 0 })
}

// Write writes the rows of a job in their order, each with its result. Rows
// that have no result yet are left out. The error is that of w or of the store;
// [rows.ErrNotFound]: the job was deleted.
func (m *Manager) Write(ctx context.Context, w io.Writer, j rows.Job, o Output) error {
	head, err := m.config.Store.JobHead(ctx, j.ID)
	if err != nil {
		return err
	}
	reader, err := reopen(head, j.Format)
	if err != nil {
		return fmt.Errorf("job %s: %w", j.ID, err)
	}
	writer, err := tabular.NewWriter(reader, tabular.Output{Format: o.Format})
	if err != nil {
		return fmt.Errorf("job %s: %w", j.ID, err)
	}
	file, err := writer.Pack(w, tabular.Plain)
	if err != nil {
		return err
	}
	var line []byte
	err = m.each(ctx, j, o, func(r row, result engine.Result) error {
		line = writer.Append(line[:0], r.raw, result)
		_, err := file.Write(line)
		return err
	})
	return cmp.Or(err, file.Close())
}

// each calls write for the rows of a job that are wanted, in their order.
func (m *Manager) each(ctx context.Context, j rows.Job, o Output, write func(row, engine.Result) error) error {
	out := &output{
		Output: o, write: write, words: words{},
		found: make(map[int]outcome), kept: make(map[int64]uint32), place: make(map[outcome]uint32),
	}
	for number := range j.Segments {
		data, results, err := m.config.Store.JobSegment(ctx, j.ID, number)
		if err != nil {
			return err
		}
		if err := out.segment(data, results); errors.Is(err, errEnough) {
			return nil
		} else if err != nil {
			return fmt.Errorf("job %s: %w", j.ID, err)
		}
	}
	return nil
}

// output is a list that is being written.
type output struct {
	Output
	write func(row, engine.Result) error
	words words
	found map[int]outcome // of the present segment, by row
	base  int64           // rows of the segments before

	// Outcomes of rows whose address comes again. Few differ.
	kept   map[int64]uint32
	place  map[outcome]uint32
	unique []outcome
}

func (o *output) segment(data []byte, results [][]byte) error {
	octets, err := unpack(data)
	if err != nil {
		return err
	}
	if err := o.outcomes(results); err != nil {
		return err
	}
	f := fields{left: octets}
	var at int64
	for ; f.more(); at++ {
		r := f.row()
		found, ok := o.found[int(at)]
		if r.kind == kindRepeated {
			var place uint32
			if place, ok = o.kept[r.first]; ok {
				found = o.unique[place]
			}
		}
		if ok && r.repeated {
			o.keep(o.base+at, found)
		}
		if err := o.row(r, found, ok); err != nil {
			return err
		}
	}
	o.base += at
	return f.err()
}

// outcomes reads those of a segment.
func (o *output) outcomes(results [][]byte) error {
	clear(o.found)
	for _, packed := range results {
		octets, err := unpack(packed)
		if err != nil {
			return err
		}
		f := fields{left: octets}
		for f.more() {
			at := int(f.number())
			o.found[at] = f.outcome(o.words)
		}
		if err := f.err(); err != nil {
			return err
		}
	}
	return nil
}

func (o *output) keep(row int64, of outcome) {
	place, known := o.place[of]
	if !known {
		place = uint32(len(o.unique))
		o.place[of] = place
		o.unique = append(o.unique, of)
	}
	o.kept[row] = place
}

// row writes a row, if it has a result and is wanted.
func (o *output) row(r row, of outcome, known bool) error {
	result, without := r.without()
	switch {
	case without:
		of = outcomeOf(result)
	case known:
		result = of.result(r.text)
	default:
		return nil
	}
	if !o.wants(of, result) {
		return nil
	}
	return o.write(r, result)
}
