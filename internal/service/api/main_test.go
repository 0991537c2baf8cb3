package api_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/web/openapi/openapitest"
)

// suite holds the responses of all tests to the contract: those of handlers in
// [ask], those over the network in the transport.
var suite = newJudge()

func TestMain(m *testing.M) {
	http.DefaultTransport = &openapitest.Transport{Base: http.DefaultTransport, Contract: suite.Contract, Fault: suite.blame}
	goleak.VerifyTestMain(m, goleak.Cleanup(suite.exit))
}

const key = "rcpt_a-key-for-tests"

// verifierFunc is a function as a [api.Verifier].
type verifierFunc func(ctx context.Context, address string) (rcpt.Result, error)

func (f verifierFunc) VerifyWith(ctx context.Context, address string, o engine.VerifyOptions) (rcpt.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	result, err := f(ctx, address)
	if o.Fresh {
		result.Local = "anew"
	}
	return result, err
}

func (f verifierFunc) VerifyGroup(
	ctx context.Context, addresses []string, _ engine.GroupOptions, done func(int, rcpt.Result, error),
) {
	eachOf(ctx, addresses, f, done)
}

// eachOf is the VerifyGroup of what verifies one address.
func eachOf(
	ctx context.Context, addresses []string, verify verifierFunc, done func(int, rcpt.Result, error),
) {
	for i, address := range addresses {
		result, err := verify(ctx, address)
		done(i, result, err)
	}
}

func (f verifierFunc) Recall(ctx context.Context, address string) (rcpt.Result, bool) {
	return forgetful{}.Recall(ctx, address)
}

// accepts finds every address deliverable.
func accepts(_ context.Context, address string) (rcpt.Result, error) {
	return rcpt.Result{
		Email: address, Local: "alice", Domain: "acme.example", Verdict: rcpt.VerdictDeliverable, Message: "Fine.",
		Reason: rcpt.ReasonRecipientAccepted, CheckedAt: time.Unix(0, 0).UTC(), Details: &rcpt.Details{CatchAll: rcpt.CatchAllNo},
	}, nil
}

// newServer is a Server with defaults for what config leaves out.
func newServer(t *testing.T, config api.Config) *api.Server {
	t.Helper()
	if config.Keys == nil {
		config.Keys = fixed(t, key)
	}
	if config.Verifier == nil {
		config.Verifier = verifierFunc(accepts)
	}
	s, err := api.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// get asks handler for target, with the key in a header.
func get(handler http.Handler, target string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, target, nil)
	request.Header.Set("X-API-Key", key)
	return ask(handler, request)
}

func ask(handler http.Handler, request *http.Request) *httptest.ResponseRecorder {
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	suite.response(request, response)
	return response
}

func logTo(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func jsonLogTo(w io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// forgetful is a verifier's half that remembers nothing.
type forgetful struct{}

// Recall has nothing to recall.
func (forgetful) Recall(context.Context, string) (rcpt.Result, bool) { return rcpt.Result{}, false }

// fixed is a keyring with one key, which has no limits.
func fixed(t testing.TB, key string) *keyring.Keyring {
	t.Helper()
	keys, err := keyring.Open(t.Context(), keyring.Config{Fixed: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := keys.Close(); err != nil {
			t.Error(err)
		}
	})
	return keys
}
