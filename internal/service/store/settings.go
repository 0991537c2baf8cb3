package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// maxSetting bounds the JSON of a setting, in octets.
const maxSetting = 64 << 10

// Settings returns every setting: its JSON by its name.
func (s *Store) Settings(ctx context.Context) (map[string]json.RawMessage, error) {
	settings := map[string]json.RawMessage{}
	err := s.read(ctx, "read settings", func(ctx context.Context, db *sql.DB) error {
		_, err := collect(ctx, db, func(row scanner) (struct{}, error) {
			var name, value string
			err := row.Scan(&name, &value)
			settings[name] = json.RawMessage(value)
			return struct{}{}, err
		}, `SELECT name, value FROM settings`)
		return err
	})
	return settings, err
}

// SetSetting stores a setting; nil removes it.
func (s *Store) SetSetting(ctx context.Context, name string, value json.RawMessage) error {
	err := s.write(ctx, "store setting", func(ctx context.Context, tx *sql.Tx) error {
		if err := checkSetting(name, value); err != nil {
			return err
		}
		if err := s.putSetting(ctx, tx, name, value); err != nil {
			return err
		}
		return bump(ctx, tx, topicSettings)
	})
	s.changed.send(err)
	return err
}

func (s *Store) putSetting(ctx context.Context, tx *sql.Tx, name string, value json.RawMessage) error {
	if value == nil {
		_, err := tx.ExecContext(ctx, `DELETE FROM settings WHERE name = $1`, name)
		return err
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO settings (name, value, changed) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value, changed = excluded.changed`,
		name, storable(string(value)), millisOf(s.now()))
	return err
}

func checkSetting(name string, value json.RawMessage) error {
	switch {
	case name == "":
		return fmt.Errorf("%w: a setting needs a name", ErrInvalid)
	case value != nil && !json.Valid(value):
		return fmt.Errorf("%w: the value of the setting %q is not JSON", ErrInvalid, name)
	case len(value) > maxSetting:
		return fmt.Errorf("%w: the value of the setting %q is longer than %d octets", ErrInvalid, name, maxSetting)
	}
	return checkText("name of the setting", name)
}
