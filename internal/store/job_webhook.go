package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"github.com/rcpt/rcpt/internal/store/rows"
)

// jobEvents are the events of the ends of a job.
var jobEvents = map[JobState]string{JobDone: "job.completed", JobFailed: "job.failed", JobCancelled: "job.cancelled"}

// jobNews is what a webhook tells of a job: what the HTTP interface shows,
// without the webhook itself.
type jobNews struct {
	ID        string           `json:"id"`
	Name      string           `json:"name"`
	State     JobState         `json:"state"`
	Problem   string           `json:"problem,omitempty"`
	Rows      int64            `json:"rows"`
	Addresses int64            `json:"addresses"`
	Done      int64            `json:"done"`
	Results   map[string]int64 `json:"results"`
	Reasons   map[string]int64 `json:"reasons"`
	Created   time.Time        `json:"created_at"`
	Started   time.Time        `json:"started_at,omitzero"`
	Finished  time.Time        `json:"finished_at,omitzero"`
}

// jobEnded is called in the transaction in which a job becomes done, cancelled
// or failed: what must happen exactly once after that is written here.
func (s *Store) jobEnded(ctx context.Context, tx *sql.Tx, j Job) error {
	if j.Webhook == "" {
		return nil
	}
	event := jobEvents[j.State]
	body, err := rows.WebhookBody(event, j.Finished, jobNews{
		j.ID, j.Name, j.State, j.Problem, j.Rows, j.Addresses, j.Done, j.Results, j.Reasons, j.Created, j.Started, j.Finished,
	})
	if err != nil {
		return err
	}
	_, err = s.insertWebhook(ctx, tx, Webhook{Key: j.Key, Job: j.ID, Event: event, URL: j.Webhook, Body: body})
	if errors.Is(err, ErrInvalid) { // a job must end, whatever it was given to tell of it
		s.log.Error("the webhook of a job cannot be sent", slog.String("job", j.ID), slog.String("error", err.Error()))
		return nil
	}
	return err
}
