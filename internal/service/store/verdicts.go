package store

import (
	"context"
	"database/sql"
	"time"
)

// maxResult limits the octets of a verdict's Result. Longer ones are dropped
// and counted: such addresses are verified again.
const maxResult = 64 << 10

// clockSlack is how far in the future a check may seem to lie: much more than
// the clocks of nodes differ. A later one was written by a wrong clock, and
// might be believed for years.
const clockSlack = time.Hour

// Verdict is what was found out about an address.
type Verdict struct {
	Result  []byte // JSON of the caller, without the address and quotations of it
	Reason  string
	Checked time.Time
	Expires time.Time // when it is no longer to be believed
}

// Verdict returns what is remembered of the normalised address, queued writes
// included; or [ErrNotFound].
func (s *Store) Verdict(ctx context.Context, address string) (v Verdict, err error) {
	hash := s.addressHash(address)
	if v, ok := s.queue.verdict(hash); ok && s.now().Before(v.Expires) {
		return v, nil
	}
	err = s.read(ctx, "read verdict", func(ctx context.Context, db *sql.DB) error {
		var result string
		var checked, expires millis
		err := db.QueryRowContext(ctx, `SELECT result, reason, checked, expires FROM verdicts WHERE hash = $1 AND expires > $2 AND checked <= $3`,
			octets(hash), millisOf(s.now()), millisOf(s.now().Add(clockSlack))).Scan(&result, &v.Reason, &checked, &expires)
		v.Result, v.Checked, v.Expires = []byte(result), checked.time(), expires.time()
		return err
	})
	return v, err
}

// PutVerdict queues the result for the normalised address, of which a salted
// hash is stored. Of two results the one with the later check stays, unless a
// clock was wrong.
func (s *Store) PutVerdict(address string, v Verdict) {
	v.Result, v.Reason = []byte(storable(string(v.Result))), storable(v.Reason)
	v.Checked, v.Expires = millisOf(v.Checked).time(), millisOf(v.Expires).time()
	s.queue.putVerdict(s.addressHash(address), v)
}

// ForgetVerdicts deletes every verdict, queued ones included, and notifies the
// other nodes by [Versions.Verdicts].
func (s *Store) ForgetVerdicts(ctx context.Context) error {
	s.queue.commit.Lock()
	defer s.queue.commit.Unlock()
	s.queue.dropVerdicts()
	err := s.write(ctx, "forget verdicts", func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM verdicts`); err != nil {
			return err
		}
		return bump(ctx, tx, topicVerdicts)
	})
	s.changed.send(err)
	return err
}
