package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// newWebhookSecret returns a secret as the Standard Webhooks specification
// writes it: 24 to 64 octets in base64 behind a prefix.
func newWebhookSecret() string {
	random := make([]byte, 32)
	rand.Read(random) // never fails
	return "whsec_" + base64.StdEncoding.EncodeToString(random)
}

// RotateWebhookSecret makes the secret that signs the webhooks of a key, and
// returns it. This is the only time that it is shown. The one before signs as
// well until the given time; the one before that does not any more.
func (s *Store) RotateWebhookSecret(
	ctx context.Context, by Actor, key string, until time.Time,
) (secret string, err error) {
	secret = newWebhookSecret()
	return secret, s.write(ctx, "rotate webhook secret", func(ctx context.Context, tx *sql.Tx) error {
		if err := checkText("key", key); err != nil {
			return err
		}
		line, err := lineOf(ctx, tx, key)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO webhook_secrets (line, place, secret, created, expires)
			SELECT line, 'previous', secret, created, CAST($2 AS BIGINT) FROM webhook_secrets WHERE line = $1 AND place = 'current'
			ON CONFLICT (line, place) DO UPDATE SET secret = excluded.secret, created = excluded.created, expires = excluded.expires`,
			line, millisOf(until)); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO webhook_secrets (line, place, secret, created, expires) VALUES ($1, 'current', $2, $3, 0)
			ON CONFLICT (line, place) DO UPDATE SET secret = excluded.secret, created = excluded.created`,
			line, secret, millisOf(s.now()))
		if err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, by, Event{What: rows.WebhookSecretChanged, Object: key})
	})
}

// WebhookSecret says how old the secret of a key is.
func (s *Store) WebhookSecret(ctx context.Context, key string) (secret WebhookSecret, err error) {
	err = s.read(ctx, "read webhook secret", func(ctx context.Context, db *sql.DB) error {
		line, err := lineOf(ctx, db, key)
		if err != nil {
			return err
		}
		var created, until millis
		err = db.QueryRowContext(ctx, `
			SELECT COALESCE(MAX(CASE WHEN place = 'current' THEN created END), 0),
				COALESCE(MAX(CASE WHEN place = 'previous' AND expires > $2 THEN expires END), 0)
			FROM webhook_secrets WHERE line = $1`, line, millisOf(s.now())).Scan(&created, &until)
		secret.Created, secret.PreviousUntil = created.time(), until.time()
		return err
	})
	return secret, err
}

// ensureSecret makes the secret of a line that has none, so that every webhook
// can be signed.
func (s *Store) ensureSecret(ctx context.Context, tx *sql.Tx, line string) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO webhook_secrets (line, place, secret, created, expires) VALUES ($1, 'current', $2, $3, 0) ON CONFLICT (line, place) DO NOTHING`,
		line, newWebhookSecret(), millisOf(s.now()))
	return err
}

// secrets returns what signs the webhooks of a key now, the current one first.
func (s *Store) secrets(ctx context.Context, tx *sql.Tx, line string) ([]string, error) {
	return collect(ctx, tx, func(row scanner) (secret string, err error) {
		err = row.Scan(&secret)
		return secret, err
	}, `SELECT secret FROM webhook_secrets WHERE line = $1 AND (place = 'current' OR expires > $2) ORDER BY place`, line, millisOf(s.now()))
}
