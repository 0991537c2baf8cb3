package jobs

import (
	"context"
	"fmt"
	"slices"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// reading reads the rows of a job that are wanted, a segment at a time. It can
// begin at any segment.
type reading struct {
	Output
	store Store
	job   rows.Job
	first []int64 // the first row of each segment
	words words

	base int64 // rows before the present segment
	rows []settledRow

	// Outcomes of rows whose address comes again. Few differ.
	known  []bool // segments of which they are kept
	kept   map[int64]uint32
	place  map[outcome]uint32
	unique []outcome
}

// settledRow is a row with its outcome, if it has one yet.
type settledRow struct {
	row
	of      outcome
	settled bool
}

func (m *Manager) newReading(ctx context.Context, j rows.Job, o Output) (*reading, error) {
	first, err := m.config.Store.JobSegments(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	if len(first) == 0 || int64(len(first)) != j.Segments {
		return nil, fmt.Errorf("job %s: %w", j.ID, rows.ErrNotFound) // it is being deleted
	}
	r := &reading{
		Output: o, store: m.config.Store, job: j, first: first, words: words{},
		rows: make([]settledRow, 0, segmentRows), known: make([]bool, j.Segments),
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
			f.skipRow()
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

// open reads a segment: its rows, and its outcomes by their row.
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
	r.base, r.rows = r.first[number], r.rows[:0]
	for at := 0; f.more(); at++ {
		read := settledRow{row: f.row()}
		if read.kind == kindRepeated {
			read.of, read.settled, err = r.recall(ctx, number, read.first)
		} else {
			read.of, read.settled = outcomes[at]
		}
		if err == nil {
			err = r.complete(&read, at)
		}
		if err != nil {
			return err
		}
		if read.settled && read.repeated {
			r.keep(r.base+int64(at), read.of)
		}
		r.rows = append(r.rows, read)
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

// complete fails if a row of a list that is done has no outcome.
func (r *reading) complete(read *settledRow, at int) error {
	if _, without := read.without(); without || read.settled || r.job.State != rows.JobDone {
		return nil
	}
	return r.damaged(fmt.Errorf("%w: row %d has no result although the list is done", ErrDamaged, r.base+int64(at)+1))
}

// recall returns the outcome of a row whose address comes again in a segment,
// if it has one yet.
func (r *reading) recall(ctx context.Context, number, row int64) (of outcome, settled bool, err error) {
	if from := r.segmentOf(row); from < number && !r.known[from] {
		f, outcomes, err := r.open(ctx, from)
		if err != nil {
			return of, false, err
		}
		for at := 0; f.more(); at++ {
			repeated := f.skipRow()
			if of, settled := outcomes[at]; settled && repeated {
				r.keep(r.first[from]+int64(at), of)
			}
		}
		if err := f.err(); err != nil {
			return of, false, r.damaged(err)
		}
		r.known[from] = true
	}
	place, settled := r.kept[row]
	if settled {
		of = r.unique[place]
	}
	return of, settled, nil
}

func (r *reading) keep(row int64, of outcome) {
	place, known := r.place[of]
	if !known {
		place = uint32(len(r.unique))
		r.place[of] = place
		r.unique = append(r.unique, of)
	}
	r.kept[row] = place
}

// result returns the result of a row of the present segment, if it has one and
// is wanted.
func (r *reading) result(at int) (result engine.Result, wanted bool) {
	read := &r.rows[at]
	result, without := read.without()
	switch {
	case without:
		return result, r.wants(outcomeOf(result), result)
	case !read.settled:
		return result, false
	}
	result = read.of.result(read.text)
	return result, r.wants(read.of, result)
}
