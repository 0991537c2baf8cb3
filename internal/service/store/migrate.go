package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one step of the schema. A released step is never changed; a
// change is another step.
type migration struct {
	number int
	name   string
	text   string
}

// migrations returns the embedded steps in their order.
func migrations() ([]migration, error) {
	entries, err := migrationFiles.ReadDir("migrations") // sorted by name
	if err != nil {
		return nil, err
	}
	var steps []migration
	for _, entry := range entries {
		digits, _, _ := strings.Cut(entry.Name(), "_")
		number, err := strconv.Atoi(digits)
		if err != nil || number != len(steps)+1 {
			return nil, fmt.Errorf("migration %s is not number %d", entry.Name(), len(steps)+1)
		}
		text, err := migrationFiles.ReadFile(path.Join("migrations", entry.Name()))
		if err != nil {
			return nil, err
		}
		steps = append(steps, migration{number, entry.Name(), string(text)})
	}
	return steps, nil
}

// migrate brings the schema to the last step. Several processes may do so at
// once: one of them does it.
func (db *database) migrate(ctx context.Context, now time.Time) error {
	steps, err := migrations()
	if err != nil {
		return db.failed(opOpen, err)
	}
	return db.migrateTo(ctx, steps, now)
}

// migrateTo takes the missing steps in one transaction: all of them, or none.
func (db *database) migrateTo(ctx context.Context, steps []migration, now time.Time) error {
	if db.beside {
		return db.sameSchema(ctx, len(steps))
	}
	return db.transaction(ctx, opOpen, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, db.lockSchema); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `
			CREATE TABLE IF NOT EXISTS migrations (number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied BIGINT NOT NULL)`); err != nil {
			return err
		}
		done, err := schemaOf(ctx, tx)
		if err != nil {
			return err
		}
		if done > len(steps) {
			return tooNew(db.where, done, len(steps))
		}
		for _, step := range steps[done:] {
			if err := step.take(ctx, tx, now); err != nil {
				return fmt.Errorf("migration %s: %w", step.name, err)
			}
		}
		return nil
	})
}

func (m migration) take(ctx context.Context, tx *sql.Tx, now time.Time) error {
	if _, err := tx.ExecContext(ctx, m.text); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO migrations (number, name, applied) VALUES ($1, $2, $3)`,
		m.number, m.name, millisOf(now))
	return err
}

// sameSchema refuses to touch the schema of a process that is running.
func (db *database) sameSchema(ctx context.Context, known int) error {
	has, err := schemaOf(ctx, db.reader)
	switch {
	case err != nil:
		return db.failed(opOpen, err)
	case has > known:
		return db.failed(opOpen, tooNew(db.where, has, known))
	case has < known:
		return db.failed(opOpen, fmt.Errorf("%s is %w of an earlier version: restart that process with this version first (schema %d, this rcpt has %d)",
			db.where, ErrLocked, has, known))
	}
	return nil
}

func schemaOf(ctx context.Context, q interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}) (number int, err error) {
	err = q.QueryRowContext(ctx, `SELECT COALESCE(MAX(number), 0) FROM migrations`).Scan(&number)
	return number, err
}

func tooNew(where string, has, known int) error {
	return fmt.Errorf("%s is %w (schema %d, this one knows up to %d): use that version, or put back a backup from before it", where, ErrSchemaTooNew, has, known)
}

// loadSalt reads the salt of this installation, which the first process
// creates.
func (s *Store) loadSalt(ctx context.Context) error {
	const name = "address salt"
	err := s.read(ctx, opOpen, func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, `SELECT value FROM meta WHERE name = $1`, name).Scan(&s.salt)
	})
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	fresh := make([]byte, len(Hash{}))
	rand.Read(fresh) // never fails
	return s.write(ctx, opOpen, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, fresh); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT value FROM meta WHERE name = $1`, name).Scan(&s.salt)
	})
}
