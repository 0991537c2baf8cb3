package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// What people and programs change is an event, written in the transaction of
// the change: neither is stored without the other. What changes nothing is
// none, and neither is what the server does by itself. An event has no address
// and no secret.

// maxEvents limits how many events one page of [Store.Events] has.
const maxEvents = 1000

// recordEvent writes that somebody did something, in the transaction of the
// change. It makes the ID and the time of the event.
func (s *Store) recordEvent(ctx context.Context, tx *sql.Tx, by Actor, e Event) error {
	if by.From == "" {
		return fmt.Errorf("%w: nobody is named who does %s", ErrInvalid, e.What)
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO events (id, at, source, actor, actor_name, what, object, object_name, detail)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		s.eventID(), millisOf(s.now()), string(by.From), storable(by.ID), eventText(by.Name), string(e.What),
		storable(e.Object), eventText(e.Name), eventText(e.Detail))
	return err
}

// eventID is the ID of the next event. Those of one process are in order, as
// several may have the same millisecond.
func (s *Store) eventID() string {
	_, random, _ := strings.Cut(newID(""), "_")
	return fmt.Sprintf("evt_%08x%s", s.events.Add(1), random)
}

// RecordEvent stores that somebody did something that changes nothing else,
// such as a download.
func (s *Store) RecordEvent(ctx context.Context, by Actor, e Event) error {
	return s.write(ctx, "record event", func(ctx context.Context, tx *sql.Tx) error {
		return s.recordEvent(ctx, tx, by, e)
	})
}

func eventText(text string) string { return rows.WithoutAddress(storable(text)) }

// Events returns events, the newest first.
func (s *Store) Events(ctx context.Context, q EventQuery) (all []Event, err error) {
	limit := q.Limit
	if limit <= 0 || limit > maxEvents {
		limit = maxEvents
	}
	where, args := `($1 = '' OR actor = $1) AND ($2 = '' OR what = $2)`, []any{storable(q.By), storable(string(q.What)), limit}
	err = s.read(ctx, "read events", func(ctx context.Context, db *sql.DB) error {
		if q.Before != "" {
			var at int64
			err := db.QueryRowContext(ctx, `SELECT at FROM events WHERE id = $1`, storable(q.Before)).Scan(&at)
			if errors.Is(err, sql.ErrNoRows) {
				return nil // a year has passed: so it has for those before it
			}
			if err != nil {
				return err
			}
			where += ` AND (at < $4 OR at = $4 AND id < $5)`
			args = append(args, at, q.Before)
		}
		all, err = collect(ctx, db, scanEvent, `
			SELECT id, at, source, actor, actor_name, what, object, object_name, detail FROM events
			WHERE `+where+` ORDER BY at DESC, id DESC LIMIT $3`, args...)
		return err
	})
	return all, err
}

func scanEvent(row scanner) (e Event, err error) {
	var at millis
	err = row.Scan(&e.ID, &at, &e.By.From, &e.By.ID, &e.By.Name, &e.What, &e.Object, &e.Name, &e.Detail)
	e.At = at.time()
	return e, err
}
