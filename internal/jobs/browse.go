package jobs

import (
	"context"
	"errors"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/store/rows"
)

// errEnough ends the reading of a job's rows before its end.
var errEnough = errors.New("no more rows are wanted")

// Results returns up to limit results of a job that are wanted, in the order of
// its rows, after leaving out skip of them, and whether there are more. It
// reads the job from its beginning.
func (m *Manager) Results(
	ctx context.Context, j rows.Job, o Output, skip, limit int,
) (found []engine.Result, more bool, err error) {
	err = m.each(ctx, j, o, func(r row, result engine.Result) error {
		switch {
		case skip > 0:
			skip--
		case len(found) == limit:
			more = true
			return errEnough
		default:
			found = append(found, result)
		}
		return nil
	})
	return found, more, err
}
