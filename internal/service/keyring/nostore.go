package keyring

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// noStore is the store of a Keyring that has only the fixed key.
type noStore struct{}

func (noStore) Keys(context.Context) ([]rows.Key, error)              { return nil, nil }
func (noStore) Versions(context.Context) (rows.Versions, error)       { return rows.Versions{}, nil }
func (noStore) TouchKey(string, time.Time)                            {}
func (noStore) RevokeKey(context.Context, rows.Actor, string) error   { return rows.ErrNotFound }
func (noStore) ReturnQuota(context.Context, rows.Reservation) error   { return nil }
func (noStore) UpdateKey(context.Context, rows.Actor, rows.Key) error { return rows.ErrNotFound }
func (noStore) RotateKey(context.Context, rows.Actor, string, rows.Hash, time.Time) (rows.Key, error) {
	return rows.Key{}, rows.ErrNotFound
}
func (noStore) CreateKey(context.Context, rows.Actor, rows.Key) (rows.Key, error) {
	return rows.Key{}, rows.ErrUnavailable
}

func (noStore) QuotaUsed(context.Context, string, time.Time) (int64, error) { return 0, nil }

func (noStore) ReserveQuota(context.Context, string, time.Time, int64, int64) (rows.Reservation, error) {
	return rows.Reservation{}, rows.ErrUnavailable
}

func (noStore) Watch(ctx context.Context, _ rows.Versions, _ func(context.Context, rows.Versions) error) {
	<-ctx.Done()
}
