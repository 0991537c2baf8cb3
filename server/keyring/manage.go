package keyring

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/store"
)

// NewKey makes a key with what k says and stores its hash. The text is returned
// here and never again.
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

// Replacement makes a key that replaces the one with the ID, which works until
// the given time, as [store.Store.RotateKey] has it. The text is returned here
// and never again.
func Replacement(ctx context.Context, s interface {
	RotateKey(ctx context.Context, id string, hash store.Hash, until time.Time) (store.Key, error)
}, id string, until time.Time) (text string, created store.Key, err error) {
	text = NewText()
	if created, err = s.RotateKey(ctx, id, store.HashOf(text), until); err != nil {
		return "", store.Key{}, err
	}
	return text, created, nil
}

// Rotate replaces a key as [Replacement] does, and the new one can be used here
// at once.
func (k *Keyring) Rotate(ctx context.Context, id string, until time.Time) (text string, created store.Key, err error) {
	text, created, err = Replacement(ctx, k.store, id, until)
	if err == nil {
		k.reloadSoon(ctx)
	}
	return text, created, err
}

// Update changes what the key with key's ID may do, as [store.Store.UpdateKey]
// has it; here at once.
func (k *Keyring) Update(ctx context.Context, key store.Key) error {
	err := k.store.UpdateKey(ctx, key)
	if err == nil {
		k.reloadSoon(ctx)
	}
	return err
}

// Revoke makes a key permanently unusable, here at once. [store.ErrNotFound]:
// there is no key with this ID.
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

// reloadSoon reads the keys after a change that is committed. Should that fail,
// they are read as after any other change.
func (k *Keyring) reloadSoon(ctx context.Context) {
	if _, err := k.reload(ctx); err != nil {
		k.log.Warn("keys could not be read after a change of them, and will be later", "error", err)
	}
}

// List returns every key but the fixed one, the revoked ones too, the oldest
// first.
func (k *Keyring) List() []store.Key {
	all := k.table.Load().all
	keys := make([]store.Key, len(all))
	for i, e := range all {
		keys[i] = e.snapshot()
	}
	return keys
}
