package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Output says which rows of a job are written, and how.
type Output struct {
	Format  list.Format    // CSV, JSONLines or XLSX
	Results []rcpt.Verdict // with one of these results; empty: any
	Reasons []rcpt.Reason  // with one of these reasons; empty: any
	Flags   []string       // with all of these flags; see [Flags]
	Groups  []bulk.Group   // of one of these groups; empty: any
	Once    Once           // leave out rows that repeat rows written before; empty: none
	Program bool           // for a program: see [list.Output.Unmarked]
	Search  string         // with this text in the address, in any case; empty: any
}

// Once says which rows an [Output] has once.
type Once string

// What is in an output once.
const (
	OnceAddress   Once = "address"
	OnceCanonical Once = "canonical" // mailboxes: [address.Address.Canonical]
)

// flags are the names of the flags, as the verification record has them.
var flags = []struct {
	name string
	of   func(rcpt.Result) bool
}{
	{"accept_all", func(r rcpt.Result) bool { return r.AcceptAll }},
	{"role", func(r rcpt.Result) bool { return r.Role }},
	{"free_email", func(r rcpt.Result) bool { return r.Free }},
	{"disposable", func(r rcpt.Result) bool { return r.Disposable }},
	{"spamtrap", func(r rcpt.Result) bool { return r.SpamTrap }},
}

// Flags returns the names of flags that an [Output] can ask for.
func Flags() (names []string) {
	for _, f := range flags {
		names = append(names, f.name)
	}
	return names
}

// FlagsOf returns the names of the flags that a result has.
func FlagsOf(r rcpt.Result) (names []string) {
	for _, f := range flags {
		if f.of(r) {
			names = append(names, f.name)
		}
	}
	return names
}

// wants tells whether a row with these results is wanted: for its group, and
// because one of them is all that is asked for.
func (o Output) wants(all []rcpt.Result) bool {
	return (len(o.Groups) == 0 || slices.Contains(o.Groups, bulk.RowGroup(all))) && slices.ContainsFunc(all, o.wantsOne)
}

func (o Output) wantsOne(r rcpt.Result) bool {
	if o.Search != "" && !strings.Contains(strings.ToLower(r.Email), strings.ToLower(o.Search)) {
		return false
	}
	lacks := func(name string) bool { return !slices.Contains(FlagsOf(r), name) }
	return (len(o.Results) == 0 || slices.Contains(o.Results, r.Verdict)) &&
		(len(o.Reasons) == 0 || slices.Contains(o.Reasons, r.Reason)) && !slices.ContainsFunc(o.Flags, lacks)
}

// Write writes the rows of a job in their order, each with its result. Rows
// that have no result yet are left out. The error is that of w or of the store;
// [rows.ErrNotFound]: the job was deleted; [ErrDamaged]; a *[BusyError], before
// anything was written.
func (m *Manager) Write(ctx context.Context, w io.Writer, j rows.Job, o Output) (err error) {
	defer func() { m.noteDamage(ctx, j, err) }()
	end, err := m.outputs.take(ctx, j.Owner)
	if err != nil {
		return err
	}
	defer end()
	reader, err := m.layout(ctx, j)
	if err != nil {
		return err
	}
	writer, err := list.NewWriter(reader, list.Output{Format: o.Format, Unmarked: o.Program, CheckedAt: j.Reused > 0})
	if err != nil {
		return fmt.Errorf("job %s: %w", j.ID, err)
	}
	read, err := m.newReading(ctx, j, o, reader.AddressesPerRow())
	if err == nil && o.Once == OnceCanonical {
		read.same, err = read.sameMailboxes(ctx, m.config.TempDir)
	}
	if err != nil {
		return err
	}
	to := &cutOff{Writer: w}
	file, err := writer.Pack(to, list.Plain)
	if err != nil {
		return err
	}
	if to.err = read.write(ctx, file, writer); to.err != nil {
		_ = file.Close() // frees what it has
		return to.err
	}
	return file.Close()
}

// layout finds the format of a job's list again.
func (m *Manager) layout(ctx context.Context, j rows.Job) (*list.Reader, error) {
	head, err := m.config.Store.JobHead(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	reader, err := reopen(head, j.Format)
	if err != nil {
		return nil, fmt.Errorf("job %s: %w", j.ID, err)
	}
	return reader, nil
}

// cutOff is a writer that nothing gets through to after an error: the end of an
// archive would make a whole file of the rows before it.
type cutOff struct {
	io.Writer
	err error
}

func (c *cutOff) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	return c.Writer.Write(p)
}

// noteDamage says in the log that what is stored of a job is damaged, and in
// the job if it is done.
func (m *Manager) noteDamage(ctx context.Context, j rows.Job, err error) {
	if !errors.Is(err, ErrDamaged) {
		return
	}
	m.config.Log.Error("what is stored of a list is damaged: verify it again, or put back a backup",
		"job", j.ID, "error", err)
	if err := m.config.Store.NoteDamage(context.WithoutCancel(ctx), j.ID, damageNote); err != nil {
		m.config.Log.Warn("that cannot be noted", "job", j.ID, "error", err)
	}
}

// damageNote is the problem of a job that is damaged.
const damageNote = "What is stored of it is damaged: its results cannot be read. Verify the list again."

// write writes the rows that are wanted.
func (r *reading) write(ctx context.Context, to io.Writer, writer *list.Writer) error {
	var line []byte
	for number := range r.job.Segments {
		if err := r.segment(ctx, number); err != nil {
			return err
		}
		for at, raw := range r.rows {
			if results, wanted := r.resultsOf(at); wanted && (r.Once == "" || !r.isRepeat(at)) {
				line = writer.Append(line[:0], raw, results...)
				if _, err := to.Write(line); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
