package api

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Verifier verifies addresses; *[engine.Verifier] is one.
type Verifier interface {
	// Verify verifies an address. The error is non-nil only if the verification
	// could not be carried out.
	Verify(ctx context.Context, address string) (engine.Result, error)
	// VerifyWith is Verify with options, of which the server sets Fresh alone.
	VerifyWith(ctx context.Context, address string, o engine.VerifyOptions) (engine.Result, error)
	// Recall returns the remembered result of an address, if there is one,
	// without asking anyone.
	Recall(ctx context.Context, address string) (engine.Result, bool)
}

// Config configures a [Server].
type Config struct {
	// Verifier does the work. Required.
	Verifier Verifier
	// Key is the key that clients must send; it has no limits. Required if Keys
	// and Authorize are nil, and not used otherwise.
	Key string
	// Keys has the keys and their limits. It is for the command: programs that
	// mount the server have Key or Authorize.
	Keys *keyring.Keyring
	// Authorize decides instead of keys whether a request may be answered, for
	// programs that know their clients by other means. It returns a name of the
	// client, for the log and Record; an error is answered with 401, and a
	// [Refusal] as it says. It must be quick and safe for concurrent use.
	// Default: Key or Keys.
	Authorize func(r *http.Request) (client string, err error)
	// Record is called for each verification that was answered, to count the
	// usage of its key. It must be quick. Default: none.
	Record func(Use)
	// Usage is where the usage of keys is read from. It is for the command,
	// too. Default: there is no such route.
	Usage UsageStore
	// Webhooks are those of the keys. It is for the command, too. Default:
	// there are no such routes.
	Webhooks WebhookStore
	// Jobs has the lists that are verified in the background. It is for the
	// command. Default: there are no such routes.
	Jobs *jobs.Manager
	// Ready returns why the server cannot serve at the moment, for /readyz.
	// Default: it always can.
	Ready func(ctx context.Context) error
	// Pages answers paths outside of the API. Default: 404.
	Pages http.Handler
	// PublicURL is where clients reach the server, as
	// https://verify.example.com, for the programs that /docs shows. Default:
	// the address of the request.
	PublicURL string
	// TrustedProxies are the networks of reverse proxies whose X-Forwarded-For
	// is believed, and whose X-Forwarded-Proto Pages gets. Default: none.
	TrustedProxies []netip.Prefix
	// Hooks are called when something happens. Default: none.
	Hooks Hooks
	// Details includes details in answers unless the request has details=0.
	// Default: only if it has details=1.
	Details bool
	// Timeout bounds one verification; a request can ask for less. Default:
	// [engine.DefaultTimeout].
	Timeout time.Duration
	// Concurrency is the number of concurrent verifications. Default:
	// [DefaultConcurrency].
	Concurrency int
	// MaxConnections is the number of open connections. Default:
	// [DefaultMaxConnections].
	MaxConnections int
	// Logger receives one info line for each verification, without the
	// local-part, and debug lines about other requests. Default: silent.
	Logger *slog.Logger
}

// Use is one verification that was answered.
type Use = rows.Use

// Refusal is an error of [Config.Authorize] that is answered with a status of
// its own instead of 401.
type Refusal struct {
	// Status is 402, 403 or 429, for example.
	Status int
	// Code and Message are those of the body. Code is for programs, and should
	// never change.
	Code, Message string
	// RetryAfter is the field Retry-After; zero: none.
	RetryAfter time.Duration
}

func (r *Refusal) Error() string { return fmt.Sprintf("status %d: %s", r.Status, r.Message) }

// Server answers verifications over HTTP. It is safe for concurrent use.
type Server struct {
	config Config
	keys   *keyring.Keyring
	slots  slots

	orphans   *orphans
	wrongKeys *wrongKeys
	forwarder atomic.Pointer[forwarder] // the first that is not trusted
}

// New returns a Server.
func New(config Config) (*Server, error) {
	if config.Verifier == nil || config.Key == "" && config.Keys == nil && config.Authorize == nil {
		return nil, errors.New("api: a Verifier and one of Key, Keys and Authorize are required")
	}
	if config.Authorize != nil {
		config.Key, config.Keys = rand.Text(), nil // a key without limits, which no client has
	}
	if config.Timeout == 0 {
		config.Timeout = engine.DefaultTimeout
	}
	if config.Concurrency == 0 {
		config.Concurrency = DefaultConcurrency
	}
	if config.MaxConnections == 0 {
		config.MaxConnections = DefaultMaxConnections
	}
	if config.Timeout < 0 || config.Concurrency < 0 || config.MaxConnections < 0 {
		return nil, errors.New("api: timeout, concurrency and connections must be positive")
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		config: config, keys: config.Keys, slots: newSlots(config.Concurrency, slotWait),
		orphans: newOrphans(config.Concurrency), wrongKeys: newWrongKeys(),
	}
	if s.keys == nil {
		var err error
		if s.keys, err = keyring.Open(context.Background(), keyring.Config{Fixed: config.Key}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Serve answers requests on listener until ctx is cancelled. Then it accepts no
// new requests, gives running ones the time of a verification to finish, and
// cancels the rest, and the verifications whose clients have gone. It returns
// nil after such an end.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	running, cutOff := context.WithCancel(context.WithoutCancel(ctx))
	defer cutOff()
	clients := newConnLimiter(listener, s.config.MaxConnections, s.isProxy)
	httpServer := s.httpServer(running)
	httpServer.Handler = clients.arriving(httpServer.Handler)
	httpServer.ConnState, httpServer.ConnContext = clients.observe, clients.inContext
	failed := make(chan error, 1)
	go func() { failed <- httpServer.Serve(clients) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.config.Logger.Info("shutting down: waiting for requests in progress")
	grace, cancel := context.WithTimeout(running, s.config.Timeout+slack)
	defer cancel()
	err := httpServer.Shutdown(grace)
	s.endOrphans(running)
	if err != nil {
		s.config.Logger.Warn("cutting off requests that did not finish in time")
		cutOff()
		return httpServer.Close()
	}
	return nil
}

// endOrphans waits a little for the orphans that it ends.
func (s *Server) endOrphans(running context.Context) {
	ctx, cancel := context.WithTimeout(running, orphanWait)
	defer cancel()
	s.orphans.close(ctx)
}

// httpServer is what listens, with running as the context of all requests.
func (s *Server) httpServer(running context.Context) *http.Server {
	return &http.Server{
		Handler:                      strict(s.Handler()),
		DisableGeneralOptionsHandler: true, // "OPTIONS *" is answered like every unknown path
		ReadHeaderTimeout:            headerTimeout,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 readTimeout + slotWait + s.config.Timeout + slack,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               maxHeader,
		BaseContext:                  func(net.Listener) context.Context { return running },
		ErrorLog:                     slog.NewLogLogger(s.config.Logger.Handler(), slog.LevelWarn),
	}
}

// strict has browsers that have met this server over TLS come back over TLS
// alone, for a year (RFC 6797). Behind a proxy that is the proxy's to say.
func strict(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil {
			w.Header()["Strict-Transport-Security"] = []string{"max-age=31536000"}
		}
		next.ServeHTTP(w, r)
	})
}
