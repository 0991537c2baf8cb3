package keyring

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/store"
)

// noStore is the store of a Keyring that has only the fixed key.
type noStore struct{}

func (noStore) Keys(context.Context) ([]store.Key, error)            { return nil, nil }
func (noStore) Versions(context.Context) (store.Versions, error)     { return store.Versions{}, nil }
func (noStore) TouchKey(string, time.Time)                           {}
func (noStore) RevokeKey(context.Context, string) error              { return store.ErrNotFound }
func (noStore) ReturnQuota(context.Context, store.Reservation) error { return nil }
func (noStore) UpdateKey(context.Context, store.Key) error           { return store.ErrNotFound }
func (noStore) RotateKey(context.Context, string, store.Hash, time.Time) (store.Key, error) {
	return store.Key{}, store.ErrNotFound
}
func (noStore) CreateKey(context.Context, store.Key) (store.Key, error) {
	return store.Key{}, store.ErrUnavailable
}

func (noStore) QuotaUsed(context.Context, string, time.Time) (int64, error) { return 0, nil }

func (noStore) ReserveQuota(context.Context, string, time.Time, int64, int64) (store.Reservation, error) {
	return store.Reservation{}, store.ErrUnavailable
}

func (noStore) Watch(ctx context.Context, _ store.Versions, _ func(context.Context, store.Versions) error) {
	<-ctx.Done()
}
