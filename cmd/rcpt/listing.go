package main

import (
	"context"
	"io"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard"
)

// listing prints things of the database, as lines of JSON or as a table.
type listing[T any] struct {
	none, head string         // printed without a row, and above the first
	row        func(T) string // with what stands below it
	record     func(T) any    // as JSON
}

func (l listing[T]) print(w io.Writer, asJSON bool, all []T) error {
	text := l.head
	if len(all) == 0 {
		text = l.none
	}
	for _, one := range all {
		if !asJSON {
			text += l.row(one)
		} else if err := newEncoder(w).Encode(l.record(one)); err != nil {
			return err
		}
	}
	if asJSON {
		return nil
	}
	_, err := io.WriteString(w, text)
	return err
}

// latestFlags choose the latest things of the database.
type latestFlags struct {
	Key   string         `env:"-" placeholder:"KEY" help:"Only those of this key: its ID, or the beginning of its name."`
	Limit settings.Count `env:"-" placeholder:"N" default:"50" help:"How many at most. Default: ${default}."`
}

// keyID returns the ID of the key of the flags, or "".
func (f latestFlags) keyID(ctx context.Context, s *store.Store) (string, error) {
	if f.Key == "" {
		return "", nil
	}
	return keyNamed(ctx, s, f.Key)
}

// keyNamed returns the ID of the key that an argument names.
func keyNamed(ctx context.Context, s *store.Store, argument string) (string, error) {
	if argument == keyring.FixedID || argument == keyring.FixedTestID || argument == dashboard.KeyID {
		return argument, nil
	}
	keys, err := s.Keys(ctx)
	if err != nil {
		return "", err
	}
	key, err := findKey(keys, argument)
	if err != nil {
		return "", usage(err)
	}
	return key.ID, nil
}
