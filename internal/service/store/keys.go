package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// CreateKey stores a key and returns it with its ID and time of creation.
// [ErrExists]: a key with this hash exists.
func (s *Store) CreateKey(ctx context.Context, by Actor, k Key) (Key, error) {
	k.Name = rows.PlainName(k.Name)
	k.ID, k.Lists, k.Replaces = newID(rows.KindOfID(k.Test)), "", ""
	k.Created, k.LastUsed, k.Revoked = millisOf(s.now()).time(), time.Time{}, time.Time{}
	err := s.write(ctx, "create key", func(ctx context.Context, tx *sql.Tx) error {
		if err := insertKey(ctx, tx, k); err != nil {
			return err
		}
		if err := s.recordEvent(ctx, tx, by, Event{What: rows.KeyCreated, Object: k.ID, Name: k.Name}); err != nil {
			return err
		}
		return bump(ctx, tx, topicKeys)
	})
	s.changed.send(err)
	return k, err
}

func insertKey(ctx context.Context, tx *sql.Tx, k Key) error {
	if k.Hash == (Hash{}) {
		return fmt.Errorf("%w: a key needs a hash", ErrInvalid)
	}
	if err := checkKey(&k); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO api_keys (id, hash, name, account, lists, replaces, scopes, rate, burst, concurrency, quota, networks, created, expires, revoked)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0)`,
		k.ID, octets(k.Hash), k.Name, nullable(k.Account), k.Lists, k.Replaces, joined(k.Scopes),
		k.RatePerSecond, k.Burst, k.Concurrency, k.MonthlyQuota,
		joined(k.Networks), millisOf(k.Created), millisOf(k.Expires))
	return err
}

// UpdateKey sets the name, scopes, limits, networks and expiry of the key with
// k's ID to those of k. The event names what is different; if nothing is, there
// is none.
func (s *Store) UpdateKey(ctx context.Context, by Actor, k Key) error {
	k.Name = rows.PlainName(k.Name)
	err := s.write(ctx, "update key", func(ctx context.Context, tx *sql.Tx) error {
		if err := checkKey(&k); err != nil {
			return err
		}
		old, err := lockKey(ctx, tx, k.ID)
		if err != nil {
			return err
		}
		changed := differences(old, k)
		if changed == "" {
			return nil
		}
		if err := one(tx.ExecContext(ctx, `
			UPDATE api_keys SET name = $2, scopes = $3, rate = $4, burst = $5, concurrency = $6, quota = $7, networks = $8, expires = $9
			WHERE id = $1`,
			k.ID, k.Name, joined(k.Scopes), k.RatePerSecond, k.Burst, k.Concurrency, k.MonthlyQuota, joined(k.Networks),
			millisOf(k.Expires))); err != nil {
			return err
		}
		if err := s.recordEvent(ctx, tx, by, Event{
			What: rows.KeyChanged, Object: k.ID, Name: k.Name, Detail: changed,
		}); err != nil {
			return err
		}
		return bump(ctx, tx, topicKeys)
	})
	s.changed.send(err)
	return err
}

// differences names what is not the same in two keys.
func differences(a, b Key) string {
	var all []string
	for _, of := range []struct {
		what string
		same bool
	}{
		{"name", a.Name == b.Name},
		{"scopes", joined(a.Scopes) == joined(b.Scopes)},
		{"rate", a.RatePerSecond == b.RatePerSecond && a.Burst == b.Burst},
		{"concurrency", a.Concurrency == b.Concurrency},
		{"quota", a.MonthlyQuota == b.MonthlyQuota},
		{"networks", joined(a.Networks) == joined(b.Networks)},
		{"expiry", millisOf(a.Expires) == millisOf(b.Expires)},
	} {
		if !of.same {
			all = append(all, of.what)
		}
	}
	return strings.Join(all, ", ")
}

// RevokeKey makes a key permanently unusable, and pauses its lists. A revoked
// key keeps the time of its first revocation.
func (s *Store) RevokeKey(ctx context.Context, by Actor, id string) error {
	now := millisOf(s.now())
	err := s.write(ctx, "revoke key", func(ctx context.Context, tx *sql.Tx) error {
		k, err := lockKey(ctx, tx, id)
		if err != nil || !k.Revoked.IsZero() {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE api_keys SET revoked = $2 WHERE id = $1`, k.ID, now); err != nil {
			return err
		}
		if err := s.recordEvent(ctx, tx, by, Event{What: rows.KeyRevoked, Object: k.ID, Name: k.Name}); err != nil {
			return err
		}
		if _, err := pauseOrphans(ctx, tx, now); err != nil {
			return err
		}
		return bump(ctx, tx, topicKeys)
	})
	s.changed.send(err)
	s.jobsChanged()
	return err
}

// lockKey reads a key that nobody else changes until the transaction ends.
func lockKey(ctx context.Context, tx *sql.Tx, id string) (Key, error) {
	if err := one(tx.ExecContext(ctx, `UPDATE api_keys SET expires = expires WHERE id = $1`, storable(id))); err != nil {
		return Key{}, err
	}
	return scanKey(tx.QueryRowContext(ctx, selectKeys+` WHERE k.id = $1`, storable(id)))
}

const selectKeys = `
	SELECT k.id, k.hash, k.name, COALESCE(k.account, ''), k.lists, k.replaces, k.scopes, k.rate, k.burst, k.concurrency, k.quota, k.networks,
		k.created, COALESCE(u.at, 0), k.expires, k.revoked, COALESCE(a.role, 'admin')
	FROM api_keys k LEFT JOIN key_uses u ON u.api_key = k.id LEFT JOIN accounts a ON a.id = k.account`

// Key returns the key with the ID, or [ErrNotFound].
func (s *Store) Key(ctx context.Context, id string) (key Key, err error) {
	err = s.read(ctx, "read key", func(ctx context.Context, db *sql.DB) error {
		key, err = scanKey(db.QueryRowContext(ctx, selectKeys+` WHERE k.id = $1`, storable(id)))
		return err
	})
	return key, err
}

// Keys returns every key, the revoked ones too, the oldest first.
func (s *Store) Keys(ctx context.Context) (keys []Key, err error) {
	err = s.read(ctx, "read keys", func(ctx context.Context, db *sql.DB) error {
		keys, err = collect(ctx, db, scanKey, selectKeys+` ORDER BY k.created, k.id`)
		return err
	})
	return keys, err
}

// TouchKey queues that a key was used. ID may also be a name for a key that is
// not in the store.
func (s *Store) TouchKey(id string, at time.Time) { s.queue.touch(storable(id), millisOf(at)) }

func checkKey(k *Key) error {
	switch {
	case k.Test != rows.TestID(k.ID):
		return fmt.Errorf("%w: a test key stays one, and no other key becomes one", ErrInvalid)
	case k.Test && k.MonthlyQuota > 0:
		return fmt.Errorf("%w: a test key is not counted, so it has no quota", ErrInvalid)
	case k.RatePerSecond < 0 || k.Burst < 0 || k.Concurrency < 0 || k.MonthlyQuota < 0:
		return fmt.Errorf("%w: a limit of a key is below zero", ErrInvalid)
	case k.RatePerSecond != k.RatePerSecond || k.RatePerSecond > maxRate:
		return fmt.Errorf("%w: the rate of a key is not a number up to %d", ErrInvalid, int(maxRate))
	}
	for _, scope := range k.Scopes {
		if scope != ScopeVerify && scope != ScopeBulk && scope != ScopeUsage {
			return fmt.Errorf("%w: %q is not a scope: use verify, bulk or usage", ErrInvalid, scope)
		}
	}
	return checkText("name of the key", k.Name)
}

// maxRate keeps infinity out of the database.
const maxRate = 1e9

func scanKey(row scanner) (Key, error) {
	var k Key
	var scopes, networks string
	var created, lastUsed, expires, revoked millis
	var role Role // of the account; what is the operator's may all
	if err := row.Scan(&k.ID, (*octets)(&k.Hash), &k.Name, &k.Account, &k.Lists, &k.Replaces, &scopes, &k.RatePerSecond, &k.Burst, &k.Concurrency, &k.MonthlyQuota, &networks,
		&created, &lastUsed, &expires, &revoked, &role); err != nil {
		return Key{}, err
	}
	k.Test, k.Idle = rows.TestID(k.ID), !role.Includes(RoleMember)
	k.Created, k.LastUsed, k.Expires, k.Revoked = created.time(), lastUsed.time(), expires.time(), revoked.time()
	for _, scope := range strings.Fields(scopes) {
		k.Scopes = append(k.Scopes, Scope(scope))
	}
	for _, text := range strings.Fields(networks) {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return Key{}, fmt.Errorf("key %s has a network that cannot be read: %w", k.ID, err)
		}
		k.Networks = append(k.Networks, network)
	}
	return k, nil
}

// joined writes values with spaces between them.
func joined[T Scope | netip.Prefix](values []T) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = fmt.Sprint(value)
	}
	return strings.Join(texts, " ")
}
