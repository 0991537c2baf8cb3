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
	"path"
	"strings"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/contract"
	"github.com/rcpt/rcpt/internal/endpoint"
	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/sys/quietlog"
)

// Options say how a [Handler] answers. One of Authorize and Key is required.
type Options struct {
	// Authorize decides whether a request may be answered, for programs that
	// know their clients. It returns a name of the client, for the log and
	// Verified; an error is answered with 401, and an *[Error] as it says. It
	// must be quick and safe for concurrent use. Default: Key decides.
	Authorize func(r *http.Request) (client string, err error)
	// Key is the key that clients must send, as "Authorization: Bearer KEY"
	// (RFC 6750), X-API-Key, or the parameter apikey. Not used with Authorize.
	Key string
	// Path is that of the endpoint, after the prefix under which the handler is
	// mounted. Default: /api/v1/verify, which the clients of the service ask.
	Path string
	// Fresh is asked instead of the Verifier by requests with fresh=1, which
	// want no remembered result: an engine.Verifier that remembers has
	// With(engine.VerifyOptions{Fresh: true}). Default: the Verifier.
	Fresh rcpt.Verifier
	// Verified is called for each verification that was answered, with the
	// context of its request. It must be quick and safe for concurrent use.
	// Default: nothing is.
	Verified func(ctx context.Context, client string, result rcpt.Result, took time.Duration)
	// Details includes details in answers unless the request has details=0.
	// Default: only if it has details=1.
	Details bool
	// Timeout bounds one verification, and a POST with all its addresses; a
	// request can ask for less. At its end the context of the Verifier ends,
	// and the record has "success": false. Default: 35 seconds, so that the
	// limit of an engine.Verifier, whose end is a result, comes first.
	Timeout time.Duration
	// Concurrency is the number of concurrent verifications. As many more wait
	// for a second, and the others get 503. Default: 1000.
	Concurrency int
	// Logger receives one info line for each verification, without the
	// local-part, and debug lines about other requests. Default:
	// [slog.Default], which gets the info lines as debug lines.
	Logger *slog.Logger
}

// defaultTimeout leaves a Verifier the time to end by its own limit.
const defaultTimeout = engine.DefaultTimeout + 5*time.Second

// Error is an error of [Options.Authorize] that is answered with a status of
// its own instead of 401.
type Error struct {
	// Status is 402, 403 or 429, for example. One that is no error, or less
	// than 402, is answered with 401.
	Status int
	// Code and Message are those of the body. Code is for programs, and should
	// never change.
	Code, Message string
	// RetryAfter is the field Retry-After; zero: none.
	RetryAfter time.Duration
}

func (e *Error) Error() string { return fmt.Sprintf("status %d: %s", e.Status, e.Message) }

// Handler returns a handler that answers GET and POST of /api/v1/verify with
// what v says, and GET of /openapi.json with an OpenAPI document of the two.
// Both may have any prefix, and a slash behind: mount it at the two paths or at
// all below a prefix, as in mux.Handle("/mail/", handler). Other paths get 404.
// Everybody may read the document, which names the prefix that the client asked
// for; what a proxy in front has taken from the path it does not know.
//
// Verify is called for each address by itself, with a context that ends with
// the request and with its time. Its error becomes a record with "success":
// false; a mail host that is busy, 503; a panic, a line of the log and 500. The
// text of a request with clean=1 is cleaned before.
func Handler(v rcpt.Verifier, o Options) (http.Handler, error) {
	switch {
	case v == nil:
		return nil, errors.New("server: there is no Verifier")
	case o.Authorize == nil && o.Key == "":
		return nil, errors.New("server: Options: one of Authorize and Key is required")
	}
	o.Path = cmp.Or(o.Path, contract.VerifyPath)
	if !path.IsAbs(o.Path) || path.Clean(o.Path) != o.Path || o.Path == "/" || o.Path == contract.DocumentPath {
		return nil, fmt.Errorf("server: Options.Path: %q is no path for the endpoint", o.Path)
	}
	if o.Fresh == nil {
		o.Fresh = v
	}
	if o.Logger == nil {
		o.Logger = quietlog.New(slog.Default())
	}
	h := &handler{options: o, document: contract.Part{Path: o.Path, Keys: o.Authorize == nil}.Document()}
	h.authorize = byKey(o.Key)
	if o.Authorize != nil {
		h.authorize = func(_ *exchange.Exchange, r *http.Request) (string, error) { return o.Authorize(r) }
	}
	var err error
	h.verify, err = endpoint.New(endpoint.Config{
		Verifier: endpoint.Plain{Verifier: v, Fresh: o.Fresh}, Verified: h.verified, Details: o.Details,
		Refuse:  func(x *exchange.Exchange, _ *http.Request, err error) { refuse(x, err) },
		Timeout: cmp.Or(o.Timeout, defaultTimeout), Concurrency: o.Concurrency, Logger: o.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("server: Options: %w", err)
	}
	return exchange.Observer{Logger: o.Logger}.Handler(h.route()), nil
}

// handler answers the endpoint and its document.
type handler struct {
	options   Options
	authorize func(x *exchange.Exchange, r *http.Request) (client string, err error)
	verify    *endpoint.Endpoint
	document  func(prefix string) []byte
}

// route finds out what is asked by the end of the path, as the beginning is the
// program's. A path in another spelling does not exist.
func (h *handler) route() func(*http.Request) (exchange.Handler, string) {
	verify := exchange.Only(h.answer, http.MethodGet, http.MethodPost)
	read := exchange.Only(h.describe, http.MethodGet, http.MethodHead)
	return func(r *http.Request) (exchange.Handler, string) {
		switch given := strings.TrimSuffix(r.URL.EscapedPath(), "/"); {
		case strings.HasSuffix(given, h.options.Path):
			return verify, h.options.Path
		case strings.HasSuffix(given, contract.DocumentPath):
			return read, contract.DocumentPath
		}
		return h.notFound, ""
	}
}

func (h *handler) notFound(x *exchange.Exchange, r *http.Request) {
	x.LeaveBody(r)
	x.Error(http.StatusNotFound, exchange.PathNotFound,
		"This path does not exist: use "+h.options.Path+" or "+contract.DocumentPath+".")
}

func (h *handler) answer(x *exchange.Exchange, r *http.Request) {
	client, err := h.authorize(x, r)
	if err != nil {
		x.LeaveBody(r)
		refuse(x, err)
		return
	}
	x.Note(slog.String("key_id", client))
	h.verify.Answer(x, r, unlimited(client))
}

func (h *handler) verified(ctx context.Context, v endpoint.Verification) {
	if h.options.Verified != nil {
		h.options.Verified(ctx, v.Client, v.Result, v.Took)
	}
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
	var refusal *Error
	if !errors.As(why, &refusal) || http.StatusText(refusal.Status) == "" || refusal.Status <= http.StatusUnauthorized {
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
