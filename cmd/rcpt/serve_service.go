package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

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
		Fingerprint: r.basisNow, Egress: wayOut(config), Timeout: config.Timeout, Log: r.logger,
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

// basisLength is how much of a digest names what verdicts rest on: two that differ never share it.
const basisLength = 16

// basis names what verdicts rest on besides the word of mail hosts, so that one that is remembered is not taken for another's: the program, how deep it
// looks, its rules, and the lists.
func (c *serveCommand) basis(lists string) string {
	digest := sha256.New()
	fmt.Fprintln(digest, version(), c.Level, lists, c.RHSBL)
	for _, path := range c.Rules {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintln(digest, path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(digest.Sum(nil)[:basisLength])
}

// wayOut names how mail hosts see us. Greylisting knows a client by its address and sender.
func wayOut(config engine.Config) string {
	parts := []string{config.HELO, config.MailFrom}
	for _, proxy := range config.Proxies {
		parts = append(parts, proxy.Host)
	}
	for _, ip := range config.SourceIPs {
		parts = append(parts, ip.String())
	}
	return strings.Join(parts, " ")
}

// networkEvery is how often a network that does not work is checked again, also while nobody asks for anything. It is a little more than the minute for which the
// engine does not repeat a check that failed.
const networkEvery = time.Minute + 5*time.Second

// watchNetwork checks the network at start, and then for as long as it does not work, until ctx is cancelled.
func (r *running) watchNetwork(ctx context.Context) {
	again := time.NewTicker(networkEvery)
	defer again.Stop()
	r.verifier.CheckNetwork(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		if r.verifier.Network().Failed() {
			r.verifier.CheckNetwork(ctx)
		}
	}
}

// networkChanged logs once that the network does not work, and once that it works again.
func (r *running) networkChanged(s engine.NetworkStatus) {
	fault := networkError(s)
	text := ""
	if fault != nil {
		text = fault.Error()
	}
	r.mu.Lock()
	before := r.network
	r.network = text
	r.mu.Unlock()
	switch {
	case text == before:
	case fault != nil:
		r.logger.Warn(text)
	default:
		r.logger.Info("the network works again")
	}
	r.logger.Debug("network", slog.String("resolver", string(s.Resolver.State)), slog.String("port", string(s.Port.State)))
}

var errNetworkFails = errors.New("the check of the network fails")

// ready tells why requests cannot be served.
func (r *running) ready(ctx context.Context) error {
	if r.readyNetwork && r.verifier.Network().Failed() {
		return errNetworkFails
	}
	return r.state.ready(ctx)
}

// networkChecks are the checks of the network as the dashboard shows them, but for those that are off.
func networkChecks(s engine.NetworkStatus) []dashboard.NetworkCheck {
	var all []dashboard.NetworkCheck
	for _, c := range []struct {
		name, advice string
		check        engine.Check
	}{
		{"DNS resolver", "Name a DNS server that works with --resolver. Until then no domain is called undeliverable.", s.Resolver},
		{"Port 25", "Ask your hoster to open outgoing TCP port 25, or send through --proxy. Until then mailboxes cannot be checked.", s.Port},
	} {
		if c.check.State == engine.CheckOff {
			continue
		}
		all = append(all, dashboard.NetworkCheck{
			Name: c.name, Tested: c.check.State != engine.CheckUntested, Fault: c.check.Fault, Advice: c.advice, Since: c.check.Since, Checked: c.check.CheckedAt,
		})
	}
	return all
}
