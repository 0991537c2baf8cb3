package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/server"
	"github.com/rcpt/rcpt/server/dashboard"
	"github.com/rcpt/rcpt/server/verdictcache"
)

// service is what "rcpt serve" and "rcpt demo" have in common.
type service struct {
	listener net.Listener // closed at the end
	engine   engine.Config
	requests *slog.Logger              // of the server; nil: that of the engine
	lists    *listupdate.Watch         // nil: the lists stay as they are
	basis    func(lists string) string // names what verdicts rest on, with these lists; nil: nothing that changes
	state    *serviceState
	remember int // results; 0: nothing is kept of any
	metrics  metricsFlag
	site     siteFlags
	details  bool
	// readyNetwork makes the server unready while the check of the network fails.
	readyNetwork bool
	example      string // the address in the command line to try
	samples      []dashboard.Sample
}

// running is a service at work.
type running struct {
	service
	logger   *slog.Logger
	figures  *figures
	watcher  *watcher
	verifier *engine.Verifier
	cache    *verdictcache.Cache
	front    *server.Server
	pages    *dashboard.Dashboard // nil: there are none

	mu      sync.Mutex
	rest    string // what verdicts rest on at present
	network string // why it does not work, as it was last logged; empty: it works, or that is not known
}

// run tells on w where it listens, and serves until ctx is cancelled.
func (s service) run(ctx context.Context, w io.Writer) error {
	defer s.listener.Close()
	r := &running{service: s, logger: s.engine.Logger, watcher: newWatcher()}
	if s.lists != nil {
		r.rest = s.basis(s.lists.Digest())
	}
	if err := r.build(); err != nil {
		return errors.Join(err, r.close())
	}
	hide, err := s.metrics.start(w, r.figures.metrics.Handler())
	if err != nil {
		return errors.Join(err, r.close())
	}
	stop := r.background(ctx)
	greet(w, s.listener.Addr(), s.state.key, s.example)
	if link := r.setupURL(ctx); link != "" {
		fmt.Fprintf(w, "Make an account for the dashboard, once and within a day: %s\n", link)
	}
	err = r.front.Serve(ctx, s.listener)
	stop()
	hide()
	return errors.Join(err, r.close())
}

// build makes the parts, from the engine to the server.
func (r *running) build() error {
	var err error
	if r.figures, err = r.newFigures(); err != nil {
		return err
	}
	config := r.engine
	config.Logger, config.Hooks = quietly(r.logger), r.watcher.hooks(r.figures.metrics.Hooks()) // the server logs each verification with its request
	config.Hooks.Network = r.networkChanged
	if r.verifier, err = engine.New(config); err != nil {
		return err
	}
	r.watcher.names(r.verifier.Resolvers())
	if r.cache, err = verdictcache.New(verdictcache.Config{
		Engine: r.verifier, Store: r.state.store, Entries: r.remember, KeepNothing: r.remember == 0,
		Basis: r.basisNow, Egress: wayOut(config), Timeout: config.Timeout, Log: r.logger,
	}); err != nil {
		return err
	}
	if err := r.addPages(); err != nil {
		return err
	}
	var usage server.UsageStore
	var pages http.Handler
	if r.state.store != nil {
		usage, pages = r.state.store, r.pages.Handler()
	}
	r.front, err = server.New(server.Config{
		Verifier: r.cache, Usage: usage, Pages: pages, PublicURL: string(r.site.PublicURL), Keys: r.state.keys, Record: r.state.record, Ready: r.ready,
		Details: r.details, Timeout: config.Timeout, Logger: cmp.Or(r.requests, r.logger), Hooks: r.hooks(), TrustedProxies: prefixes(r.site.TrustedProxy),
	})
	return err
}

// background asks again about greylisted addresses, looks after the network and keeps the lists up to date, until it is told to stop.
func (r *running) background(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { r.cache.Run(ctx) })
	work.Go(func() { r.watchNetwork(ctx) })
	if r.lists != nil {
		work.Go(func() { r.lists.Run(ctx, func(l *lists.Lists) { r.use(ctx, l) }) })
	}
	return func() {
		cancel()
		work.Wait()
	}
}

// use takes up other lists. Verdicts that rest on those before are forgotten.
func (r *running) use(ctx context.Context, l *lists.Lists) {
	r.verifier.SetLists(l)
	r.mu.Lock()
	r.rest = r.basis(r.lists.Digest())
	r.mu.Unlock()
	if err := r.cache.Forget(ctx); err != nil {
		r.logger.Error("verdicts that rest on the lists from before stay stored until they expire; they are not used", slog.String("error", err.Error()))
	}
}

func (r *running) basisNow() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rest
}

// close frees what build has made, as far as it came.
func (r *running) close() error {
	var err error
	if r.cache != nil {
		err = r.cache.Close()
	}
	if r.verifier != nil {
		err = errors.Join(err, r.verifier.Close())
	}
	if err != nil {
		return fmt.Errorf("closing: %w", err)
	}
	return nil
}
