package api_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/metrics"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/verdictcache"
)

// BenchmarkWhole is BenchmarkRemembered with all that "rcpt serve" has: a key
// with limits and a quota, usage, metrics and a log to a file.
func BenchmarkWhole(b *testing.B) {
	fatal := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	folder := b.TempDir()
	state, err := store.Open(b.Context(), store.Options{DataDir: folder})
	fatal(err)
	defer state.Close()
	text, _, err := keyring.NewKey(b.Context(), state, store.ByCommand("test"), store.Key{
		Scopes: []store.Scope{store.ScopeVerify}, RatePerSecond: 1e6, Burst: 1e6, MonthlyQuota: 1e12,
	})
	fatal(err)
	keys, err := keyring.Open(b.Context(), keyring.Config{Store: state})
	fatal(err)
	defer keys.Close()
	log, err := os.Create(filepath.Join(folder, "log"))
	fatal(err)
	defer log.Close()
	cache, err := verdictcache.New(verdictcache.Config{Engine: &grouping{verifierFunc: func(_ context.Context, address string) (rcpt.Result, error) {
		return deliverable(address), nil
	}}, Store: state})
	fatal(err)
	defer cache.Close()
	figures, err := metrics.New(metrics.Config{Routes: api.Routes()})
	fatal(err)
	s, err := api.New(api.Config{
		Verifier: cache, Keys: keys, Record: state.RecordUse, Logger: slog.New(slog.NewTextHandler(log, nil)),
		Hooks: api.Hooks{Answered: figures.Request, Verified: figures.Verified, Refused: figures.Refused},
	})
	fatal(err)
	askAgain(b, s, text)
}

func deliverable(address string) rcpt.Result {
	return rcpt.Result{
		Email: address, Local: "alice", Domain: "example.com", Verdict: rcpt.VerdictDeliverable,
		Message: "The mail host takes mail for this mailbox and refuses unknown ones.",
		Reason:  rcpt.ReasonRecipientAccepted, CheckedAt: time.Now().UTC(), Details: &rcpt.Details{CatchAll: rcpt.CatchAllNo},
	}
}
