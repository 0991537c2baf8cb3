package dashboard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/snippets"
)

// KeyID is the key ID for counting the checks of the Check page with
// [store.Store.RecordUse]; the Usage page shows them under it.
// FixedKeyID is the same for the key that the operator fixed when starting the
// server.
const (
	KeyID      = "dashboard"
	FixedKeyID = "fixed"

	fixedTestKeyID = "testkey_fixed" // if it is a test key
)

// Keys makes, changes and revokes API keys.
type Keys interface {
	// Create stores a key and returns its text, which cannot be read again.
	Create(ctx context.Context, by store.Actor, k store.Key) (text string, created store.Key, err error)
	// Update changes the name, scopes, limits, networks and expiry of the key
	// with k's ID to what k has.
	Update(ctx context.Context, by store.Actor, k store.Key) error
	// Rotate replaces the key with the ID by one that it returns; the old one
	// works until then. [store.ErrInvalid]: it was replaced already, or cannot
	// be used any more.
	Rotate(ctx context.Context, by store.Actor, id string, until time.Time) (text string, created store.Key, err error)
	// Revoke makes a key permanently unusable.
	Revoke(ctx context.Context, by store.Actor, id string) error
}

// Sample is an address to try on the Check page.
type Sample struct {
	Address string
	About   string // what it shows, in a few words; empty: nothing is said
}

// Config configures a Dashboard. Store, Keys and Check are required.
type Config struct {
	Store *store.Store
	Keys  Keys
	// Check verifies an address. An error means that the verification could not
	// be carried out, as for [engine.Verifier.Verify].
	Check func(ctx context.Context, address string) (rcpt.Result, error)
	// Samples are addresses to try, offered on the empty Check page. Default:
	// none.
	Samples []Sample
	// FixedKey is the ID of the fixed key; empty: there is none.
	FixedKey string
	// Lists has the lists that are verified in the background. Default: there
	// is no page for them.
	Lists *jobs.Manager
	// Asker is who asks mail hosts. Default: there is no page about it.
	Asker *Asker
	// Mails: a mail can be sent when a list is done.
	Mails bool
	// Health returns the state of the server. Default: the page shows only the
	// store.
	Health func(ctx context.Context) Health
	// PublicURL is the URL of the server for clients, such as
	// https://verify.example.com. Default: the URL that the browser uses.
	PublicURL string
	// TrustForwardedProto believes the header X-Forwarded-Proto, which a proxy
	// before the server must set or remove. Default: only a connection with TLS
	// of its own, and a request for the host of an https PublicURL, count as
	// encrypted.
	TrustForwardedProto bool
	// Client returns the address of the client, which limits guessing. Default:
	// the other end of the connection.
	Client func(r *http.Request) netip.Addr
	// Proxy is a reverse proxy that signs people in. Default: they have
	// passwords.
	Proxy *SignInProxy
	// Log receives faults, sign-ins and changes of keys. Default: silent.
	Log *slog.Logger
	// Now is the clock, which should be the store's too. Default: [time.Now].
	Now func() time.Time
}

// Dashboard serves the pages. It is safe for concurrent use.
type Dashboard struct {
	config    Config
	public    *url.URL // nil: as the browser has it
	passwords *passwords
	decoy     string // hash of an unknown password, for logins that do not exist
	throttle  *throttle
	views     views
	drafts    drafts
	needs     map[string]access // who may use which route, by pattern
	assets    map[string]asset
	handler   http.Handler
	plain     sync.Once // a sign-in without TLS, although the public URL has it
}

// New returns a Dashboard.
func New(config Config) (*Dashboard, error) {
	if config.Store == nil || config.Keys == nil || config.Check == nil {
		return nil, errors.New("dashboard: Store, Keys and Check are required")
	}
	if config.Health == nil {
		config.Health = func(context.Context) Health { return Health{} }
	}
	if config.Client == nil {
		config.Client = peer
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	d := &Dashboard{config: config, passwords: newPasswords(), throttle: newThrottle(), needs: map[string]access{}}
	d.decoy = d.passwords.unguessable()
	var err error
	if d.public, err = publicURL(config.PublicURL); err != nil {
		return nil, err
	}
	if d.assets, err = loadAssets(); err != nil {
		return nil, err
	}
	if d.views, err = parseViews(d.assets); err != nil {
		return nil, err
	}
	d.handler, err = d.build()
	return d, err
}

// publicURL reads the setting, which names a host and no path.
func publicURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(strings.TrimSuffix(text, "/"))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.Path != "" || u.RawQuery != "" || u.User != nil {
		return nil, fmt.Errorf("dashboard: %q is not a public URL: give a scheme and a host, as in https://verify.example.com", text)
	}
	return u, nil
}

// peer is the other end of the connection.
func peer(r *http.Request) netip.Addr {
	addr, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return addr.Addr().Unmap()
}

// Handler serves the pages at "/" and below, and a page with status 404 for
// unknown paths.
func (d *Dashboard) Handler() http.Handler { return d.handler }

// build returns the routes, wrapped in what applies to all of them.
func (d *Dashboard) build() (http.Handler, error) {
	mux := http.NewServeMux()
	for _, route := range d.routes() {
		if d.config.Proxy != nil && slices.Contains(passwordRoutes, route.pattern) {
			route.access = access{}
		}
		d.needs[route.pattern] = route.access
		mux.Handle(route.pattern, d.serve(route.access, route.action))
	}
	for name, a := range d.assets {
		mux.Handle("GET "+name, a)
	}
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(d.refused(errForged))
	if d.public != nil {
		if err := origins.AddTrustedOrigin(d.public.String()); err != nil {
			return nil, fmt.Errorf("dashboard: public URL: %w", err)
		}
	}
	lost := d.refused(errNoPage)
	mux.Handle("/", lost)
	return origins.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		// The mux would redirect such a path to another form of it, wherever
		// that leads.
		if given := r.URL.EscapedPath(); path.Clean("/"+given) != given {
			lost(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})), nil
}

// route is a pattern with its access and action.
type route struct {
	pattern string
	access  access
	action  action
}

func (d *Dashboard) routes() []route {
	all := []route{
		{"GET /{$}", viewer, d.showStart},
		{"GET /setup", open, d.showSetup},
		{"POST /setup", open, d.setUp},
		{"GET /sign-in", open, d.showSignIn},
		{"POST /sign-in", open, d.signIn},
		{"POST /sign-out", viewer, d.signOut},
		{"POST /theme", open, d.setTheme},
		{"GET /keys", viewer, d.showKeys},
		{"POST /keys", member, d.createKey},
		{"GET /keys/new", member, d.showNewKey},
		{"GET /keys/{id}/edit", ownKey, d.showEdit},
		{"POST /keys/{id}/edit", ownKey, d.edit},
		{"GET /keys/{id}/rotate", ownKey, d.showRotate},
		{"POST /keys/{id}/rotate", ownKey, d.rotate},
		{"GET /keys/{id}/revoke", ownKey, d.showRevoke},
		{"POST /keys/{id}/revoke", ownKey, d.revoke},
		{"GET /webhooks", viewer, d.showWebhooks},
		{"GET /webhooks/{id}", viewer, d.showWebhook},
		{"GET /webhooks/receivers", member, d.showWebhookSetup},
		{"POST /webhooks/receivers/{key}/test", ownKey, d.testWebhook},
		{"POST /webhooks/receivers/{key}/secret", ownKey, d.newWebhookSecret},
		{"POST /webhooks/{id}/resend", ownWebhook, d.resend},
		{"GET /check", member, d.showCheck},
		{"POST /check", member, d.check},
		{"GET /usage", viewer, d.showUsage},
		{"GET /usage.csv", viewer, d.exportUsage},
		{"GET /health", viewer, d.showHealth},
		{"GET /team", admin, d.showTeam},
		{"GET /team/{id}", admin, d.showPerson},
		{"POST /team/{id}/role", admin, d.changeRole},
		{"POST /team/{id}/password", admin, d.resetPassword},
		{"POST /team/{id}/remove", admin, d.removePerson},
		{"POST /team/invitations", admin, d.invite},
		{"POST /team/invitations/{id}/revoke", admin, d.revokeInvitation},
		{"GET /join", open, d.showJoin},
		{"POST /join", open, d.join},
		{"GET /events", admin, d.showEvents},
		{"GET /events.csv", admin, d.exportEvents},
		{"GET /account", viewer, d.showAccount},
		{"POST /account/password", viewer, d.changePassword},
	}
	if d.config.Asker != nil {
		all = append(all, route{"GET " + aboutPath, open, d.showAbout})
	}
	if d.config.Lists == nil {
		return all
	}
	return append(all, d.listRoutes()...)
}

func (d *Dashboard) listRoutes() []route {
	return []route{
		{"GET /lists", viewer, d.showLists},
		{"POST /lists", sender, d.sendList},
		{"GET /new-list/{id}", member, d.showNewList},
		{"POST /new-list/{id}", member, d.startList},
		{"POST /new-list/{id}/read", member, d.readList},
		{"POST /new-list/{id}/drop", member, d.dropList},
		{"GET /lists/{id}", viewer, d.showList},
		{"GET /lists/{id}/events", viewer, d.streamList},
		{"GET /lists/{id}/rows/{file}", viewer, d.downloadList},
		{"POST /lists/{id}/pause", ownList, d.changeList(jobs.Pause)},
		{"POST /lists/{id}/resume", ownList, d.changeList(jobs.Resume)},
		{"POST /lists/{id}/cancel", ownList, d.changeList(jobs.Cancel)},
		{"POST /lists/{id}/again", ownList, d.verifyAgain},
		{"POST /lists/{id}/delete", ownList, d.deleteList},
	}
}

// base is the address of the server as clients have it.
func (d *Dashboard) base(r *http.Request) string {
	if d.public != nil {
		return d.public.String()
	}
	return snippets.Base(r, d.encrypted(r))
}

// encrypted reports whether the browser uses TLS, with the server or a proxy.
func (d *Dashboard) encrypted(r *http.Request) bool {
	return r.TLS != nil ||
		d.config.TrustForwardedProto && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") ||
		d.public != nil && d.public.Scheme == "https" && strings.EqualFold(r.Host, d.public.Host)
}
