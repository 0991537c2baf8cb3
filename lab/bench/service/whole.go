package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/metrics"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/verdictcache"
	"github.com/rcpt/rcpt/internal/sys/linebuffer"
)

// logName is the log in the folder of the state.
const logName = "log"

// Prepare makes a store with so many keys in the folder, and returns one of
// them. Each has a rate limit and a quota that no load reaches.
func Prepare(ctx context.Context, folder string, keys int) (text string, err error) {
	s, err := store.Open(ctx, store.Options{DataDir: folder})
	if err != nil {
		return "", err
	}
	for n := range keys {
		if text, _, err = keyring.NewKey(ctx, s, store.ByCommand("bench"), store.Key{
			Name: fmt.Sprint("key ", n), Scopes: []store.Scope{store.ScopeVerify},
			RatePerSecond: 1e6, Burst: 1e6, MonthlyQuota: 1e9,
		}); err != nil {
			return "", errors.Join(err, s.Close())
		}
	}
	return text, s.Close()
}

// whole is the parts of rcpt serve.
type whole struct {
	store    *store.Store
	keys     *keyring.Keyring
	verifier *engine.Verifier
	cache    *verdictcache.Cache
	front    *api.Server
}

// serveWhole serves with keys, limits, quotas, usage, remembered verdicts,
// metrics and a log in the folder of the order.
func serveWhole(ctx context.Context, listener net.Listener, order Order) error {
	log, err := os.OpenFile(filepath.Join(order.State, logName), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	var w whole
	requests := linebuffer.New(log)
	defer requests.Flush()
	if err := w.open(ctx, order, slog.New(slog.NewTextHandler(requests, nil))); err != nil {
		return errors.Join(err, w.close())
	}
	background, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.cache.Run(background)
	}()
	err = w.front.Serve(ctx, listener)
	stop()
	<-ended
	return errors.Join(err, w.close())
}

func (w *whole) open(ctx context.Context, order Order, log *slog.Logger) (err error) {
	if w.store, err = store.Open(ctx, store.Options{DataDir: order.State, Log: log}); err != nil {
		return err
	}
	if w.keys, err = keyring.Open(ctx, keyring.Config{Store: w.store, Log: log}); err != nil {
		return err
	}
	figures, err := metrics.New(metrics.Config{Routes: api.Routes(), Log: log})
	if err != nil {
		return err
	}
	config := engineFor(order.Setting)
	config.Hooks = figures.Hooks()
	if w.verifier, err = engine.New(config); err != nil {
		return err
	}
	cached := verdictcache.Config{Engine: w.verifier, Store: w.store, Entries: remembered, Log: log}
	if w.cache, err = verdictcache.New(cached); err != nil {
		return err
	}
	w.front, err = api.New(api.Config{
		Verifier: w.cache, Keys: w.keys, Record: w.store.RecordUse, Logger: log,
		Hooks: api.Hooks{Answered: figures.Request, Verified: figures.Verified, Refused: figures.Refused},
	})
	return err
}

// close frees what open has made, as far as it came.
func (w *whole) close() (err error) {
	if w.cache != nil {
		err = w.cache.Close()
	}
	if w.verifier != nil {
		err = errors.Join(err, w.verifier.Close())
	}
	if w.keys != nil {
		err = errors.Join(err, w.keys.Close())
	}
	if w.store != nil {
		err = errors.Join(err, w.store.Close())
	}
	return err
}
