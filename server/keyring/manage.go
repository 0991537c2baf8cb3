package keyring

import (
	"context"

	"github.com/rcpt/rcpt/store"
)

// NewKey makes a key with what k says and stores its hash. The text is returned here and never again.
func NewKey(ctx context.Context, s interface {
	CreateKey(context.Context, store.Key) (store.Key, error)
}, k store.Key) (text string, created store.Key, err error) {
	text = NewText()
	k.Hash = store.HashOf(text)
	if created, err = s.CreateKey(ctx, k); err != nil {
		return "", store.Key{}, err
	}
	return text, created, nil
}

// Create makes a key as [NewKey] does, and it can be used here at once.
func (k *Keyring) Create(ctx context.Context, key store.Key) (text string, created store.Key, err error) {
	text, created, err = NewKey(ctx, k.store, key)
	if err == nil {
		k.reloadSoon(ctx)
	}
	return text, created, err
}

// Revoke makes a key unusable for good, here at once. [store.ErrNotFound]: there is none with this ID.
func (k *Keyring) Revoke(ctx context.Context, id string) error {
	if err := k.store.RevokeKey(ctx, id); err != nil {
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

// reloadSoon reads the keys after a change that is committed. Should that fail, they are read as after any other change.
func (k *Keyring) reloadSoon(ctx context.Context) {
	if _, err := k.reload(ctx); err != nil {
		k.log.Warn("keys could not be read after a change of them, and will be later", "error", err)
	}
}

// List returns every key but the fixed one, the revoked ones too, the oldest first.
func (k *Keyring) List() []store.Key {
	all := k.table.Load().all
	keys := make([]store.Key, len(all))
	for i, e := range all {
		keys[i] = e.snapshot()
	}
	return keys
}
