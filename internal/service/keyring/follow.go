package keyring

import (
	"context"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

const (
	// upkeepEvery is the interval at which the keys are compared with the
	// store's, and idle blocks are looked for.
	upkeepEvery = time.Second
	// rereadEvery is the interval at which the keys are read without need, for
	// the last uses that other nodes have stored.
	rereadEvery = time.Minute
	// tolerated is for how long the store may be away before the log has it.
	tolerated = 3 * time.Second
)

// reload reads the keys, and returns the versions that were current before.
func (k *Keyring) reload(ctx context.Context) (rows.Versions, error) {
	k.loading.Lock()
	defer k.loading.Unlock()
	began := k.elapsed(k.now())
	versions, err := k.store.Versions(ctx)
	if err != nil {
		return versions, err
	}
	keys, err := k.store.Keys(ctx)
	if err != nil {
		return versions, err
	}
	k.table.Store(newTable(versions.Keys, keys, k.fixed, k.table.Load()))
	k.isCurrent(began)
	return versions, nil
}

// follow takes up changes of the keys until ctx ends.
func (k *Keyring) follow(ctx context.Context, seen rows.Versions) {
	k.store.Watch(ctx, seen, func(ctx context.Context, now rows.Versions) error {
		if now.Keys == k.table.Load().version {
			return nil
		}
		_, err := k.reload(ctx)
		return err
	})
}

// upkeep runs until ctx ends.
func (k *Keyring) upkeep(ctx context.Context) {
	tick := time.NewTicker(upkeepEvery)
	defer tick.Stop()
	reread := k.now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if k.compare(ctx) {
			k.giveBackIdle(ctx)
		}
		if now := k.now(); now.Sub(reread) >= rereadEvery {
			_, _ = k.reload(ctx)
			reread = now
		}
		if stale := k.Stale(); stale > tolerated && !k.away.Swap(true) && ctx.Err() == nil {
			k.log.Error("keys cannot be read anew: those known here stay in use, "+
				"and revocations elsewhere are not taken up", "for", stale)
		}
	}
}

// compare records when the keys here are those of the store, and reports
// whether the store answered.
func (k *Keyring) compare(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	began := k.elapsed(k.now())
	versions, err := k.store.Versions(ctx)
	if err == nil && versions.Keys == k.table.Load().version {
		k.isCurrent(began)
	}
	return err == nil
}

func (k *Keyring) isCurrent(at time.Duration) {
	if before := k.current.Load(); before < int64(at) {
		k.current.CompareAndSwap(before, int64(at))
	}
	if k.away.Swap(false) {
		k.log.Info("keys are current again")
	}
}

// Stale returns the age of the knowledge of the keys: about a second at most,
// unless the store cannot be reached.
func (k *Keyring) Stale() time.Duration {
	if k.store == (noStore{}) {
		return 0
	}
	return k.elapsed(k.now()) - time.Duration(k.current.Load())
}
