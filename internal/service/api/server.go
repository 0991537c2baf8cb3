package api

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt/internal/endpoint"
	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Config configures a [Server].
type Config struct {
	// Verifier does the work. Required.
	Verifier endpoint.Verifier
	// Keys has the keys and their limits. Required.
	Keys *keyring.Keyring
	// Record is called for each verification that was answered, to count the
	// usage of its key. It must be quick. Default: none.
	Record func(Use)
	// Usage is where the usage of keys is read from. Default: there is no such
	// route.
	Usage UsageStore
	// Mails tells that the server sends mail about lists that have ended.
	Mails bool
	// Webhooks are those of the keys. Default: there are no such routes.
	Webhooks WebhookStore
	// Jobs has the lists that are verified in the background. Default: there
	// are no such routes.
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
	// [endpoint.DefaultConcurrency].
	Concurrency int
	// MaxConnections is the number of open connections. Default:
	// [DefaultMaxConnections].
	MaxConnections int
	// TLS, if it is set, has the server speak TLS, and HTTP/2 where its
	// NextProtos has "h2". Default: it speaks plain HTTP/1.1.
	TLS *tls.Config
	// Logger receives one info line for each verification, without the
	// local-part, and debug lines about other requests. Default: silent.
	Logger *slog.Logger
}

// Use is one verification that was answered.
type Use = rows.Use

// Server answers verifications over HTTP. It is safe for concurrent use.
type Server struct {
	config    Config
	verify    *endpoint.Endpoint
	rehearsal *Server // answers test keys; nil: it is the rehearsal itself
	wrongKeys *wrongKeys
	forwarder atomic.Pointer[forwarder] // the first that is not trusted
}

// New returns a Server.
func New(config Config) (*Server, error) {
	if config.Verifier == nil || config.Keys == nil {
		return nil, errors.New("api: a Verifier and Keys are required")
	}
	config.MaxConnections = cmp.Or(config.MaxConnections, DefaultMaxConnections)
	if config.MaxConnections < 0 {
		return nil, errors.New("api: connections must be positive")
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{config: config, wrongKeys: newWrongKeys()}
	var err error
	if s.rehearsal, err = newRehearsal(config); err != nil {
		return nil, err
	}
	s.verify, err = endpoint.New(s.endpoint())
	return s, err
}

// endpoint is the configuration of the endpoint.
func (s *Server) endpoint() endpoint.Config {
	return endpoint.Config{
		Verifier: s.config.Verifier, Details: s.config.Details, Timeout: s.config.Timeout,
		Concurrency: s.config.Concurrency, Logger: s.config.Logger,
		Verified: s.verified, Busy: func() { s.refused("busy") },
		Refuse: func(x *exchange.Exchange, r *http.Request, why error) { s.refuse(x, r, rows.ScopeVerify, why) },
	}
}

// Load returns how many verifications run and wait.
func (s *Server) Load() endpoint.Load { return s.verify.Load() }

// Serve answers requests on listener until ctx is cancelled. Then it accepts no
// new requests, gives running ones the time of a verification to finish, and
// cancels the rest, and the verifications whose clients have gone. It returns
// nil after such an end.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	running, cutOff := context.WithCancel(context.WithoutCancel(ctx))
	defer cutOff()
	httpServer := s.httpServer(running)
	limited := newConnLimit(listener, s.config.MaxConnections, s.isProxy)
	limited.endIdle = func() {
		httpServer.SetKeepAlivesEnabled(false) // ends the idle ones
		httpServer.SetKeepAlivesEnabled(true)
	}
	clients := net.Listener(limited)
	if s.config.TLS != nil {
		clients = tls.NewListener(clients, s.config.TLS)
	}
	failed := make(chan error, 1)
	go func() { failed <- httpServer.Serve(clients) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.config.Logger.Info("shutting down: waiting for requests in progress")
	grace, cancel := context.WithTimeout(running, s.verify.Timeout()+slack)
	defer cancel()
	err := httpServer.Shutdown(grace)
	s.verify.Close(running)
	s.rehearsal.verify.Close(running)
	if err != nil {
		s.config.Logger.Warn("cutting off requests that did not finish in time")
		cutOff()
		return httpServer.Close()
	}
	return nil
}

// httpServer is what listens, with running as the context of all requests.
func (s *Server) httpServer(running context.Context) *http.Server {
	return &http.Server{
		Handler:                      strict(s.Handler()),
		TLSConfig:                    s.config.TLS,
		HTTP2:                        &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		DisableGeneralOptionsHandler: true, // "OPTIONS *" is answered like every unknown path
		ReadHeaderTimeout:            headerTimeout,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 readTimeout + endpoint.SlotWait + s.verify.Timeout() + slack,
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
