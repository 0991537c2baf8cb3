package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/rcpt/rcpt/internal/service/store/storetest"
)

// TestPool: behind PgBouncer in transaction mode, an error says what the URL
// lacks; with it everything works, and no setting of ours reaches another
// client of the pool.
func TestPool(t *testing.T) {
	cluster := storetest.Start(t)
	use := func(address string) (err error) {
		s, err := Open(t.Context(), Options{DatabaseURL: address})
		if err != nil {
			return err
		}
		defer s.Close()
		var all sync.WaitGroup
		var mu sync.Mutex
		for range 20 {
			all.Go(func() {
				for range 20 {
					_, created := s.CreateKey(t.Context(), ByCommand("test"), Key{Hash: HashOf(newID("text")), Scopes: []Scope{ScopeVerify}})
					_, read := s.Keys(t.Context())
					mu.Lock()
					err = errors.Join(err, created, read)
					mu.Unlock()
				}
			})
		}
		all.Wait()
		return err
	}
	if err := use(cluster.Pool(t, cluster.Database(t))); err == nil || !strings.Contains(err.Error(), "default_query_exec_mode=exec") || !errors.Is(err, ErrUnavailable) {
		t.Errorf("without the setting: %.300v", err)
	}
	address := cluster.Pool(t, cluster.Database(t)) + "&default_query_exec_mode=exec"
	check(t, use(address))

	s := open(t, Options{DatabaseURL: address})
	var limit string
	check(t, s.write(t.Context(), "test", func(ctx context.Context, tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `SHOW idle_in_transaction_session_timeout`).Scan(&limit)
	}))
	if limit != "5s" {
		t.Errorf("a transaction may stand still for %s", limit)
	}
	other, err := sql.Open("pgx", address)
	check(t, err)
	defer other.Close()
	for range 20 {
		check(t, other.QueryRowContext(t.Context(), `SHOW idle_in_transaction_session_timeout`).Scan(&limit))
		if limit != "0" {
			t.Fatalf("another client of the pool has %s", limit)
		}
	}
}
