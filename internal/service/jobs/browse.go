package jobs

import (
	"context"
	"slices"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Row is a row of a list with its results, for people.
type Row struct {
	Number  int64 // from 0
	Group   bulk.Group
	Cells   []Cell
	Results []CellResult // one for each column that is read
}

// Cell is a cell of a row, and the name of its column. Both are cut off where
// they are long.
type Cell struct{ Name, Value string }

// CellResult is the result of a cell.
type CellResult struct {
	Column string
	rcpt.Result
	Suggestion string
	Action     rcpt.Action
	Group      bulk.Group
	Flags      []string // see [Flags]
}

// What is shown of a row. The rest is in the output.
const (
	shownCells      = 50
	shownCharacters = 200
)

// ResultsFrom returns up to limit rows of a job that are wanted, from a row on,
// and whether more follow. Only those segments are read that have these rows,
// or the first cell with the same address.
func (m *Manager) ResultsFrom(
	ctx context.Context, j rows.Job, o Output, from int64, limit int,
) (found []Row, more bool, err error) {
	defer func() { m.noteDamage(ctx, j, err) }()
	r, err := m.browse(ctx, j, o)
	if err != nil {
		return nil, false, err
	}
	for number := r.segmentOf(max(0, from)); number < j.Segments; number++ {
		if err := r.segment(ctx, number); err != nil {
			return nil, false, err
		}
		for at := max(0, from-r.base); at < int64(len(r.rows)); at++ {
			results, wanted := r.resultsOf(int(at))
			switch {
			case !wanted:
			case len(found) == limit:
				return found, true, nil
			default:
				found = append(found, r.row(int(at), results))
			}
		}
	}
	return found, false, nil
}

// ResultsBefore is [Manager.ResultsFrom] for the last rows before one, and
// whether there are more before them.
func (m *Manager) ResultsBefore(
	ctx context.Context, j rows.Job, o Output, before int64, limit int,
) (found []Row, more bool, err error) {
	defer func() { m.noteDamage(ctx, j, err) }()
	r, err := m.browse(ctx, j, o)
	if err != nil {
		return nil, false, err
	}
	for number := r.segmentOf(before - 1); number >= 0 && !more; number-- {
		if err := r.segment(ctx, number); err != nil {
			return nil, false, err
		}
		for at := min(before-r.base, int64(len(r.rows))) - 1; at >= 0 && !more; at-- {
			results, wanted := r.resultsOf(int(at))
			switch {
			case !wanted:
			case len(found) == limit:
				more = true
			default:
				found = append(found, r.row(int(at), results))
			}
		}
	}
	slices.Reverse(found)
	return found, more, nil
}

// browsing is a reading whose rows are shown.
type browsing struct {
	*reading
	list  *list.Reader
	names []string // of all columns
	read  []string // of those that are read
}

func (m *Manager) browse(ctx context.Context, j rows.Job, o Output) (*browsing, error) {
	layout, err := m.layout(ctx, j)
	if err != nil {
		return nil, err
	}
	r, err := m.newReading(ctx, j, o, layout.AddressesPerRow())
	return &browsing{r, layout, layout.Names(), layout.ReadNames()}, err
}

// row is a row of the present segment, with its results.
func (b *browsing) row(at int, results []rcpt.Result) Row {
	row := Row{Number: b.base + int64(at), Group: bulk.RowGroup(results)}
	for i, value := range b.list.Cells(b.rows[at]) {
		if len(row.Cells) == shownCells {
			break
		}
		cell := Cell{Value: shown(value)}
		if i < len(b.names) {
			cell.Name = shown(b.names[i])
		}
		row.Cells = append(row.Cells, cell)
	}
	for i, result := range results {
		row.Results = append(row.Results, CellResult{
			Column: shown(b.read[i]), Result: result,
			Action: result.Action(), Group: bulk.GroupFor(result), Flags: FlagsOf(result),
			Suggestion: result.Suggestion,
		})
	}
	return row
}

// shown is a text of a list for people.
func shown(text string) string {
	n := 0
	for at := range text {
		if n++; n > shownCharacters {
			return text[:at] + "…"
		}
	}
	return text
}
