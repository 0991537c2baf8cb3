package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// maxWebhookTries limits the log of a webhook that people resend again and
// again.
const maxWebhookTries = 100

// SettleWebhook stores a try to send a claimed webhook, and what follows: its
// new state and, if that is still pending, the time of the next try.
// [ErrLeaseLost]: others have claimed it since. With [WebhookDisabled] nothing
// is sent to the URL any more for this key, with [WebhookDelivered] again.
func (s *Store) SettleWebhook(
	ctx context.Context, w ClaimedWebhook, try WebhookTry, state WebhookState, next time.Time,
) error {
	if state != WebhookPending {
		next = time.Time{}
	}
	return s.write(ctx, "settle webhook", func(ctx context.Context, tx *sql.Tx) error {
		if err := held(tx.ExecContext(ctx, `
			UPDATE webhooks SET state = $3, due = $4, step = step + 1, tries = tries + 1, leased = 0 WHERE id = $1 AND claim = $2`,
			w.ID, w.Claim, string(state), millisOf(next))); err != nil {
			return err
		}
		number := w.Tries + 1
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO webhook_tries (webhook, number, at, status, error, duration, answer) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			w.ID, number, millisOf(try.At), try.Status, storable(try.Error), try.Duration.Milliseconds(), storable(try.Answer)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM webhook_tries WHERE webhook = $1 AND number <= $2`, w.ID, number-maxWebhookTries); err != nil {
			return err
		}
		return s.noteReceiver(ctx, tx, w.Webhook, state)
	})
}

// noteReceiver remembers that a receiver is gone, or that it is not.
func (s *Store) noteReceiver(ctx context.Context, tx *sql.Tx, w Webhook, state WebhookState) error {
	switch state {
	case WebhookDelivered:
		_, err := tx.ExecContext(ctx, `DELETE FROM webhook_gone WHERE line = $1 AND url = $2`, w.Key, w.URL)
		return err
	case WebhookDisabled:
		if _, err := tx.ExecContext(ctx, `INSERT INTO webhook_gone (line, url, at) VALUES ($1, $2, $3) ON CONFLICT (line, url) DO NOTHING`,
			w.Key, w.URL, millisOf(s.now())); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE webhooks SET state = 'disabled', due = 0, claim = claim + 1 WHERE line = $1 AND url = $2 AND state = 'pending'`,
			w.Key, w.URL)
		return err
	}
	return nil
}

// ResendWebhook lets a webhook be sent now, and begins its schedule anew. It
// keeps its ID. Key is the key that it must belong to; empty: any.
// [ErrNotFound]: no webhook of the key has this ID.
func (s *Store) ResendWebhook(ctx context.Context, by Actor, key, id string) (again Webhook, err error) {
	err = s.write(ctx, "resend webhook", func(ctx context.Context, tx *sql.Tx) error {
		line, err := lineOf(ctx, tx, key)
		if err != nil {
			return err
		}
		again, err = scanWebhook(tx.QueryRowContext(ctx, `
			UPDATE webhooks SET state = 'pending', due = $3, step = 0 WHERE id = $1 AND ($2 = '' OR line = $2) RETURNING `+webhookColumns,
			storable(id), line, millisOf(s.now())))
		if err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, by, Event{What: rows.WebhookResent, Object: again.ID})
	})
	return again, err
}

// Webhook returns a webhook with its tries, the first one first. Key is the key
// that it must belong to; empty: any. [ErrNotFound]: no webhook of the key
// has this ID.
func (s *Store) Webhook(ctx context.Context, key, id string) (w Webhook, tries []WebhookTry, err error) {
	err = s.read(ctx, "read webhook", func(ctx context.Context, db *sql.DB) error {
		line, err := lineOf(ctx, db, key)
		if err != nil {
			return err
		}
		if w, err = scanWebhook(db.QueryRowContext(ctx, `SELECT `+webhookColumns+` FROM webhooks WHERE id = $1 AND ($2 = '' OR line = $2)`,
			storable(id), line)); err != nil {
			return err
		}
		tries, err = collect(ctx, db, scanTry, `SELECT number, at, status, error, duration, answer FROM webhook_tries WHERE webhook = $1 ORDER BY number`, w.ID)
		return err
	})
	return w, tries, err
}

func scanTry(row scanner) (WebhookTry, error) {
	var t WebhookTry
	var at millis
	var took int64
	err := row.Scan(&t.Number, &at, &t.Status, &t.Error, &took, &t.Answer)
	t.At, t.Duration = at.time(), time.Duration(took)*time.Millisecond
	return t, err
}

// Webhooks returns webhooks, the latest first.
func (s *Store) Webhooks(ctx context.Context, q WebhookQuery) (all []Webhook, err error) {
	err = s.read(ctx, "read webhooks", func(ctx context.Context, db *sql.DB) error {
		line, err := lineOf(ctx, db, q.Key)
		if err != nil {
			return err
		}
		all, err = collect(ctx, db, scanWebhook, `
			SELECT `+webhookColumns+` FROM webhooks
			WHERE ($1 = '' OR line = $1) AND ($2 = '' OR job = $2) AND ($3 = '' OR state = $3)
				AND ($4 = '' OR (created, id) < (SELECT created, id FROM webhooks WHERE id = $4))
			ORDER BY created DESC, id DESC LIMIT $5`,
			line, storable(q.Job), storable(string(q.State)), storable(q.Before), q.Limit)
		return err
	})
	return all, err
}
