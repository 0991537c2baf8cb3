package keyring

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// NewKey creates a key with the fields of k and stores its hash. It returns the
// text of the key, which cannot be read again.
func NewKey(ctx context.Context, s interface {
	CreateKey(context.Context, rows.Actor, rows.Key) (rows.Key, error)
}, by rows.Actor, k rows.Key) (text string, created rows.Key, err error) {
	text = NewText(k.Test)
	k.Hash = rows.HashOf(text)
	if created, err = s.CreateKey(ctx, by, k); err != nil {
		return "", rows.Key{}, err
	}
	return text, created, nil
}

// Create is [NewKey] for a key that can be used on this node at once.
func (k *Keyring) Create(ctx context.Context, by rows.Actor, key rows.Key) (text string, created rows.Key, err error) {
	text, created, err = NewKey(ctx, k.store, by, key)
	if err == nil {
		k.reloadSoon(ctx)
	}
	return text, created, err
}

// Replacement creates a key that replaces the one with the ID, which works
// until the given time; see
// [github.com/rcpt/rcpt/internal/service/store.Store.RotateKey]. It returns the
// text of the new key, which cannot be read again.
func Replacement(ctx context.Context, s interface {
	RotateKey(ctx context.Context, by rows.Actor, id string, hash rows.Hash, until time.Time) (rows.Key, error)
}, by rows.Actor, id string, until time.Time) (text string, created rows.Key, err error) {
	text = NewText(rows.TestID(id))
	if created, err = s.RotateKey(ctx, by, id, rows.HashOf(text), until); err != nil {
		return "", rows.Key{}, err
	}
	return text, created, nil
}

// Rotate is [Replacement] for a key that can be used on this node at once.
func (k *Keyring) Rotate(
	ctx context.Context, by rows.Actor, id string, until time.Time,
) (text string, created rows.Key, err error) {
	text, created, err = Replacement(ctx, k.store, by, id, until)
	if err == nil {
		k.reloadSoon(ctx)
	}
	return text, created, err
}

// Update changes the key with key's ID, on this node at once; see
// [github.com/rcpt/rcpt/internal/service/store.Store.UpdateKey].
func (k *Keyring) Update(ctx context.Context, by rows.Actor, key rows.Key) error {
	err := k.store.UpdateKey(ctx, by, key)
	if err == nil {
		k.reloadSoon(ctx)
	}
	return err
}

// Revoke makes a key permanently unusable, on this node at once.
// [rows.ErrNotFound]: there is no key with this ID.
func (k *Keyring) Revoke(ctx context.Context, by rows.Actor, id string) error {
	if err := k.store.RevokeKey(ctx, by, id); err != nil {
		return err
	}
	for _, e := range k.table.Load().all {
		if e.key.ID == id {
			e.revoked.Store(true)
		}
	}
	k.reloadSoon(ctx)
	return nil
}

// reloadSoon reads the keys after a change was committed. If that fails, the
// next comparison with the store reads them.
func (k *Keyring) reloadSoon(ctx context.Context) {
	if _, err := k.reload(ctx); err != nil {
		k.log.Warn("keys could not be read after a change of them, and will be later", "error", err)
	}
}

// List returns all keys but the fixed one, including revoked ones, the oldest
// first.
func (k *Keyring) List() []rows.Key {
	all := k.table.Load().all
	keys := make([]rows.Key, len(all))
	for i, e := range all {
		keys[i] = e.snapshot()
	}
	return keys
}
