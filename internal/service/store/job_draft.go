package store

import (
	"context"
	"database/sql"
)

// KeepDraft makes a draft of a job that is loading: its segments are the list
// as it arrived. It waits for as long as [Options.Retention] says.
// [ErrNotFound]: the job is not loading.
func (s *Store) KeepDraft(ctx context.Context, id string, segments, octets int64) error {
	return s.write(ctx, "keep draft", func(ctx context.Context, tx *sql.Tx) error {
		return one(tx.ExecContext(ctx, `
			UPDATE jobs SET state = 'draft', node = '', segments = $2, row_count = $3, expires = $4 WHERE id = $1 AND state = 'loading' AND deleted = 0`,
			id, segments, octets, millisOf(s.now().Add(s.retention.Drafts))))
	})
}

// isDraft is the condition for drafts; $1 is the present.
const isDraft = `state = 'draft' AND deleted = 0 AND expires > $1`

// Draft returns a draft of an owner; its Rows are octets. [ErrNotFound]: the
// owner has no draft with this ID; it was started or dropped, perhaps, or its
// time is over.
func (s *Store) Draft(ctx context.Context, id, owner string) (j Job, err error) {
	err = s.read(ctx, "read draft", func(ctx context.Context, db *sql.DB) (err error) {
		j, err = scanJob(db.QueryRowContext(ctx, `SELECT `+jobColumns+` FROM jobs WHERE `+isDraft+` AND id = $2 AND owner = $3`,
			millisOf(s.now()), storable(id), storable(owner)))
		return err
	})
	return j, err
}

// Drafts returns the drafts of an owner, or of everybody if that is empty; the
// oldest first.
func (s *Store) Drafts(ctx context.Context, owner string) (all []Job, err error) {
	err = s.read(ctx, "read drafts", func(ctx context.Context, db *sql.DB) (err error) {
		all, err = collect(ctx, db, scanJob, `SELECT `+jobColumns+` FROM jobs WHERE `+isDraft+` AND (owner = $2 OR $2 = '') ORDER BY created, id`,
			millisOf(s.now()), storable(owner))
		return err
	})
	return all, err
}

// TakeDraft takes a draft for a node that starts or drops it: nobody else can
// after that. [Store.DropJob] or [Store.KeepDraft] follows; if the node is lost
// before, the draft is deleted. [ErrNotFound]: as [Store.Draft].
func (s *Store) TakeDraft(ctx context.Context, node, id, owner string) error {
	return s.write(ctx, "take draft", func(ctx context.Context, tx *sql.Tx) error {
		return one(tx.ExecContext(ctx, `UPDATE jobs SET state = 'loading', node = $4 WHERE `+isDraft+` AND id = $2 AND owner = $3`,
			millisOf(s.now()), storable(id), storable(owner), node))
	})
}
