package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

const (
	// purgeEvery is how often what has run its time is deleted.
	purgeEvery = time.Minute
	// purgeAtOnce limits the rows of one transaction, so that others do not
	// wait for long.
	purgeAtOnce = 1000
	// writersKept is much longer than a commit may stay of unknown outcome.
	writersKept = 30 * 24 * time.Hour
)

// purge deletes up to $2 rows that are older than $1.
type purge struct {
	text string
	kept time.Duration
}

func purges(r rows.Retention) []purge {
	return []purge{
		{`DELETE FROM verdicts WHERE hash IN (SELECT hash FROM verdicts WHERE expires <= $1 ORDER BY expires LIMIT $2)`, 0},
		{`DELETE FROM rechecks WHERE hash IN (SELECT hash FROM rechecks WHERE give_up <= $1 AND leased <= $1 ORDER BY give_up LIMIT $2)`, 0},
		{`DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE expires <= $1 ORDER BY expires LIMIT $2)`, 0},
		{`DELETE FROM setup_tokens WHERE hash IN (SELECT hash FROM setup_tokens WHERE expires <= $1 LIMIT $2)`, 0},
		{`DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires <= $1 LIMIT $2)`, 0},
		{`DELETE FROM usage WHERE (api_key, day) IN (SELECT api_key, day FROM usage WHERE day <= $1 ORDER BY day LIMIT $2)`, r.Usage},
		{`DELETE FROM quotas WHERE (api_key, month) IN (SELECT api_key, month FROM quotas WHERE month <= $1 LIMIT $2)`, r.Usage},
		{`DELETE FROM networks WHERE (account, network) IN (SELECT account, network FROM networks WHERE at <= $1 ORDER BY at LIMIT $2)`,
			r.Networks},
		{`DELETE FROM webhooks WHERE id IN (SELECT id FROM webhooks WHERE created <= $1 AND state <> 'pending' ORDER BY created LIMIT $2)`, r.Webhooks},
		{`DELETE FROM webhook_secrets WHERE line IN (SELECT line FROM webhook_secrets WHERE place = 'previous' AND expires <= $1 LIMIT $2) AND place = 'previous'`, 0},
		{`DELETE FROM writers WHERE writer IN (SELECT writer FROM writers WHERE at <= $1 ORDER BY at LIMIT $2)`, writersKept},
		{`DELETE FROM job_requests WHERE (owner, token) IN (SELECT owner, token FROM job_requests WHERE at <= $1 ORDER BY at LIMIT $2)`, requestsKept},
		{`DELETE FROM events WHERE id IN (SELECT id FROM events WHERE at <= $1 ORDER BY at LIMIT $2)`, r.Events},
		{`DELETE FROM job_nodes WHERE node IN (SELECT node FROM job_nodes WHERE alive <= $1 LIMIT $2)`, nodesKept},
	}
}

func (s *Store) purgeNowAndThen(ctx context.Context) {
	ticker := time.NewTicker(purgeEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := s.Purge(ctx); err != nil && ctx.Err() == nil {
				s.log.Warn("what has expired cannot be deleted", "error", err)
			}
		}
	}
}

// purgeVerdicts deletes verdicts that are too many: those that can be believed
// for the shortest time.
func (s *Store) purgeVerdicts(ctx context.Context) error {
	if s.maxVerdicts == 0 {
		return nil
	}
	var surplus int64
	err := s.read(ctx, "count verdicts", func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, `SELECT COUNT(*) - $1 FROM verdicts`, s.maxVerdicts).Scan(&surplus)
	})
	for err == nil && surplus > 0 {
		err = s.write(ctx, "purge", func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, `DELETE FROM verdicts WHERE hash IN (SELECT hash FROM verdicts ORDER BY expires LIMIT $1)`,
				min(surplus, purgeAtOnce))
			return err
		})
		surplus -= purgeAtOnce
	}
	return err
}

// Purge deletes what has expired: verdicts, rechecks, sessions, set-up tokens
// and jobs, usage older than thirteen months, events of a year ago, and
// webhooks of five weeks ago; also verdicts that are too many. The store does
// so itself once a minute. Deleted data can no longer be read in the files of
// an embedded database, unless somebody was reading at that moment.
func (s *Store) Purge(ctx context.Context) error {
	for _, purge := range purges(s.retention) {
		before := millisOf(s.now().Add(-purge.kept))
		for deleted := int64(purgeAtOnce); deleted >= purgeAtOnce; {
			if err := s.write(ctx, "purge", func(ctx context.Context, tx *sql.Tx) error {
				result, err := tx.ExecContext(ctx, purge.text, before, purgeAtOnce)
				if err != nil {
					return err
				}
				deleted, err = result.RowsAffected()
				return err
			}); err != nil {
				return err
			}
		}
	}
	if err := s.purgeVerdicts(ctx); err != nil {
		return err
	}
	if err := s.purgeJobs(ctx); err != nil {
		return err
	}
	return s.db.emptyLog(ctx)
}
