package keyring

import (
	"context"
	"sync"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

const (
	// storeTimeout is how long work in the background, or Close, waits for the
	// store; unitTimeout is how long a request does.
	storeTimeout = 5 * time.Second
	unitTimeout  = 2 * time.Second
	// askAgain is the pause before a used-up quota, or a failed store, is asked
	// again. Another node may have returned units.
	askAgain = time.Second
	// idleAfter is how long a block may lie before it is given back.
	idleAfter = 2 * time.Second
)

// month is a calendar month in UTC: months since the year 0. Zero means none.
type month int

func monthOf(t time.Time) month {
	t = t.UTC()
	return month(t.Year()*12 + int(t.Month()) - 1)
}

// QuotaResets is when the quota of the month of now is over and another begins.
func QuotaResets(now time.Time) time.Time { return (monthOf(now) + 1).begin() }

// begin is the first moment of the month.
func (m month) begin() time.Time {
	return time.Date(int(m)/12, time.Month(m%12+1), 1, 0, 0, 0, 0, time.UTC)
}

// quota is the units of a key's quota that this node has reserved.
type quota struct {
	mu      sync.Mutex
	month   month         // of the units; they are worth nothing in another
	left    int64         // units that are not taken
	size    int64         // how many units the last reservation was to make of left
	used    int64         // units taken since then
	since   time.Duration // when that was
	lastUse time.Duration
	waiting int64         // requests that wait for pending
	waited  int64         // requests that waited for the one before
	pending chan struct{} // closed when the reservation in progress ends; nil: none is
	refusal error         // why there are no units
	until   time.Duration // for how long that is believed
}

// takeUnit takes a unit of this month, which it returns.
func (k *Keyring) takeUnit(ctx context.Context, e *entry, now time.Time) (month, error) {
	m, reserved, err := k.tryUnit(e, now)
	if reserved == nil {
		return m, err
	}
	timeout := time.NewTimer(unitTimeout)
	defer timeout.Stop()
	for reserved != nil {
		select {
		case <-reserved:
		case <-timeout.C:
			return 0, ErrUnavailable
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		m, reserved, err = k.tryUnit(e, k.now())
	}
	return m, err
}

// tryUnit takes a unit, or returns what to wait for before the next try, or why
// there will be none.
func (k *Keyring) tryUnit(e *entry, now time.Time) (m month, reserved <-chan struct{}, err error) {
	q, at := &e.quota, k.elapsed(now)
	m = monthOf(now)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.month != m {
		k.giveBackLater(e, q.turnTo(m))
	}
	believed := q.refusal != nil && at < q.until
	if q.left > 0 {
		q.left--
		q.used++
		q.lastUse = at
		if q.left < q.size/2 && q.pending == nil && !believed {
			k.reserve(e, at)
		}
		return m, nil, nil
	}
	if q.pending == nil {
		if believed {
			return 0, nil, q.refusal
		}
		if !k.reserve(e, at) {
			return 0, nil, ErrUnavailable
		}
	}
	q.waiting++
	return 0, q.pending, nil
}

// reserve begins to fill the block, unless the Keyring is closed. The caller
// holds the quota's lock.
func (k *Keyring) reserve(e *entry, at time.Duration) (begun bool) {
	q := &e.quota
	limit := e.key.MonthlyQuota
	size := blockSize(traffic{q.used, at - q.since, q.size, q.waited}, limit)
	m, want, pending := q.month, size-q.left, make(chan struct{})
	if want <= 0 || !k.background(func() { k.fill(e, m, want, limit, pending) }) {
		return false
	}
	q.size, q.used, q.since, q.pending = size, 0, at, pending
	return true
}

// fill adds up to want units to the block.
func (k *Keyring) fill(e *entry, m month, want, limit int64, pending chan struct{}) {
	granted, err := k.reserveShare(e.key.ID, m, want, limit)
	k.tellOf(err)
	q := &e.quota
	q.mu.Lock()
	defer q.mu.Unlock()
	defer close(pending)
	q.pending, q.waited, q.waiting = nil, q.waiting, 0
	switch {
	case q.month != m:
		k.giveBackLater(e, rows.Reservation{Key: e.key.ID, Month: m.begin(), Units: granted})
		return
	case err != nil:
		q.refusal = ErrUnavailable
	case granted == 0:
		q.refusal = ErrQuota
	default:
		q.refusal = nil
	}
	q.left += granted
	q.size -= want - granted
	q.lastUse = k.elapsed(k.now()) // callers that wait will take the units in a moment
	q.until = q.lastUse + askAgain
}

// reserveShare reserves up to want units, but not more than this node's share
// of what is left.
func (k *Keyring) reserveShare(id string, m month, want, limit int64) (granted int64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	used, err := k.store.QuotaUsed(ctx, id, m.begin())
	if err != nil || used >= limit {
		return 0, err
	}
	r, err := k.store.ReserveQuota(ctx, id, m.begin(), min(want, shareOf(limit-used)), limit)
	return r.Units, err
}

// tellOf logs when quotas cannot be reserved, and when they can again.
func (k *Keyring) tellOf(err error) {
	switch failed := err != nil; {
	case k.failing.Swap(failed) == failed:
	case failed:
		k.log.Error("quotas cannot be reserved: keys without units at hand are refused until they can", "error", err)
	default:
		k.log.Info("quotas can be reserved again")
	}
}

// turnTo empties the block for another month, and returns what was in it.
func (q *quota) turnTo(m month) rows.Reservation {
	rest := rows.Reservation{Month: q.month.begin(), Units: q.left}
	q.month, q.left, q.refusal = m, 0, nil
	return rest
}

// putBack adds units of the month that were taken and not used.
func (q *quota) putBack(m month, units int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.month == m {
		q.left += units
	}
}
