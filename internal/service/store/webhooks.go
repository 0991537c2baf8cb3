package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

const (
	// maxWebhookURL fits into an index of PostgreSQL.
	maxWebhookURL = 2000
	// maxWebhookBody is what the Standard Webhooks specification recommends.
	maxWebhookBody = 20_000
)

// AddWebhook stores a webhook that is to be sent now, and returns it with its
// ID. It belongs to w.Key and is signed with that key's secret, which is made
// at its first use. To a URL that has answered 410 Gone nothing is sent: the
// webhook is stored as disabled. A test, which has no job, is sent all the
// same. [ErrTooMany]: ten tests of the key are on their way.
func (s *Store) AddWebhook(ctx context.Context, by Actor, w Webhook) (added Webhook, err error) {
	err = s.write(ctx, "add webhook", func(ctx context.Context, tx *sql.Tx) error {
		if added, err = s.insertWebhook(ctx, tx, w); err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, by, Event{What: rows.WebhookTested, Object: added.ID})
	})
	return added, err
}

// insertWebhook is [Store.AddWebhook] in the transaction of the event itself:
// it happens if and only if its webhook is sent.
func (s *Store) insertWebhook(ctx context.Context, tx *sql.Tx, w Webhook) (Webhook, error) {
	if err := checkWebhook(&w); err != nil {
		return w, err
	}
	line, err := lineOf(ctx, tx, w.Key)
	if err != nil {
		return w, err
	}
	w.ID, w.Key, w.Job, w.Tries = newID("msg"), line, storable(w.Job), 0
	w.State, w.Created = WebhookPending, millisOf(s.now()).time()
	w.Next = w.Created
	gone, err := exists(ctx, tx, `SELECT 1 FROM webhook_gone WHERE line = $1 AND url = $2`, line, w.URL)
	if err != nil {
		return w, err
	}
	if gone && w.Job != "" {
		w.State, w.Next = WebhookDisabled, time.Time{}
	}
	if w.Job == "" {
		if err := mayTest(ctx, tx, line); err != nil {
			return w, err
		}
	}
	if err := s.ensureSecret(ctx, tx, line); err != nil {
		return w, err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO webhooks (id, line, job, event, url, body, state, created, due, step, tries, leased, claim, host)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, 0, 0, 0, $10)`,
		w.ID, w.Key, w.Job, w.Event, w.URL, string(w.Body), string(w.State), millisOf(w.Created), millisOf(w.Next), hostOf(w.URL))
	return w, err
}

// maxTests is how many tests of a key are on their way at a time: receivers
// that hang must not fill the database with them.
const maxTests = 10

// mayTest fails with [ErrTooMany] if a key has as many tests on their way as it
// may.
func mayTest(ctx context.Context, tx *sql.Tx, line string) error {
	var n int
	err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM webhooks WHERE line = $1 AND job = '' AND state = 'pending'`, line).Scan(&n)
	if err == nil && n >= maxTests {
		return fmt.Errorf("%w: %d tests of this key have not been answered yet", ErrTooMany, n)
	}
	return err
}

// hostOf is the host of a URL in one spelling.
func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return storable(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."))
}

func checkWebhook(w *Webhook) error {
	switch {
	case w.Key == "" || w.Event == "" || w.URL == "":
		return fmt.Errorf("%w: a webhook needs a key, an event and a URL", ErrInvalid)
	case len(w.URL) > maxWebhookURL:
		return fmt.Errorf("%w: the URL is longer than %d octets", ErrInvalid, maxWebhookURL)
	case len(w.Body) > maxWebhookBody || !json.Valid(w.Body):
		return fmt.Errorf("%w: the body of a webhook must be JSON of up to %d octets", ErrInvalid, maxWebhookBody)
	}
	return cmp.Or(checkText("event", w.Event), checkText("key", w.Key),
		checkText("URL", w.URL[:min(len(w.URL), maxText)]))
}

// lineOf returns the first of the keys that replaced one another up to the
// given one.
func lineOf(ctx context.Context, q interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}, key string) (line string, err error) {
	err = q.QueryRowContext(ctx, `
		WITH RECURSIVE line (id, replaces) AS (
			SELECT id, replaces FROM api_keys WHERE id = $1
			UNION SELECT k.id, k.replaces FROM api_keys k JOIN line ON k.id = line.replaces)
		SELECT id FROM line WHERE replaces = ''`, storable(key)).Scan(&line)
	if errors.Is(err, sql.ErrNoRows) { // a fixed key has no row
		return storable(key), nil
	}
	return line, err
}

func exists(ctx context.Context, tx *sql.Tx, query string, args ...any) (bool, error) {
	var one int
	err := tx.QueryRowContext(ctx, query, args...).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// ClaimWebhooks returns up to limit webhooks that are due, the longest due
// first; of each receiver's host no more than perHost and of each key no more
// than perKey, those included that are claimed already: receivers that hang
// hold up nobody else. They belong to the caller for the duration of the lease;
// after that others may claim them.
func (s *Store) ClaimWebhooks(
	ctx context.Context, limit, perKey, perHost int, lease time.Duration,
) (claimed []ClaimedWebhook, err error) {
	now := millisOf(s.now())
	if due, err := s.webhookIsDue(ctx, now); err != nil || !due {
		return nil, err
	}
	err = s.write(ctx, "claim webhooks", func(ctx context.Context, tx *sql.Tx) error {
		claimed, err = collect(ctx, tx, scanClaimed, s.db.claim("webhooks", "id", `leased = $1, claim = claim + 1`,
			webhooksInTurn, webhookColumns+`, step, claim`), millisOf(now.time().Add(lease)), now, perKey, perHost, limit)
		for i := range claimed {
			if err == nil {
				claimed[i].Secrets, err = s.secrets(ctx, tx, claimed[i].Key)
			}
		}
		return err
	})
	slices.SortFunc(claimed, func(a, b ClaimedWebhook) int { return a.Next.Compare(b.Next) })
	return claimed, err
}

// webhooksInTurn picks the webhooks that may be sent: of a host those of its
// keys in turn, and of a key what its hosts leave. Those that are on their way
// come first in each count.
const webhooksInTurn = `state = 'pending' AND due <= $2 AND leased <= $2 AND id IN (
	SELECT id FROM (
		SELECT id, ROW_NUMBER() OVER (PARTITION BY line ORDER BY free, of_host, due) AS of_line FROM (
			SELECT id, line, due, free, ROW_NUMBER() OVER (PARTITION BY at ORDER BY free, turn, due) AS of_host FROM (
				SELECT id, line, due, at, free, ROW_NUMBER() OVER (PARTITION BY at, line ORDER BY free, due) AS turn FROM (
					SELECT id, line, due, CASE WHEN host = '' THEN line ELSE host END AS at,
						CASE WHEN leased > $2 THEN 0 ELSE 1 END AS free
					FROM webhooks WHERE state = 'pending' AND due <= $2) AS pending) AS turns) AS hosts
		WHERE of_host <= $4) AS lines
	WHERE of_line <= $3)
ORDER BY due LIMIT $5`

// takeOverWebhooks frees what the process before was sending when it was
// killed: with an embedded database there is one process, which has locked the
// folder.
func (s *Store) takeOverWebhooks(ctx context.Context) error {
	if s.db.file == "" || s.db.beside {
		return nil
	}
	return s.write(ctx, "take over webhooks", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE webhooks SET leased = 0 WHERE state = 'pending' AND leased > 0`)
		return err
	})
}

// webhookIsDue spares nodes that have nothing to send a transaction.
func (s *Store) webhookIsDue(ctx context.Context, now millis) (due bool, err error) {
	err = s.read(ctx, "look for webhooks", func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM webhooks WHERE state = 'pending' AND due <= $1 AND leased <= $1)`, now).Scan(&due)
	})
	return due, err
}

const webhookColumns = `id, line, job, event, url, body, state, created, due, tries`

func scanWebhook(row scanner) (Webhook, error) { return scanWebhookWith(row) }

func scanClaimed(row scanner) (w ClaimedWebhook, err error) {
	w.Webhook, err = scanWebhookWith(row, &w.Step, &w.Claim)
	return w, err
}

func scanWebhookWith(row scanner, more ...any) (Webhook, error) {
	var w Webhook
	var body string
	var created, due millis
	err := row.Scan(append([]any{&w.ID, &w.Key, &w.Job, &w.Event, &w.URL, &body, (*string)(&w.State), &created, &due, &w.Tries}, more...)...)
	w.Body, w.Created, w.Next = json.RawMessage(body), created.time(), due.time()
	return w, err
}
