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
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/internal/service/alert"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/verdictcache"
	"github.com/rcpt/rcpt/internal/service/web/dashboard"
	"github.com/rcpt/rcpt/lists"
)

// service is the common part of "rcpt serve" and "rcpt demo".
type service struct {
	listener     net.Listener // run closes it
	engine       engine.Config
	requests     *slog.Logger              // logger of the server; nil: that of the engine
	lists        *listupdate.Watch         // nil: the lists do not change
	fingerprint  func(lists string) string // identifies the rules with these lists; nil: the rules do not change
	state        *serviceState
	remember     int // number of cached results; 0: no cache
	metrics      metricsFlag
	site         siteFlags
	webhookNets  []netip.Prefix // that webhooks may be sent to although they are not public
	lease        time.Duration  // of this node's share of lists; 0: the usual one
	listSpace    int64          // GiB that the stored lists of an owner may take; 0: the usual ones
	details      bool
	certificates *certifier // nil: the server does not speak TLS
	// readyNetwork makes the server not ready while the check of the network
	// fails.
	readyNetwork bool
	alerts       []alert.Sender // of messages about problems
	egressReload *egressReload  // nil: the egresses do not change
	example      string         // address of the request to try
	samples      []dashboard.Sample
}

// running is a service that was started.
type running struct {
	service
	logger   *slog.Logger
	figures  *figures
	watcher  *watcher
	verifier *engine.Verifier
	cache    *verdictcache.Cache
	server   *api.Server
	jobs     *jobs.Manager                 // nil: there is no database
	pages    *dashboard.Dashboard          // nil: there is no dashboard
	report   atomic.Pointer[doctor.Report] // the last examination of the network; nil: none yet

	storing sync.Mutex
	stored  map[string][]byte // pauses and budgets by egress, as stored

	changed chan struct{} // the state of the network has changed

	mu      sync.Mutex
	rules   string // present fingerprint
	network string // fault that was logged last; empty: the network works, or was not checked
}

// run prints the address to w, and serves until ctx is canceled.
func (s service) run(ctx context.Context, w io.Writer) error {
	defer s.listener.Close()
	if s.certificates != nil {
		stop, err := s.encrypt()
		if err != nil {
			return err
		}
		defer stop()
	}
	r := &running{service: s, logger: s.engine.Logger, watcher: newWatcher(), changed: make(chan struct{}, 1)}
	if s.lists != nil {
		r.rules = s.fingerprint(s.lists.Digest())
	}
	if err := r.build(); err != nil {
		return errors.Join(err, r.close())
	}
	hide, err := s.metrics.start(w, r.figures.metrics.Handler(), r.healthHandler())
	if err != nil {
		return errors.Join(err, r.close())
	}
	if err := r.joinJobs(ctx); err != nil {
		hide()
		return errors.Join(err, r.close())
	}
	stop := r.background(ctx)
	url := "http://" + reachable(s.listener.Addr())
	if s.certificates != nil {
		url = string(s.certificates.url(s.listener.Addr()))
	}
	printGreeting(w, url, s.state.key, s.example)
	if link := r.setupURL(ctx); link != "" {
		fmt.Fprintf(w, "Create an account for the dashboard (once, within a day): %s\n", link)
	}
	err = r.server.Serve(ctx, s.listener)
	stop()
	hide()
	return errors.Join(err, r.close())
}

// encrypt makes the service speak TLS. It answers the challenges of the
// certificate authority until stop is called.
func (s *service) encrypt() (stop func(), err error) {
	s.site.PublicURL = cmp.Or(s.site.PublicURL, s.certificates.url(s.listener.Addr()))
	s.listener = s.certificates.listener(s.listener)
	return s.certificates.answer()
}

// build creates the parts, from the engine to the server.
func (r *running) build() error {
	var err error
	if r.figures, err = r.newFigures(); err != nil {
		return err
	}
	config := r.engine
	// The server logs each verification with its request.
	config.Logger, config.Hooks = quietly(r.logger), r.watcher.hooks(r.figures.metrics.Hooks())
	config.Hooks.Network = r.networkChanged
	config.PaceMemory = r.state.paceMemory(context.Background(), config, r.logger)
	if r.verifier, err = engine.New(config); err != nil {
		return err
	}
	r.watcher.addResolvers(r.verifier.Resolvers())
	if r.cache, err = verdictcache.New(verdictcache.Config{
		Engine: r.verifier, Store: r.state.store, Entries: r.remember, KeepNothing: r.remember == 0,
		Fingerprint: r.fingerprintNow, Egress: egressIdentity(config), Timeout: config.Timeout, Log: r.logger,
	}); err != nil {
		return err
	}
	if err := r.addJobs(config); err != nil {
		return err
	}
	if err := r.addPages(); err != nil {
		return err
	}
	var usage api.UsageStore
	var webhooks api.WebhookStore
	var pages http.Handler
	if r.state.store != nil {
		usage, webhooks, pages = r.state.store, r.state.store, r.pages.Handler()
	}
	r.server, err = api.New(api.Config{
		Verifier: r.cache, Usage: usage, Webhooks: webhooks,
		Pages: pages, PublicURL: string(r.site.PublicURL), Keys: r.state.keys,
		Record: r.state.record, Ready: r.ready, Jobs: r.jobs,
		Details: r.details, Timeout: config.Timeout, Logger: cmp.Or(r.requests, r.logger), Hooks: r.hooks(),
		TrustedProxies: prefixes(r.site.TrustedProxy),
	})
	return err
}

// background rechecks greylisted addresses, checks the network, sends webhooks
// and updates the lists, until stop is called.
func (r *running) background(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { r.cache.Run(ctx) })
	work.Go(func() { r.watchNetwork(ctx) })
	work.Go(func() { r.examine(ctx) })
	work.Go(func() { r.alert(ctx) })
	if r.certificates != nil {
		go r.certificates.fetch(ctx) // it may wait for the certificate authority for minutes
	}
	if r.state.store != nil {
		work.Go(func() { r.keepPace(ctx) })
		work.Go(func() { r.newSender().Run(ctx) })
		work.Go(func() { r.jobs.Run(ctx) })
	}
	if r.egressReload != nil {
		work.Go(func() { r.reloadEgresses(ctx) })
	}
	if r.lists != nil {
		work.Go(func() { r.lists.Run(ctx, func(l *lists.Lists) { r.use(ctx, l) }) })
	}
	return func() {
		cancel()
		work.Wait()
	}
}

// use switches to other lists, and removes the results that depend on the lists
// before.
func (r *running) use(ctx context.Context, l *lists.Lists) {
	r.verifier.SetLists(l)
	r.mu.Lock()
	r.rules = r.fingerprint(r.lists.Digest())
	r.mu.Unlock()
	if err := r.cache.Forget(ctx); err != nil {
		r.logger.Error("cannot remove the results of earlier lists, which are not used",
			slog.String("error", err.Error()))
	}
}

func (r *running) fingerprintNow() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rules
}

// close closes the parts that build created.
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

// fingerprintLength is how many octets of the digest a fingerprint has.
const fingerprintLength = 16

// fingerprint identifies what results depend on besides the replies of mail
// hosts: the version, the level, the lists and the rules. Cached results with
// another fingerprint are not used.
func (c *serveCommand) fingerprint(lists string) string {
	digest := sha256.New()
	fmt.Fprintln(digest, version(), c.Level, lists, c.RHSBL)
	for _, path := range c.Rules {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintln(digest, path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(digest.Sum(nil)[:fingerprintLength])
}

// egressIdentity identifies us to mail hosts: greylisting knows a client by its
// address and sender.
func egressIdentity(config engine.Config) string {
	parts := []string{config.HELO, config.MailFrom}
	for _, proxy := range config.Proxies {
		parts = append(parts, proxy.Host)
	}
	for _, ip := range config.SourceIPs {
		parts = append(parts, ip.String())
	}
	for _, e := range config.Egresses {
		parts = append(parts, e.Name)
	}
	return strings.Join(parts, " ")
}

// networkEvery is how often a network that does not work is checked again, even
// without requests. It is a little more than the minute for which the engine
// does not repeat a failed check.
const networkEvery = time.Minute + 5*time.Second

// watchNetwork checks the network at start, and again as long as it does not
// work, until ctx is canceled.
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
		if networkError(r.verifier.Network()) != nil {
			r.verifier.CheckNetwork(ctx)
		}
	}
}

// networkChanged logs once when the network stops working, and once when it
// works again.
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
	r.alertSoon()
	r.logger.Debug("network", slog.String("resolver", string(s.Resolver.State)),
		slog.String("port", string(s.Port.State)))
}

var errNetworkFails = errors.New("the check of the network fails")

// ready returns why requests cannot be served, or nil.
func (r *running) ready(ctx context.Context) error {
	if r.readyNetwork && networkError(r.verifier.Network()) != nil {
		return errNetworkFails
	}
	if err := r.listsFault(); err != nil {
		return err
	}
	return r.state.ready(ctx)
}

// networkChecks returns the checks of the network for the dashboard, without
// those that are off.
func networkChecks(s engine.NetworkStatus) []dashboard.NetworkCheck {
	var all []dashboard.NetworkCheck
	for _, c := range []struct {
		name, advice string
		check        engine.Check
	}{
		{"DNS resolver", "Name a working DNS server with --resolver. Until then no domain is undeliverable.",
			s.Resolver},
		{
			"Port 25",
			"Ask your hoster to open outgoing port 25, or use --proxy. Until then no mailbox is verified.",
			s.Port,
		},
	} {
		if c.check.State == engine.CheckOff {
			continue
		}
		all = append(all, dashboard.NetworkCheck{
			Name: c.name, Tested: c.check.State != engine.CheckUntested, Fault: c.check.Fault, Advice: c.advice,
			Since: c.check.Since, Checked: c.check.CheckedAt,
		})
	}
	return all
}
