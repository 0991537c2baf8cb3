package jobs

import (
	"context"
	"slices"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Numbered is the result of a row, with the number of the row from 0.
type Numbered struct {
	Row int64
	engine.Result
}

// ResultsFrom returns up to limit results of a job that are wanted, from a row
// on, and whether more follow. Only those segments are read that have these
// rows, or the first row with the same address.
func (m *Manager) ResultsFrom(
	ctx context.Context, j rows.Job, o Output, from int64, limit int,
) (found []Numbered, more bool, err error) {
	defer func() { m.noteDamage(ctx, j, err) }()
	r, err := m.newReading(ctx, j, o)
	if err != nil {
		return nil, false, err
	}
	for number := r.segmentOf(max(0, from)); number < j.Segments; number++ {
		if err := r.segment(ctx, number); err != nil {
			return nil, false, err
		}
		for at := max(0, from-r.base); at < int64(len(r.rows)); at++ {
			result, wanted := r.result(int(at))
			switch {
			case !wanted:
			case len(found) == limit:
				return found, true, nil
			default:
				found = append(found, Numbered{r.base + at, result})
			}
		}
	}
	return found, false, nil
}

// ResultsBefore is [Manager.ResultsFrom] for the last results before a row, and
// whether there are more before them.
func (m *Manager) ResultsBefore(
	ctx context.Context, j rows.Job, o Output, before int64, limit int,
) (found []Numbered, more bool, err error) {
	defer func() { m.noteDamage(ctx, j, err) }()
	r, err := m.newReading(ctx, j, o)
	if err != nil {
		return nil, false, err
	}
	for number := r.segmentOf(before - 1); number >= 0 && !more; number-- {
		if err := r.segment(ctx, number); err != nil {
			return nil, false, err
		}
		for at := min(before-r.base, int64(len(r.rows))) - 1; at >= 0 && !more; at-- {
			result, wanted := r.result(int(at))
			switch {
			case !wanted:
			case len(found) == limit:
				more = true
			default:
				found = append(found, Numbered{r.base + at, result})
			}
		}
	}
	slices.Reverse(found)
	return found, more, nil
}
