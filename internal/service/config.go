package service

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/alert"
	"github.com/rcpt/rcpt/internal/service/certificate"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe/egress"
)

// Config configures a service. Engine, Listener, Out and Key or Store are
// needed; the zero value of every other field is a default.
type Config struct {
	// Engine configures the Verifier. Its Logger is that of the service.
	Engine engine.Config
	// Listener takes the connections of clients. Run closes it.
	Listener net.Listener
	// Out is where Run prints the address of the server and how to try it.
	Out io.Writer
	// Version is this program's, for pages, metrics and the User-Agent of
	// webhooks.
	Version string
	// Requests logs the requests. Default: the Logger of Engine.
	Requests *slog.Logger

	// Store says where the state is kept.
	Store store.Options
	// StoreOptional makes the service run without a database where none can be
	// opened, none exists, and a Key was set.
	StoreOptional bool
	// Folder is where large temporary files belong. Default: the folder of the
	// system for such files.
	Folder string
	// Key is the fixed key. One that was made for this run is used only where
	// the database has no usable key.
	Key Key
	// KeyAlways makes the service use Key even so, as a demo does.
	KeyAlways bool

	// Lists are those of Engine as they change. Nil: they do not.
	Lists Lists
	// Fingerprint identifies the rules with these lists: results of other rules
	// are not used again. Nil: the rules do not change.
	Fingerprint func(lists string) string
	// Egresses are read again when they change. Nil: they do not.
	Egresses *Egresses
	// Remember is the approximate number of results cached in memory. 0: none.
	Remember int
	// Details makes records have details unless a request says otherwise.
	Details bool

	// Certificates makes the server speak TLS. Nil: it does not.
	Certificates *certificate.Manager
	// MetricsListen is the address of /metrics and /health. Default: none.
	MetricsListen string
	// PublicURL is where users and clients reach the server, without a slash at
	// its end. Default: where it listens.
	PublicURL string
	// Contact is the address or URL for postmasters who object to our checks.
	// Default: there is no page about them.
	Contact string
	// TrustedProxies may say for whom they ask.
	TrustedProxies []netip.Prefix
	// SignInProxy signs people in. Nil: they have passwords.
	SignInProxy *dashboard.SignInProxy
	// ReadyNetwork makes the server not ready while the check of the network
	// fails.
	ReadyNetwork bool
	// Alerts send the news of problems.
	Alerts []alert.Sender

	// WebhookNets may get webhooks although they are not public.
	WebhookNets []netip.Prefix
	// Lease is how long this node may be silent before others take over its
	// share of lists. Default: that of package jobs.
	Lease time.Duration
	// ListSpace is how many GiB the stored lists of an owner may take. Default:
	// that of package jobs.
	ListSpace int64

	// Example is the address of the request to try.
	Example string
	// Samples are addresses that the dashboard offers to try.
	Samples []dashboard.Sample
}

// Lists are lists that change while the service runs.
type Lists interface {
	// Digest identifies the present lists.
	Digest() string
	// Run calls use with each later edition until ctx ends.
	Run(ctx context.Context, use func(*lists.Lists))
}

// Egresses are egresses that change while the service runs.
type Egresses struct {
	// Changed gets a signal when they are to be read again.
	Changed <-chan os.Signal
	// Read returns the present egresses and routes.
	Read func() (egress.Egresses, map[string][]string, error)
}

// requests returns the logger of requests.
func (c Config) requests() *slog.Logger { return cmp.Or(c.Requests, c.Engine.Logger) }
