package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"
)

// forgetTimeout bounds each look through the whole database for an address, and
// the rewriting of its files.
const forgetTimeout = time.Hour

// Mentions finds addresses that are to be forgotten.
type Mentions interface {
	// Has reports whether an address is one of them.
	Has(address string) bool
	// In reports whether a text mentions one.
	In(text string) bool
}

type trace struct{ kind, table, key, column, erase string }

// traces are columns with texts that may mention an address, and what is done
// with a row that does. Rows of lists are package jobs's business, and what
// people use to sign in or to tell keys apart is for them to change: see
// [Store.Mentioned].
var traces = []trace{
	{"rechecks", "rechecks", "address", "address", `DELETE FROM rechecks WHERE address = $1`},
	{"webhooks", "webhooks", "id", "url", `DELETE FROM webhooks WHERE id = $1`},
	{"webhooks", "webhooks", "id", "body", `DELETE FROM webhooks WHERE id = $1`},
	{"webhook_tries", "webhook_tries", "webhook", "answer", `UPDATE webhook_tries SET answer = '' WHERE webhook = $1`},
	{"webhook_tries", "webhook_tries", "webhook", "error", `UPDATE webhook_tries SET error = '' WHERE webhook = $1`},
	{"webhook_urls", "webhook_gone", "url", "url", `DELETE FROM webhook_gone WHERE url = $1`},
	{"webhook_urls", "jobs", "id", "webhook", `UPDATE jobs SET webhook = '' WHERE id = $1`},
	{"list_names", "jobs", "id", "name", `UPDATE jobs SET name = 'forgotten' WHERE id = $1`},
	{"list_mails", "jobs", "id", "notify", `UPDATE jobs SET notify = '' WHERE id = $1`},
}

// ForgetTexts erases addresses from everything but lists: the verdicts of the
// given spellings, re-checks, webhooks and names. It returns how many there
// were of each kind. Every node drops the results that it has in memory. What
// another process has not committed yet comes within a second: forget again
// after that.
func (s *Store) ForgetTexts(ctx context.Context, who Mentions, spellings []string) (erased map[string]int64, err error) {
	erased = make(map[string]int64)
	if err := s.Flush(ctx); err != nil {
		return erased, err
	}
	err = s.write(ctx, "forget verdicts", func(ctx context.Context, tx *sql.Tx) error {
		for _, spelling := range spellings {
			result, err := tx.ExecContext(ctx, `DELETE FROM verdicts WHERE hash = $1`, octets(s.addressHash(spelling)))
			if err != nil {
				return err
			}
			if n, _ := result.RowsAffected(); n > 0 {
				erased["verdicts"] += n
			}
		}
		return bump(ctx, tx, topicVerdicts)
	})
	s.changed.send(err)
	for _, t := range traces {
		if err != nil {
			return erased, err
		}
		var n int64
		if n, err = s.erase(ctx, t, who); n > 0 {
			erased[t.kind] += n
		}
	}
	return erased, err
}

// erase erases the rows of a table that mention an address in a column.
func (s *Store) erase(ctx context.Context, t trace, who Mentions) (n int64, err error) {
	found, err := s.mentioning(ctx, t.table, t.key, t.column, who)
	for _, id := range found {
		if err == nil {
			err = s.write(ctx, "forget", func(ctx context.Context, tx *sql.Tx) error {
				_, err := tx.ExecContext(ctx, t.erase, id)
				return err
			})
			n++
		}
	}
	return n, err
}

// mentioning returns the keys of the rows of a table that mention an address in
// a column, each once.
func (s *Store) mentioning(
	ctx context.Context, table, key, column string, who Mentions,
) (found []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, forgetTimeout)
	defer cancel()
	rows, err := s.db.reader.QueryContext(ctx, `SELECT `+key+`, `+column+` FROM `+table)
	if err != nil {
		return nil, s.db.failed("look for an address", err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, text sql.NullString
		if err := rows.Scan(&id, &text); err != nil {
			return nil, s.db.failed("look for an address", err)
		}
		if who.In(text.String) && !slices.Contains(found, id.String) {
			found = append(found, id.String)
		}
	}
	return found, s.db.failed("look for an address", rows.Err())
}

// Mention is where a text mentions an address still.
type Mention struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	ID     string `json:"id,omitempty"` // of the row, unless that mentions it
}

// Mentioned looks through all texts of the database for addresses. It does not
// unpack lists.
func (s *Store) Mentioned(ctx context.Context, who Mentions) (all []Mention, err error) {
	tables, err := s.tables(ctx)
	for _, table := range tables {
		if err != nil {
			return all, err
		}
		var columns []string
		columns, err = s.textColumns(ctx, table)
		for _, column := range columns {
			if err != nil {
				return all, err
			}
			var ids []string
			ids, err = s.mentioning(ctx, table, columns[0], column, who)
			for _, id := range ids {
				m := Mention{table, column, id}
				if who.In(id) {
					m.ID = ""
				}
				all = append(all, m)
			}
		}
	}
	return all, err
}

func (s *Store) tables(ctx context.Context) (all []string, err error) {
	err = s.read(ctx, "list tables", func(ctx context.Context, db *sql.DB) error {
		scan := func(row scanner) (name string, err error) { return name, row.Scan(&name) }
		all, err = collect(ctx, db, scan, s.db.dialect.tables)
		return err
	})
	slices.Sort(all)
	return all, err
}

// textColumns returns the columns of a table that hold text; the key is the
// first of them in each table that has any but texts of ours.
func (s *Store) textColumns(ctx context.Context, table string) (names []string, err error) {
	err = s.read(ctx, "list columns", func(ctx context.Context, db *sql.DB) error {
		rows, err := db.QueryContext(ctx, `SELECT * FROM `+table+` WHERE 1 = 0`)
		if err != nil {
			return err
		}
		defer rows.Close()
		columns, err := rows.ColumnTypes()
		for _, column := range columns {
			if column.DatabaseTypeName() == "TEXT" {
				names = append(names, column.Name())
			}
		}
		return errors.Join(err, rows.Err())
	})
	return names, err
}

// Scrub writes the files of the database anew, so that nothing is left in them
// of what was deleted or changed. An embedded database can be read meanwhile,
// and written to after that; of PostgreSQL each table is locked while its turn
// lasts. [ErrUnavailable]: a reader, such as a backup, has held it up.
func (s *Store) Scrub(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, forgetTimeout)
	defer cancel()
	if s.db.file == "" {
		return s.scrubPostgres(ctx)
	}
	if _, err := s.db.writer.ExecContext(ctx, `VACUUM`); err != nil {
		return s.db.failed("write the database anew", err)
	}
	var busy, left, done int
	err := s.db.writer.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &left, &done)
	if err == nil && busy != 0 {
		err = fmt.Errorf("%w: somebody reads it, a backup perhaps: run the command again when that has ended", ErrUnavailable)
	}
	return s.db.failed("empty the log", err)
}

// scrubPostgres also renews the statistics of the tables, which have samples of
// what is in them.
func (s *Store) scrubPostgres(ctx context.Context) error {
	tables, err := s.tables(ctx)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if _, err := s.db.writer.ExecContext(ctx, `VACUUM (FULL, ANALYZE) `+table); err != nil {
			return s.db.failed("write the table "+table+" anew", err)
		}
	}
	_, err = s.db.writer.ExecContext(ctx, `VACUUM (FULL) pg_catalog.pg_statistic`)
	return s.db.failed("write the statistics anew", err)
}
