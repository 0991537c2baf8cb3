//go:build unix

package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rcpt/rcpt/internal/service/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestDatabaseIsRestarted takes the database away under load and brings it
// back: calls succeed or are [ErrUnavailable], nothing that was acknowledged is
// lost, and what was queued is stored in the end.
func TestDatabaseIsRestarted(t *testing.T) {
	cluster := storetest.Start(t)
	s := open(t, Options{DatabaseURL: cluster.Database(t)})
	ctx, cancel := context.WithCancel(t.Context())
	var reserved, uses, refused atomic.Int64
	var callers sync.WaitGroup
	at := time.Now()
	for range 4 {
		callers.Go(func() {
			for ctx.Err() == nil {
				r, err := s.ReserveQuota(context.Background(), "key", at, 1, 1<<40)
				switch {
				case err == nil:
					reserved.Add(r.Units)
				case errors.Is(err, ErrUnavailable):
					refused.Add(1)
				default:
					t.Errorf("while the database is restarted: %v", err)
				}
				s.RecordUse(Use{Key: "key", At: at})
				uses.Add(1)
			}
		})
	}
	testkit.Eventually(t, "quota is reserved", func() bool { return reserved.Load() > 20 })
	cluster.Halt()
	testkit.Eventually(t, "callers are refused", func() bool { return refused.Load() > 20 })
	if err := s.Ping(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("ping: %v", err)
	}
	check(t, cluster.Resume())
	before := reserved.Load()
	testkit.Eventually(t, "quota is reserved again", func() bool { return reserved.Load() > before+20 })
	cancel()
	callers.Wait()

	check(t, s.Flush(t.Context()))
	used, err := s.QuotaUsed(t.Context(), "key", at)
	check(t, err)
	if used < reserved.Load() {
		t.Errorf("%d units are stored, %d were granted", used, reserved.Load())
	}
	rows, err := s.Usage(t.Context(), UsageQuery{})
	check(t, err)
	counted := int64(0)
	for _, row := range rows {
		counted += row.Count
	}
	if counted < uses.Load() {
		t.Errorf("%d uses are stored of %d", counted, uses.Load())
	}
	t.Logf("%d units, stored %d; %d uses, stored %d; refused %d", reserved.Load(), used, uses.Load(), counted, refused.Load())
}

func TestReadOnlyDatabase(t *testing.T) {
	o := postgresEngine.empty(t)
	check(t, open(t, o).Close())
	o.DatabaseURL += "&default_transaction_read_only=on"
	_, err := Open(t.Context(), o)
	if !errors.Is(err, ErrUnavailable) {
		t.Errorf("a standby: %v", err)
	}
}

// TestAbandonedTransaction: a server that stands still within a transaction
// does not hold the others up. The database ends the transaction, and the
// server gets an error that says so.
func TestAbandonedTransaction(t *testing.T) {
	o := postgresEngine.empty(t)
	still := open(t, Options{DatabaseURL: o.DatabaseURL + "&idle_in_transaction_session_timeout=100"})
	s := open(t, o)
	join(t, s, "one")
	j := someJob(t, s, "acme")
	leased := lease(t, s, BatchQuery{Job: j.ID, Node: "one", Limit: 1})
	err := still.write(t.Context(), "test", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE jobs SET done = 0 WHERE id = $1`, j.ID)
		check(t, err)
		if lost := settle(t, s, "one", settled(leased[0])); lost[0] {
			t.Error("the lease is lost")
		}
		_, err = tx.ExecContext(ctx, `UPDATE jobs SET done = 0 WHERE id = $1`, j.ID)
		return err
	})
	wantError(t, err, ErrUnavailable)
	if after, err := s.Job(t.Context(), j.ID); err != nil || after.Done != int64(leased[0].Addresses) {
		t.Errorf("%+v, %v", after, err)
	}
	check(t, still.Ping(t.Context()))
}

// TestEndedTransaction: callers try again if the database ended a transaction.
func TestEndedTransaction(t *testing.T) {
	kind, err := explainPostgres("database", &pgconn.PgError{Code: "25P03"})
	if kind != ErrUnavailable || !strings.Contains(err.Error(), "stood still") {
		t.Errorf("%v: %v", kind, err)
	}
}

// TestTransactionsMayNotStandStill: so it is on each connection.
func TestTransactionsMayNotStandStill(t *testing.T) {
	s := open(t, postgresEngine.empty(t))
	for range 3 {
		conn, err := s.db.writer.Conn(t.Context())
		check(t, err)
		defer conn.Close()
		var limit string
		check(t, conn.QueryRowContext(t.Context(), `SHOW idle_in_transaction_session_timeout`).Scan(&limit))
		if limit != "5s" {
			t.Errorf("a transaction may stand still for %s", limit)
		}
	}
}
