package service

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard"
	"github.com/rcpt/rcpt/internal/sys/listen"
)

// addPages creates the dashboard, if there is a database for its accounts.
func (r *running) addPages() error {
	if r.state.store == nil {
		return nil
	}
	var err error
	r.pages, err = dashboard.New(dashboard.Config{
		Store: r.state.store, Keys: r.state.keys, Check: r.check, Health: r.health, Samples: r.Samples,
		Lists: r.jobs, Mails: r.mailer() != nil, Asker: r.asker(), FixedKey: keyring.FixedIDOf(r.state.key.Secret),
		Proxy: r.SignInProxy, PublicURL: r.PublicURL, TrustForwardedProto: len(r.TrustedProxies) > 0,
		Client: func(q *http.Request) netip.Addr { return r.server.ClientAddr(q) }, Log: r.logger,
	})
	return err
}

// asker is who asks mail hosts, if they may know whom to write to.
func (r *running) asker() *dashboard.Asker {
	if r.Contact == "" {
		return nil
	}
	return &dashboard.Asker{Name: r.Engine.HELO, MailFrom: r.Engine.MailFrom, Contact: r.Contact}
}

// check verifies an address for the dashboard, which shows the dialogue and
// therefore needs a fresh result.
func (r *running) check(ctx context.Context, address string) (rcpt.Result, error) {
	started := time.Now()
	result, err := r.cache.VerifyWith(ctx, address, engine.VerifyOptions{Fresh: true})
	if err == nil && !result.Reason.Failed() {
		r.state.record(store.Use{
			Key: dashboard.KeyID, At: started, Result: string(result.Verdict), Reason: string(result.Reason),
			Duration: time.Since(started),
		})
	}
	return result, err
}

// health returns the state of the service.
func (r *running) health(context.Context) dashboard.Health {
	load, memory := r.server.Load(), r.cache.Stats()
	blocks, resolvers, shed := r.watcher.seen()
	h := dashboard.Health{
		Checks: r.checks(), Version: r.Version, Egresses: egressRows(r.verifier.Egresses()),
		Queue: &dashboard.Queue{Running: load.Running, Waiting: load.Waiting, Shed: shed},
	}
	if peer, since := r.server.NotTrusted(); peer.IsValid() {
		h.Checks = append(h.Checks, dashboard.NetworkCheck{
			Name: "Reverse proxy", Tested: true, Since: since, Checked: since,
			Fault:  "X-Forwarded-For came from " + peer.String() + ", which is not in --trusted-proxy.",
			Advice: "If that is your reverse proxy, name it there: until then all of its clients count as one.",
		})
	}
	h.Examination = examinationOf(r.report.Load(), r.verifier.Network())
	checked, unknown, mostly := r.watcher.lastHour()
	h.Hour = &dashboard.Hour{Checked: checked, Unknown: unknown, Mostly: mostly}
	if r.Remember > 0 {
		hits := memory.FromMemory + memory.FromStore
		h.Cache = &dashboard.Cache{Entries: int64(memory.Entries), Asked: hits + memory.Missed, Found: hits}
	}
	if r.Engine.Level == engine.LevelSMTP {
		h.Preset, h.Pace = string(r.Engine.Pace.WithDefaults().Preset), paceRows(r.verifier.Pacing())
	}
	for _, b := range blocks {
		h.Blocks = append(h.Blocks, dashboard.Block{
			Provider: b.provider, Count: b.count, Last: b.last, Reply: b.reply, Cause: b.cause, Do: b.do,
		})
	}
	for _, s := range resolvers {
		h.Resolvers = append(h.Resolvers,
			dashboard.Resolver{Server: s.server, LastAnswer: s.lastAnswer, Fault: s.fault})
	}
	return h
}

// setupURL returns a link with which the first account can be created, or "" if
// there is an account or no dashboard.
func (r *running) setupURL(ctx context.Context) string {
	if r.pages == nil {
		return ""
	}
	base := r.PublicURL
	if base == "" {
		base = "http://" + listen.Reachable(r.Listener.Addr())
	}
	link, err := r.pages.SetupURL(ctx, strings.TrimSuffix(base, "/"))
	if err != nil {
		r.logger.Error("cannot create a link for the first account", "error", err)
		return ""
	}
	return link
}

// checks are those of the network, and one of the lists if they stand still.
func (r *running) checks() []dashboard.NetworkCheck {
	all := networkChecks(r.verifier.Network())
	if fault := r.listsFault(); fault != nil {
		all = append(all, dashboard.NetworkCheck{
			Name: "Lists", Tested: true, Fault: fault.Error(), Checked: time.Now(),
			Advice: "Restart the server. Other servers on its database have taken its share.",
		})
	}
	return all
}
