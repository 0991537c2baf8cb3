package jobs

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/mention"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// ForgetStore is what [Forget] needs of a [Store].
type ForgetStore interface {
	StoredLists(ctx context.Context) ([]rows.Job, error)
	JobHead(ctx context.Context, job string) ([]byte, error)
	ListSegment(ctx context.Context, job string, number int64) (rows.Segment, error)
	HoldJob(ctx context.Context, id string) error
	LetGoJob(ctx context.Context, id string) error
	JobIsWorkedOn(ctx context.Context, id string) (bool, error)
	RewriteSegment(ctx context.Context, job string, number int64, rewrite func(*rows.Segment) error) error
	RewriteHead(ctx context.Context, job, format string, head []byte) error
	DropList(ctx context.Context, draft rows.Job) error
}

// Forgotten is what was erased of lists.
type Forgotten struct {
	Lists, Rows int64
	Cells       int64 // in rows of others, which stay
	Results     int64 // of addresses, and suggestions to others
	NotAsked    int64 // addresses that were still to be asked about
	Drafts      int64
	// Arriving are lists that were not complete yet, and Failed those that
	// could not be read, with the reason.
	Arriving []string
	Failed   map[string]error
	// Spellings are the addresses as the lists had them.
	Spellings map[string]bool
}

// holdAtMost bounds how long nodes may take to give back what they have of a
// list. What they have then is taken from them.
const holdAtMost = 15 * time.Second

// Forget erases addresses from all lists. A row that holds one has no content
// after that: it stays, and so do its place, the other rows and the counters,
// which say what was found. In the rows of others, cells that mention one are
// emptied. A list that is verified stands still meanwhile, and the address is
// not asked about any more. A draft that mentions one is deleted.
func Forget(ctx context.Context, s ForgetStore, who mention.Set) (Forgotten, error) {
	done := Forgotten{Failed: make(map[string]error), Spellings: make(map[string]bool)}
	all, err := s.StoredLists(ctx)
	if err != nil {
		return done, err
	}
	for _, j := range all {
		f := forgetting{ctx: ctx, store: s, who: who, job: j, done: &done}
		switch {
		case j.State == rows.JobLoading:
			done.Arriving = append(done.Arriving, j.ID)
		case j.State == rows.JobDraft:
			err = f.draft()
		default:
			err = f.list()
		}
		switch {
		case errors.Is(err, rows.ErrNotFound): // it was deleted meanwhile
		case errors.Is(err, ErrDamaged):
			done.Failed[j.ID] = err
		case err != nil:
			return done, err
		}
	}
	return done, nil
}

// forgetting erases addresses from a list.
type forgetting struct {
	ctx    context.Context
	store  ForgetStore
	who    mention.Set
	job    rows.Job
	done   *Forgotten
	layout *list.Reader
	held   bool
}

// list erases from a list that has arrived.
func (f *forgetting) list() (err error) {
	defer func() { err = errors.Join(err, f.store.LetGoJob(context.WithoutCancel(f.ctx), f.job.ID)) }()
	head, err := f.store.JobHead(f.ctx, f.job.ID)
	if err != nil {
		return err
	}
	if f.layout, err = reopen(head, f.job.Format); err != nil {
		return err
	}
	touched := false
	for number := range f.job.Segments {
		g, err := f.store.ListSegment(f.ctx, f.job.ID, number)
		if err != nil {
			return err
		}
		if changed, _, err := f.rewrite(&g, number); err != nil {
			return err
		} else if !changed {
			continue
		}
		touched = true
		if err := f.segment(number); err != nil {
			return err
		}
	}
	rewritten, err := f.head(head, touched)
	if touched || rewritten {
		f.done.Lists++
	}
	return err
}

// segment erases from a segment of a list that nobody works on.
func (f *forgetting) segment(number int64) error {
	if err := f.hold(); err != nil {
		return err
	}
	var n Forgotten
	err := f.store.RewriteSegment(f.ctx, f.job.ID, number, func(g *rows.Segment) (err error) {
		_, n, err = f.rewrite(g, number)
		return err
	})
	f.done.Rows, f.done.Cells = f.done.Rows+n.Rows, f.done.Cells+n.Cells
	f.done.Results, f.done.NotAsked = f.done.Results+n.Results, f.done.NotAsked+n.NotAsked
	return err
}

// hold pauses the list, and waits until nobody works on it.
func (f *forgetting) hold() error {
	if f.held || f.job.State.Ended() {
		return nil
	}
	f.held = true
	if err := f.store.HoldJob(f.ctx, f.job.ID); err != nil {
		return err
	}
	tick := time.NewTicker(pollEvery / 5)
	defer tick.Stop()
	for begun := time.Now(); time.Since(begun) < holdAtMost; {
		if busy, err := f.store.JobIsWorkedOn(f.ctx, f.job.ID); err != nil || !busy {
			return err
		}
		select {
		case <-tick.C:
		case <-f.ctx.Done():
			return f.ctx.Err()
		}
	}
	return nil
}

// rewrite erases from what is stored of a segment, and counts.
func (f *forgetting) rewrite(g *rows.Segment, number int64) (changed bool, n Forgotten, err error) {
	gone, packed, err := f.rows(g.Rows, number, &n)
	if err != nil {
		return false, n, err
	}
	g.Rows = packed
	for i := range g.Results {
		if g.Results[i].Data, err = f.results(g.Results[i].Data, number, gone, &n); err != nil {
			return false, n, err
		}
	}
	for i := range g.Batches {
		if err = f.batch(&g.Batches[i], number, gone, &n); err != nil {
			return false, n, err
		}
	}
	return n.Rows+n.Cells+n.Results+n.NotAsked > 0, n, nil
}

// rows erases from the rows of a segment. It returns the cells that held an
// address.
func (f *forgetting) rows(packed []byte, number int64, n *Forgotten) (gone map[int]bool, after []byte, err error) {
	of := part{partRows, f.job.ID, number}
	octets, err := of.unpack(packed)
	if err != nil {
		return nil, nil, err
	}
	gone = make(map[int]bool)
	each := f.layout.AddressesPerRow()
	left, cells := fields{left: octets}, make([]cell, each)
	var out []byte
	for at := 0; left.more(); at += each {
		var raw, text string
		for i := range cells {
			if cells[i], text = left.cell(i == 0); i == 0 {
				raw = text
			}
		}
		if err := left.err(); err != nil {
			return nil, nil, err
		}
		for i, c := range f.row(&raw, cells, n) {
			gone[at+i] = c.kind == kindEmpty
			out = c.append(out, raw, i == 0)
		}
	}
	if n.Rows+n.Cells == 0 {
		return gone, packed, nil
	}
	return gone, of.pack(out), nil
}

// row erases from a row.
func (f *forgetting) row(raw *string, cells []cell, n *Forgotten) []cell {
	whole, mentioned := false, false
	for i, c := range cells {
		if f.who.In(c.text) {
			if c.kind == kindAddress || c.kind == kindRepeated {
				f.done.Spellings[c.text] = true
			}
			cells[i], whole = cell{kind: kindEmpty}, true
		}
	}
	erased := f.layout.Replaced(*raw, func(text string) string {
		if whole {
			return ""
		}
		if f.who.In(text) {
			mentioned = true
			return ""
		}
		return text
	})
	switch {
	case whole:
		*raw = erased
		n.Rows++
	case mentioned:
		*raw = erased
		n.Cells++
	}
	return cells
}

// results erases outcomes of cells that are gone, and suggestions.
func (f *forgetting) results(packed []byte, number int64, gone map[int]bool, n *Forgotten) ([]byte, error) {
	of := part{partResults, f.job.ID, number}
	octets, err := of.unpack(packed)
	if err != nil {
		return nil, err
	}
	left, seen, before := fields{left: octets}, words{}, n.Results
	var out []byte
	for left.more() {
		at := int(left.number())
		o := left.outcome(seen)
		if gone[at] {
			n.Results++
			continue
		}
		if f.who.In(o.suggestion) {
			o.suggestion = ""
			n.Results++
		}
		out = o.append(binary.AppendUvarint(out, uint64(at)))
	}
	switch {
	case left.err() != nil || n.Results == before:
		return packed, left.err()
	case len(out) == 0:
		return nil, nil
	}
	return of.pack(out), nil
}

// batch erases addresses that are to be asked about.
func (f *forgetting) batch(b *rows.Batch, number int64, gone map[int]bool, n *Forgotten) error {
	of := part{partBatch, f.job.ID, number}
	entries, err := unpackEntries(of, b.Data)
	if err != nil {
		return err
	}
	var kept []entry
	for _, e := range entries {
		if !gone[e.cell] {
			kept = append(kept, e)
		}
	}
	if len(kept) == len(entries) {
		return nil
	}
	n.NotAsked += int64(len(entries) - len(kept))
	b.Addresses, b.Rows, b.Data = len(kept), rowsOf(kept), nil
	if len(kept) > 0 {
		b.Data = packEntries(of, kept)
	}
	return nil
}

// head erases from the beginning of the list, from which its format is found
// again. If that is cut off, its last row may be a part of one.
func (f *forgetting) head(packed []byte, touched bool) (rewritten bool, err error) {
	octets, err := headOf(f.job.Format).unpack(packed)
	if err != nil || !touched && !f.who.In(string(octets)) && !f.who.In(f.job.Format) {
		return false, err
	}
	text := f.who.Mask(f.headRows(string(octets), len(octets) >= headOctets))
	format := f.who.Mask(f.job.Format)
	head := headOf(format).pack([]byte(text))
	again, err := reopen(head, format)
	if err != nil || again.AddressesPerRow() != f.layout.AddressesPerRow() || f.who.In(text) || f.who.In(format) {
		return false, fmt.Errorf("%w: its first rows cannot be rewritten, delete it", ErrDamaged)
	}
	return true, f.store.RewriteHead(f.ctx, f.job.ID, format, head)
}

// headRows returns a head with other words in the rows that hold or mention an
// address.
func (f *forgetting) headRows(head string, cutOff bool) string {
	rows, whole := f.readHead()
	if !whole { // a quote that is cut off, for example
		head = head[:strings.LastIndexByte(head, '\n')+1]
	}
	var text strings.Builder
	rest, all := head, make([]string, len(rows))
	for i, row := range rows {
		erases := cutOff && i == len(rows)-1 || f.who.In(row.Raw) || f.who.In(strings.Join(row.Addresses, " "))
		if all[i] = row.Raw; erases {
			all[i] = f.layout.Replaced(row.Raw, placeholder)
		}
		before, behind, in := cutRow(f.layout, rest, row.Raw, all[i])
		if erases && in == "" {
			return f.layout.JSONOf(all)
		}
		if in != "" {
			text.WriteString(before + in)
			rest = behind
		}
	}
	return text.String() + rest
}

// readHead returns the rows of the head, and whether all can be read.
func (f *forgetting) readHead() (all []list.Row, whole bool) {
	for {
		row, err := f.layout.Next()
		if err != nil {
			return all, errors.Is(err, io.EOF)
		}
		all = append(all, row)
	}
}

// cutRow looks for a row in a text, as it is or in the encoding of the list,
// and returns what stands before and behind it, and another row in the same
// form; "": it is not there as it was read, which JSON need not be.
func cutRow(l *list.Reader, text, row, by string) (before, behind, in string) {
	for _, form := range []func(string) (string, bool){asItIs, l.Encoded} {
		if old, known := form(strings.TrimRight(row, "\r\n")); known {
			if before, behind, found := strings.Cut(text, old); found {
				in, _ = form(strings.TrimRight(by, "\r\n"))
				return before, behind, in
			}
		}
	}
	return "", "", ""
}

func asItIs(text string) (string, bool) { return text, true }

// placeholder is a cell that looks as another one did to who finds the format.
func placeholder(cell string) string {
	switch {
	case cell == "":
		return ""
	case strings.Contains(cell, "@"):
		return "forgotten@forgotten.invalid"
	}
	return "forgotten"
}

// draft deletes a list that waits to be started if it mentions an address, or
// is no text, such as a spreadsheet, so that it is not known.
func (f *forgetting) draft() error {
	const overlap = 2000 // octets: more than an address has, however it is coded
	var before []byte
	for number := range f.job.Segments {
		g, err := f.store.ListSegment(f.ctx, f.job.ID, number)
		if err != nil {
			return err
		}
		octets, err := part{partDraft, f.job.ID, number}.unpack(g.Rows)
		if err != nil {
			return err
		}
		if f.who.In(string(append(before, octets...))) || bytes.ContainsFunc(octets, isBinary) {
			f.done.Drafts++
			return f.store.DropList(f.ctx, f.job)
		}
		before = bytes.Clone(octets[max(0, len(octets)-overlap):])
	}
	return nil
}

func isBinary(r rune) bool { return r < ' ' && !unicode.IsSpace(r) }
