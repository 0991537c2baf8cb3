package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// jobEvents are the events of the ends of a job.
var jobEvents = map[JobState]string{JobDone: "job.completed", JobFailed: "job.failed", JobCancelled: "job.cancelled"}

// jobNews is what a webhook tells of a job: what the HTTP interface shows,
// without the webhook itself.
type jobNews struct {
	ID        string                     `json:"id"`
	Name      string                     `json:"name"`
	State     JobState                   `json:"state"`
	Problem   string                     `json:"problem,omitempty"`
	Rows      int64                      `json:"rows"`
	Addresses int64                      `json:"addresses"`
	Done      int64                      `json:"done"`
	Results   map[string]int64           `json:"results"`
	Reasons   map[string]int64           `json:"reasons"`
	Groups    map[string]rows.GroupCount `json:"groups,omitempty"`
	Share     float64                    `json:"undeliverable_share"`
	Created   time.Time                  `json:"created_at"`
	Started   time.Time                  `json:"started_at,omitzero"`
	Finished  time.Time                  `json:"finished_at,omitzero"`
}

// jobEnded is called in the transaction in which a job becomes done, cancelled
// or failed: what must happen exactly once after that is written here.
func (s *Store) jobEnded(ctx context.Context, tx *sql.Tx, j Job) error {
	if j.Notify != "" {
		if err := s.addJobMail(ctx, tx, j); err != nil {
			return err
		}
	}
	if j.Webhook == "" {
		return nil
	}
	return s.addJobWebhook(ctx, tx, j, j.Webhook, jobEvents[j.State], j.Finished)
}

// mailsADay is how many mails the lists of a key cause in a day: people read
// them, and may be strangers to those who send the lists.
const mailsADay = 50

// addJobMail stores the mail about the end of a job.
func (s *Store) addJobMail(ctx context.Context, tx *sql.Tx, j Job) error {
	line, err := lineOf(ctx, tx, j.Key)
	if err != nil {
		return err
	}
	var sent int
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM webhooks WHERE line = $1 AND created > $2 AND url LIKE $3`,
		line, millisOf(s.now().Add(-24*time.Hour)), rows.MailScheme+"%").Scan(&sent); err != nil {
		return err
	}
	if sent >= mailsADay {
		s.log.Warn("no mail says that a list has ended: its key has caused too many in a day", slog.String("job", j.ID))
		return nil
	}
	return s.addJobWebhook(ctx, tx, j, rows.MailScheme+j.Notify, jobEvents[j.State], j.Finished)
}

// progressEvery is how far apart webhooks of progress are at least: those of a
// short list would all arrive with its end.
const progressEvery = time.Minute

// jobAdvanced is called in the transaction that settles some of a job that has
// webhooks of its progress. If another tenth is done, it adds one.
func (s *Store) jobAdvanced(ctx context.Context, tx *sql.Tx, id string) error {
	now := s.now()
	result, err := tx.ExecContext(ctx, `
		UPDATE jobs SET progress = done * 10 / addresses + 1
		WHERE id = $1 AND done * 10 >= progress * addresses AND started <= $2 AND state IN ('queued', 'running', 'paused')
			AND NOT EXISTS (SELECT 1 FROM webhooks WHERE job = $1 AND created > $2)`, id, millisOf(now.Add(-progressEvery)))
	if err != nil {
		return err
	}
	if changed, err := result.RowsAffected(); err != nil || changed == 0 {
		return err
	}
	j, err := readJob(ctx, tx, id)
	if err != nil {
		return err
	}
	return s.addJobWebhook(ctx, tx, j, j.Webhook, rows.EventProgress, now)
}

// addJobWebhook stores a webhook of a job to a URL.
func (s *Store) addJobWebhook(ctx context.Context, tx *sql.Tx, j Job, url, event string, at time.Time) error {
	body, err := rows.WebhookBody(event, at, jobNews{
		j.ID, j.Name, j.State, j.Problem, j.Rows, j.Addresses, j.Done,
		j.Results, j.Reasons, j.Groups, j.UndeliverableShare(), j.Created, j.Started, j.Finished,
	})
	if err != nil {
		return err
	}
	_, err = s.insertWebhook(ctx, tx, Webhook{Key: j.Key, Job: j.ID, Event: event, URL: url, Body: body})
	if errors.Is(err, ErrInvalid) { // a job must go on and end, whatever its URL is
		s.log.Error("the webhook of a job cannot be sent", slog.String("job", j.ID), slog.String("error", err.Error()))
		return nil
	}
	return err
}
