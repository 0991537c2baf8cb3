package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/rcpt/rcpt/internal/endpoint"
	"github.com/rcpt/rcpt/internal/exchange"
)

// Verifier verifies addresses; that of package engine is one.
type Verifier = endpoint.Verifier

// Verification is one that was answered.
type Verification = endpoint.Verification

// Config configures a [Server].
type Config struct {
	// Verifier does the work. Required.
	Verifier Verifier
	// Key is the key that clients must send. Required if Authorize is nil, and
	// not used otherwise.
	Key string
	// Authorize decides instead of the key whether a request may be answered,
	// for programs that know their clients by other means. It returns a name of
	// the client, for the log and Verified; an error is answered with 401, and
	// a [Refusal] as it says. It must be quick and safe for concurrent use.
	Authorize func(r *http.Request) (client string, err error)
	// Verified is called for each verification that was answered. It must be
	// quick and safe for concurrent use. Default: nothing is.
	Verified func(Verification)
	// Details includes details in answers unless the request has details=0.
	// Default: only if it has details=1.
	Details bool
	// Timeout bounds one verification; a request can ask for less. Default: 30
	// seconds, as that of package engine.
	Timeout time.Duration
	// Concurrency is the number of concurrent verifications. Default: 1000.
	Concurrency int
	// Logger receives one info line for each verification, without the
	// local-part, and debug lines about other requests. Default: silent.
	Logger *slog.Logger
}

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

// Server answers the endpoint. It is an [http.Handler], and safe for concurrent
// use.
type Server struct {
	handler   http.Handler
	authorize func(x *exchange.Exchange, r *http.Request) (client string, err error)
	verify    *endpoint.Endpoint
}

// New returns a Server.
func New(config Config) (*Server, error) {
	if config.Verifier == nil || config.Key == "" && config.Authorize == nil {
		return nil, errors.New("server: a Verifier and one of Key and Authorize are required")
	}
	logger := cmp.Or(config.Logger, slog.New(slog.DiscardHandler))
	verify, err := endpoint.New(endpoint.Config{
		Verifier: config.Verifier, Refuse: func(x *exchange.Exchange, _ *http.Request, err error) { refuse(x, err) },
		Verified: config.Verified, Details: config.Details, Timeout: config.Timeout, Concurrency: config.Concurrency,
		Logger: logger,
	})
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	s := &Server{verify: verify, authorize: byKey(config.Key)}
	if config.Authorize != nil {
		s.authorize = func(_ *exchange.Exchange, r *http.Request) (string, error) { return config.Authorize(r) }
	}
	answer := exchange.Only(s.answer, http.MethodGet, http.MethodPost)
	s.handler = exchange.Observer{Logger: logger}.Handler(func(*http.Request) (exchange.Handler, string) {
		return answer, "/api/v1/verify"
	})
	return s, nil
}

// ServeHTTP answers a request, whatever its path is.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close ends the verifications whose clients have gone, and waits a second at
// most for their ends. Call it when the requests have ended, before the
// Verifier is closed.
func (s *Server) Close() error {
	s.verify.Close(context.Background())
	return nil
}

func (s *Server) answer(x *exchange.Exchange, r *http.Request) {
	client, err := s.authorize(x, r)
	if err != nil {
		x.LeaveBody(r)
		refuse(x, err)
		return
	}
	x.Note(slog.String("key_id", client))
	s.verify.Answer(x, r, unlimited(client))
}

// errKey is the error of a request without the key.
var errKey = errors.New("not the key")

// byKey lets clients in that send the key.
func byKey(key string) func(*exchange.Exchange, *http.Request) (string, error) {
	want := sha256.Sum256([]byte(key))
	return func(x *exchange.Exchange, r *http.Request) (string, error) {
		if got := sha256.Sum256([]byte(x.Key(r))); subtle.ConstantTimeCompare(got[:], want[:]) == 0 {
			return "", errKey
		}
		return "fixed", nil
	}
}

// refuse answers a request that is not let in.
func refuse(x *exchange.Exchange, why error) {
	var refusal *Refusal
	if !errors.As(why, &refusal) || http.StatusText(refusal.Status) == "" || refusal.Status < 400 {
		x.Header().Set("WWW-Authenticate", "Bearer") // RFC 9110 §15.5.2
		x.Unauthorized()
		return
	}
	if refusal.RetryAfter > 0 {
		x.Header().Set("Retry-After", exchange.Seconds(refusal.RetryAfter))
	}
	x.Error(refusal.Status, exchange.Code(refusal.Code), refusal.Message)
}

// unlimited is the [endpoint.Grant] of a client that has no limits.
type unlimited string

func (u unlimited) ID() string                   { return string(u) }
func (unlimited) More(int) error                 { return nil }
func (unlimited) Pay(context.Context, int) error { return nil }
func (unlimited) Free()                          {}
func (unlimited) Cached()                        {}
func (unlimited) Unanswered(int)                 {}
func (unlimited) Describe(http.Header)           {}
