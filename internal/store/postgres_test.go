//go:build unix

package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/store/storetest"
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
