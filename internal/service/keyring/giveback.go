package keyring

import (
	"cmp"
	"context"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// giveBackIdle returns blocks that are not in use: as many as it can until the
// next turn, because each is a commit, and between them the keys are compared.
func (k *Keyring) giveBackIdle(ctx context.Context) {
	now := k.elapsed(k.now())
	idle := func(q *quota) bool { return q.pending == nil && now-q.lastUse >= idleAfter }
	for _, e := range k.table.Load().all {
		if ctx.Err() != nil || k.elapsed(k.now())-now >= upkeepEvery {
			return
		}
		_ = k.giveBack(context.WithoutCancel(ctx), e, e.quota.takeRest(idle))
	}
}

// giveBackAll returns every block.
func (k *Keyring) giveBackAll() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	for _, e := range k.table.Load().all {
		err = cmp.Or(err, k.giveBack(ctx, e, e.quota.takeRest(func(*quota) bool { return true })))
	}
	return err
}

// giveBackLater returns units in the background.
func (k *Keyring) giveBackLater(e *entry, rest rows.Reservation) {
	if rest.Units > 0 {
		k.background(func() { _ = k.giveBack(context.Background(), e, rest) })
	}
}

// giveBack returns units. After an error they are lost to the key: they may
// have been returned, and must not be used twice.
func (k *Keyring) giveBack(ctx context.Context, e *entry, rest rows.Reservation) error {
	if rest.Units <= 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	rest.Key = e.key.ID
	err := k.store.ReturnQuota(ctx, rest)
	if err != nil {
		k.log.Warn("units of a quota could not be given back and are lost to their key",
			"key", rest.Key, "units", rest.Units, "error", err)
	}
	return err
}

// takeRest empties the block if it is to be emptied.
func (q *quota) takeRest(whether func(*quota) bool) rows.Reservation {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.left == 0 || !whether(q) {
		return rows.Reservation{}
	}
	rest := rows.Reservation{Month: q.month.begin(), Units: q.left}
	q.left = 0
	return rest
}
