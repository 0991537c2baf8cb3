package jobs

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// counted remembers how many rows of ended jobs are in each group, by ID, of
// those whose rows have several addresses each. What is stored counts such a
// row with its first address: results come one by one. Only the rows as they
// are written show that a row whose first address is bad may have a good one.
type counted struct {
	mu sync.Mutex
	of map[string]countedRows
}

type countedRows struct {
	finished time.Time // a job that was verified again ends again
	rows     map[string]int64
}

// maxCounted is how many jobs are remembered.
const maxCounted = 1000

func (c *counted) get(j rows.Job) (map[string]int64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, found := c.of[j.ID]
	return known.rows, found && known.finished.Equal(j.Finished)
}

func (c *counted) put(j rows.Job, n map[string]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil || len(c.of) >= maxCounted {
		c.of = make(map[string]countedRows)
	}
	c.of[j.ID] = countedRows{j.Finished, n}
}

// countRows makes the groups of a job count its rows as [bulk.RowGroup] does,
// and so as they are written. While the job is verified, and where its rows
// cannot be read, they stay as they are stored.
func (m *Manager) countRows(ctx context.Context, j *rows.Job) error {
	if !j.State.Ended() || !readsSeveral(*j) {
		return nil
	}
	n, known := m.counted.get(*j)
	if !known {
		var err error
		n, err = m.rowsByGroup(ctx, *j)
		if errors.As(err, new(*BusyError)) || errors.Is(err, ErrDamaged) || errors.Is(err, rows.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		m.counted.put(*j, n)
	}
	all := newGroupCounts().stored()
	for group := range all {
		all[group] = rows.GroupCount{Rows: n[group], Addresses: j.Groups[group].Addresses}
	}
	j.Groups = all
	return nil
}

// readsSeveral reports whether several columns of a job's list are read.
func readsSeveral(j rows.Job) bool {
	f, err := readFormat(j.Format)
	return err == nil && (len(f.Columns) > 1 || f.Found != nil && len(f.Found.Columns) > 1)
}

// rowsByGroup reads all rows of a job.
func (m *Manager) rowsByGroup(ctx context.Context, j rows.Job) (map[string]int64, error) {
	end, err := m.outputs.take(ctx, j.Owner)
	if err != nil {
		return nil, err
	}
	defer end()
	layout, err := m.layout(ctx, j)
	if err != nil {
		return nil, err
	}
	r, err := m.newReading(ctx, j, Output{}, layout.AddressesPerRow())
	if err != nil {
		return nil, err
	}
	n := make(map[string]int64)
	for number := range j.Segments {
		if err := r.segment(ctx, number); err != nil {
			return nil, err
		}
		for at := range r.rows {
			if results, has := r.resultsOf(at); has {
				n[string(bulk.RowGroup(results))]++
			}
		}
	}
	return n, nil
}
