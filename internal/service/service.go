package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/internal/service/alert"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/verdictcache"
	"github.com/rcpt/rcpt/internal/service/web/dashboard"
	"github.com/rcpt/rcpt/internal/service/webhook"
	"github.com/rcpt/rcpt/internal/sys/listen"
	"github.com/rcpt/rcpt/internal/sys/quietlog"
	"github.com/rcpt/rcpt/lists"
)

// running is a service that was started.
type running struct {
	Config
	state    *state
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

	fault atomic.Value // headway.Fault of the network
}

// Run serves until ctx is canceled. It prints the address of the server, and
// for a database without accounts a link to create the first one.
func Run(ctx context.Context, c Config) error {
	defer c.Listener.Close()
	state, err := openState(ctx, c)
	if err != nil {
		if ctx.Err() != nil {
			return nil // interrupted before the service started
		}
		return err
	}
	c.Engine.ControlSecret = state.controlSecret(c)
	return errors.Join(c.run(ctx, state), state.close())
}

// run serves with a state until ctx is canceled.
func (c Config) run(ctx context.Context, state *state) error {
	url := "http://" + listen.Reachable(c.Listener.Addr())
	if c.Certificates != nil {
		url = c.Certificates.URL(c.Listener.Addr())
		stop, err := c.encrypt(url)
		if err != nil {
			return err
		}
		defer stop()
	}
	r := &running{
		Config: c, state: state, logger: c.Engine.Logger, watcher: newWatcher(), changed: make(chan struct{}, 1),
	}
	if c.Lists != nil {
		r.rules = c.Fingerprint(c.Lists.Digest())
	}
	if err := r.build(); err != nil {
		return errors.Join(err, r.close())
	}
	return errors.Join(r.serve(ctx, url), r.close())
}

// encrypt makes the service speak TLS at a URL. It answers the challenges of
// the certificate authority until stop is called.
func (c *Config) encrypt(url string) (stop func(), err error) {
	c.PublicURL = cmp.Or(c.PublicURL, url)
	return c.Certificates.Answer()
}

// serve announces this node, starts the work in the background, prints where
// the server is, and serves.
func (r *running) serve(ctx context.Context, url string) error {
	hide, err := r.serveMetrics()
	if err != nil {
		return err
	}
	defer hide()
	if r.jobs != nil { // before lists arrive
		if err := r.jobs.Join(ctx); err != nil {
			return err
		}
	}
	stop := r.background(ctx)
	defer stop()
	r.greet(url)
	if link := r.setupURL(ctx); link != "" {
		fmt.Fprintf(r.Out, "Create an account for the dashboard (once, within a day): %s\n", link)
	}
	return r.server.Serve(ctx, r.Listener)
}

// greet prints the URL of the server, and a request to try. It shows a key that
// was generated for this run, but not one that the user set.
func (r *running) greet(url string) {
	fmt.Fprintf(r.Out, "rcpt listens on %s\n", url)
	key, header := r.state.key, "$"+keyring.FixedVariable
	switch {
	case key.Generated:
		header = key.Secret
		const format = "The key for this run is %s (set %s to choose one, or create keys with rcpt keys create).\n"
		fmt.Fprintf(r.Out, format, key.Secret, keyring.FixedVariable)
	case key.Secret == "":
		header = "YOUR-KEY"
	}
	const format = "Try: curl -H \"X-API-Key: %s\" '%s/api/v1/verify?email=%s&details=1'\n"
	fmt.Fprintf(r.Out, format, header, url, r.Example)
}

// build creates the parts, from the engine to the server.
func (r *running) build() error {
	var err error
	if r.figures, err = r.newFigures(); err != nil {
		return err
	}
	config := r.Engine
	// The server logs each verification with its request.
	config.Logger, config.Hooks = quietlog.New(r.logger), r.watcher.hooks(r.figures.metrics.Hooks())
	config.Hooks.Network = r.networkChanged
	config.PaceMemory = r.state.paceMemory(context.Background(), config, r.logger)
	if r.verifier, err = engine.New(config); err != nil {
		return err
	}
	r.watcher.addResolvers(r.verifier.Resolvers())
	if r.cache, err = verdictcache.New(verdictcache.Config{
		Engine: r.verifier, Store: r.state.store, Entries: r.Remember, KeepNothing: r.Remember == 0,
		Keep: r.Store.Retention.Results, RecheckFor: r.Store.Retention.Rechecks,
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
		Pages: pages, PublicURL: r.PublicURL, Keys: r.state.keys,
		Record: r.state.record, Ready: r.ready, Jobs: r.jobs,
		Details: r.Details, Timeout: config.Timeout, Logger: r.requests(), Hooks: r.hooks(),
		TrustedProxies: r.TrustedProxies, TLS: r.Certificates.TLS(), Mails: r.mailer() != nil,
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
	if r.Certificates != nil {
		go r.Certificates.Fetch(ctx) // it may wait for the certificate authority for minutes
	}
	if r.state.store != nil {
		work.Go(func() { r.keepPace(ctx) })
		work.Go(func() { r.newSender().Run(ctx) })
		work.Go(func() { r.jobs.Run(ctx) })
	}
	if r.Egresses != nil {
		work.Go(func() { r.reloadEgresses(ctx) })
	}
	if r.Lists != nil {
		work.Go(func() { r.Lists.Run(ctx, func(l *lists.Lists) { r.use(ctx, l) }) })
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
	r.rules = r.Fingerprint(r.Lists.Digest())
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

// addJobs creates what verifies lists in the background, where there is a
// database.
func (r *running) addJobs(config engine.Config) (err error) {
	if r.state.store == nil {
		return nil
	}
	r.jobs, err = jobs.New(jobs.Config{
		Store: r.state.store, Verifier: r.verifier, Lists: r.verifier.Lists,
		Egress: egressIdentity(config), Record: r.state.record,
		TempDir: r.state.folder, Lease: r.Lease, Log: r.logger,
		Pacing: r.verifier.Pacing, Paced: r.verifier.Paced, Network: r.networkFault,
		Limits: jobs.Limits{Stored: r.ListSpace << 30}, Keep: r.Store.Retention.Lists,
	})
	return err
}

// listsFault returns why this server does not work on lists, or nil.
func (r *running) listsFault() error {
	if r.jobs == nil {
		return nil
	}
	return r.jobs.Fault()
}

// newSender returns what sends the webhooks of the database.
func (r *running) newSender() *webhook.Sender {
	return webhook.New(webhook.Config{
		Store: r.state.store, AllowNets: r.WebhookNets, UserAgent: "rcpt/" + r.Version, Log: r.logger,
		Mailer: r.mailer(), PublicURL: r.PublicURL,
	})
}

// mailer is the relay of the alerts, which sends the mails about lists, too;
// nil: there is none.
func (r *running) mailer() webhook.Mailer {
	for _, sender := range r.Alerts {
		if mail, is := sender.(*alert.Mail); is {
			return mail
		}
	}
	return nil
}
