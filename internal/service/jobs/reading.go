package jobs

import (
	"context"
	"fmt"
	"slices"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// reading reads the rows of a job that are wanted, a segment at a time. It can
// begin at any segment.
type reading struct {
	Output
	store Store
	job   rows.Job
	each  int     // cells of a row
	first []int64 // the first row of each segment
	words words

	base    int64    // rows before the present segment
	rows    []string // as they are
	cells   []settledCell
	results []rcpt.Result // of a row

	// Outcomes of cells whose address comes again. Few differ.
	known  []bool // segments of which they are kept
	kept   map[int64]uint32
	place  map[outcome]uint32
	unique []outcome

	written []uint64 // a bit for each cell whose address is in a row that was written
	same    *sources // which mailboxes are in a cell before; nil: only addresses are the same
}

// settledCell is a cell with its outcome, if it has one yet.
type settledCell struct {
	cell
	of      outcome
	settled bool
}

// newReading begins to read a job whose list has so many cells in each row.
func (m *Manager) newReading(ctx context.Context, j rows.Job, o Output, each int) (*reading, error) {
	first, err := m.config.Store.JobSegments(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	if len(first) == 0 || int64(len(first)) != j.Segments {
		return nil, fmt.Errorf("job %s: %w", j.ID, rows.ErrNotFound) // it is being deleted
	}
	r := &reading{
		Output: o, store: m.config.Store, job: j, each: each, first: first, words: words{},
		rows: make([]string, 0, segmentRows), cells: make([]settledCell, 0, each*segmentRows),
		results: make([]rcpt.Result, each), known: make([]bool, j.Segments),
		kept: make(map[int64]uint32), place: make(map[outcome]uint32),
	}
	return r, r.count(ctx)
}

// count finds the first rows of segments that an earlier version has stored.
func (r *reading) count(ctx context.Context) error {
	next := int64(0)
	for number := range r.first {
		if r.first[number] < 0 {
			r.first[number] = next
		}
		if number+1 == len(r.first) || r.first[number+1] >= 0 {
			continue
		}
		f, _, err := r.open(ctx, int64(number))
		if err != nil {
			return err
		}
		for next = r.first[number]; f.more(); next++ {
			for i := range r.each {
				f.skipCell(i == 0)
			}
		}
	}
	return nil
}

// segmentOf is the segment that has a row.
func (r *reading) segmentOf(row int64) int64 {
	number, found := slices.BinarySearch(r.first, row)
	if !found {
		number--
	}
	return int64(number)
}

// open reads a segment: its rows, and its outcomes by their cell.
func (r *reading) open(ctx context.Context, number int64) (f fields, outcomes map[int]outcome, err error) {
	data, results, err := r.store.JobSegment(ctx, r.job.ID, number)
	if err != nil {
		return f, nil, err
	}
	f.left, err = part{partRows, r.job.ID, number}.unpack(data)
	if err != nil {
		return f, nil, r.damaged(err)
	}
	outcomes = make(map[int]outcome)
	for _, packed := range results {
		octets, err := part{partResults, r.job.ID, number}.unpack(packed)
		if err != nil {
			return f, nil, r.damaged(err)
		}
		of := fields{left: octets}
		for of.more() {
			at := int(of.number())
			outcomes[at] = of.outcome(r.words)
		}
		if err := of.err(); err != nil {
			return f, nil, r.damaged(err)
		}
	}
	return f, outcomes, nil
}

func (r *reading) damaged(err error) error { return fmt.Errorf("job %s: %w", r.job.ID, err) }

// segment makes a segment the present one.
func (r *reading) segment(ctx context.Context, number int64) error {
	f, outcomes, err := r.open(ctx, number)
	if err != nil {
		return err
	}
	r.base, r.rows, r.cells = r.first[number], r.rows[:0], r.cells[:0]
	for at := 0; f.more(); at++ {
		read, err := r.next(ctx, number, &f, outcomes)
		if err != nil {
			return err
		}
		r.cells = append(r.cells, read)
	}
	r.known[number] = true
	if err := f.err(); err != nil {
		return r.damaged(err)
	}
	next := r.job.Rows
	if number+1 < int64(len(r.first)) {
		next = r.first[number+1]
	}
	if has := int64(len(r.rows)); r.base+has != next {
		return r.damaged(fmt.Errorf("%w: segment %d has %d rows", ErrDamaged, number, has))
	}
	return nil
}

// next reads the next cell of the present segment.
func (r *reading) next(
	ctx context.Context, number int64, f *fields, outcomes map[int]outcome,
) (read settledCell, err error) {
	at := len(r.cells)
	c, raw := f.cell(at%r.each == 0)
	if at%r.each == 0 {
		r.rows = append(r.rows, raw)
	}
	read.cell = c
	if c.kind == kindRepeated {
		read.of, read.settled, err = r.recall(ctx, number, c.first)
	} else {
		read.of, read.settled = outcomes[at]
	}
	if err == nil {
		err = r.complete(&read)
	}
	if read.settled && read.repeated {
		r.keep(r.base*int64(r.each)+int64(at), read.of)
	}
	return read, err
}

// complete fails if a cell of a list that is done has no outcome.
func (r *reading) complete(read *settledCell) error {
	if _, without := read.without(); without || read.settled || r.job.State != rows.JobDone {
		return nil
	}
	row := r.base + int64(len(r.rows))
	return r.damaged(fmt.Errorf("%w: row %d has no result although the list is done", ErrDamaged, row))
}

// recall returns the outcome of a cell whose address comes again in a segment,
// if it has one yet.
func (r *reading) recall(ctx context.Context, number, cell int64) (of outcome, settled bool, err error) {
	if from := r.segmentOf(cell / int64(r.each)); from < number && !r.known[from] {
		f, outcomes, err := r.open(ctx, from)
		if err != nil {
			return of, false, err
		}
		for at := 0; f.more(); at++ {
			repeated := f.skipCell(at%r.each == 0)
			if of, settled := outcomes[at]; settled && repeated {
				r.keep(r.first[from]*int64(r.each)+int64(at), of)
			}
		}
		if err := f.err(); err != nil {
			return of, false, r.damaged(err)
		}
		r.known[from] = true
	}
	place, settled := r.kept[cell]
	if settled {
		of = r.unique[place]
	}
	return of, settled, nil
}

func (r *reading) keep(cell int64, of outcome) {
	place, known := r.place[of]
	if !known {
		place = uint32(len(r.unique))
		r.place[of] = place
		r.unique = append(r.unique, of)
	}
	r.kept[cell] = place
}

// resultsOf returns the results of a row of the present segment, one for each
// of its cells, if all have one and they are wanted. They are valid until the
// next call.
func (r *reading) resultsOf(at int) (all []rcpt.Result, wanted bool) {
	cells := r.cells[at*r.each : (at+1)*r.each]
	for i := range cells {
		result, without := cells[i].without()
		switch {
		case without:
		case !cells[i].settled:
			return nil, false
		default:
			result = cells[i].of.result(cells[i].text)
		}
		r.results[i] = result
	}
	return r.results, r.wants(r.results)
}

// isRepeat reports whether a row of the present segment holds addresses, and
// all of them are in rows for which it was asked before.
func (r *reading) isRepeat(at int) bool {
	held, fresh := false, false
	for i := at * r.each; i < (at+1)*r.each; i++ {
		number := r.base*int64(r.each) + int64(i)
		switch r.cells[i].kind {
		case kindRepeated:
			number = r.cells[i].first
		case kindAddress:
		default:
			continue
		}
		held = true
		if r.same != nil {
			if first, repeats := r.same.source(number); repeats {
				number = first
			}
		}
		for int64(len(r.written)) <= number/64 {
			r.written = append(r.written, 0)
		}
		fresh = fresh || r.written[number/64]&(1<<(number%64)) == 0
		r.written[number/64] |= 1 << (number % 64)
	}
	return held && !fresh
}

// sameMailboxes finds the cells whose mailbox, by its provider's rules, is in a
// cell before. It reads the list once more.
func (r *reading) sameMailboxes(ctx context.Context, temporary string) (*sources, error) {
	found, err := newRepeats(temporary)
	if err != nil {
		return nil, err
	}
	defer found.close()
	for number := range r.job.Segments {
		if err := r.segment(ctx, number); err != nil {
			return nil, err
		}
		for i := range r.cells {
			if err := found.add(r.cells[i].mailbox(), true); err != nil {
				return nil, err
			}
		}
	}
	same, _, err := found.find()
	return same, err
}
