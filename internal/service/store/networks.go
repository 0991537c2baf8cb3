package store

import (
	"context"
	"database/sql"
)

// maxNetworks limits the networks of an account: more than a person uses.
const maxNetworks = 100

// RememberNetwork stores that an account has signed in from a network, of which
// a salted hash is stored. [ErrNotFound]: there is no such account.
func (s *Store) RememberNetwork(ctx context.Context, account, network string) error {
	return s.write(ctx, "remember network", func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO networks (account, network, at) VALUES ($1, $2, $3)
			ON CONFLICT (account, network) DO UPDATE SET at = excluded.at`,
			account, octets(s.networkHash(network)), millisOf(s.now())); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			DELETE FROM networks WHERE account = $1 AND network NOT IN (
				SELECT network FROM networks WHERE account = $1 ORDER BY at DESC, network LIMIT $2)`,
			account, maxNetworks)
		return err
	})
}

// KnowsNetwork reports whether the account with the login, in any case, has
// signed in from the network.
func (s *Store) KnowsNetwork(ctx context.Context, login, network string) (known bool, err error) {
	err = s.read(ctx, "read networks", func(ctx context.Context, db *sql.DB) error {
		var count int
		err := db.QueryRowContext(ctx, `
			SELECT COUNT(*) FROM networks n JOIN accounts a ON a.id = n.account WHERE a.login IN ($1, $3) AND n.network = $2`,
			storable(loginOf(login)), octets(s.networkHash(network)), storable(unformedLogin(login))).Scan(&count)
		known = count > 0
		return err
	})
	return known, err
}

func (s *Store) networkHash(network string) Hash { return s.addressHash("network " + network) }
