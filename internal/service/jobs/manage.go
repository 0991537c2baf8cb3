package jobs

import (
	"context"
	"slices"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Job returns a job that one of the owners may see. [rows.ErrNotFound]: no
// job has this ID, or none of the owners may see it. Owners may be nil: any.
func (m *Manager) Job(ctx context.Context, id string, owners []string) (rows.Job, error) {
	j, err := m.config.Store.Job(ctx, id)
	if err == nil && owners != nil && !slices.Contains(owners, j.Owner) {
		return rows.Job{}, rows.ErrNotFound
	}
	if err != nil {
		return j, err
	}
	return j, m.countRows(ctx, &j)
}

// Jobs returns jobs, the newest first.
func (m *Manager) Jobs(ctx context.Context, q rows.JobQuery) ([]rows.Job, error) {
	return m.config.Store.Jobs(ctx, q)
}

// Change is something that can be done to a job.
type Change string

// The changes.
const (
	Pause  Change = "pause"
	Resume Change = "resume"
	Cancel Change = "cancel"
)

// Change changes a job that one of the owners may see. On this node, nothing of
// one that is paused or cancelled is asked any more when Change returns, unless
// verifications take more than five seconds to end; on others within a second.
// [rows.ErrState]: the job has ended.
func (m *Manager) Change(
	ctx context.Context, by rows.Actor, id string, owners []string, what Change,
) (rows.Job, error) {
	if _, err := m.Job(ctx, id, owners); err != nil {
		return rows.Job{}, err
	}
	if what == Resume {
		return m.config.Store.ResumeJob(ctx, by, id)
	}
	change := m.config.Store.PauseJob
	if what == Cancel {
		change = m.config.Store.CancelJob
	}
	j, err := change(ctx, by, id)
	if err != nil {
		return j, err
	}
	m.stopRun(ctx, id)
	return m.config.Store.Job(ctx, id) // with the results that were on their way
}

// Delete deletes a job that one of the owners may see, and everything about it.
func (m *Manager) Delete(ctx context.Context, by rows.Actor, id string, owners []string) error {
	if _, err := m.Job(ctx, id, owners); err != nil {
		return err
	}
	err := m.config.Store.DeleteJob(ctx, by, id)
	m.stopRun(ctx, id)
	return err
}

// Downloads notes that somebody downloads results of a job: what says which.
func (m *Manager) Downloads(ctx context.Context, by rows.Actor, j rows.Job, what string) error {
	return m.config.Store.RecordEvent(ctx, by, rows.Event{What: rows.ListDownloaded, Object: j.ID, Detail: what})
}
