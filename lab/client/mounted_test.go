package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/enginetest"
	"github.com/rcpt/rcpt/internal/service/web/openapi/openapitest"
	"github.com/rcpt/rcpt/server"
	"github.com/rcpt/rcpt/server/client"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestMountedHandler checks that the client asks a handler that a program with
// sessions of its own has mounted below a prefix, and gets what the Verifier
// says, and that each answer is one of the contract.
func TestMountedHandler(t *testing.T) {
	world := enginetest.New(t)
	world.Domain("example.org", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}})
	verifier := world.Verifier(engine.Config{MaxRemembered: 100})
	verify, err := server.Handler(verifier, server.Options{
		Fresh: verifier.With(engine.VerifyOptions{Fresh: true}),
		Authorize: func(r *http.Request) (string, error) {
			if r.Header.Get("X-API-Key") == "ann" {
				return "ann", nil
			}
			return "", &server.Error{Status: http.StatusForbidden, Message: "not ann", Code: "network_not_allowed"}
		},
	})
	check(t, err)
	mux := http.NewServeMux()
	mux.Handle("/mail/", http.StripPrefix("/mail", verify))
	service := httptest.NewServer(mux)
	defer service.Close()
	contract, err := openapitest.New()
	check(t, err)
	plain := httptest.NewServer(verify) // the contract is of paths without a prefix
	defer plain.Close()

	for _, base := range []string{service.URL + "/mail", plain.URL} {
		transport := http.DefaultTransport
		if base == plain.URL {
			transport = &openapitest.Transport{Base: transport, Contract: contract, Fault: func(err error) { t.Error(err) }}
		}
		for key, want := range map[string]rcpt.Verdict{"ann": rcpt.VerdictDeliverable, "eve": rcpt.VerdictUnknown} {
			c, err := client.New(client.Config{URL: base, Key: key, HTTP: &http.Client{Transport: transport}})
			check(t, err)
			var cached []bool
			for _, fresh := range []bool{false, false, true} {
				result, err := c.VerifyWith(t.Context(), "alice@example.org", client.VerifyOptions{Fresh: fresh})
				if result.Verdict != want || (err == nil) != (key == "ann") {
					t.Errorf("%s: %q, %v", key, result.Verdict, err)
				}
				cached = append(cached, result.Details != nil && result.Details.Cached)
			}
			if key == "ann" && fmt.Sprint(cached[1:]) != "[true false]" {
				t.Errorf("remembered: %v", cached)
			}
			for i, outcome := range c.VerifyAll(t.Context(), []string{"alice@example.org", "bob@example.org", "nobody"}, client.VerifyOptions{Fresh: true}) {
				verdicts := []rcpt.Verdict{rcpt.VerdictDeliverable, rcpt.VerdictUndeliverable, rcpt.VerdictUndeliverable}
				if key == "ann" && (outcome.Err != nil || outcome.Result.Verdict != verdicts[i] || outcome.Result.Details.Cached) {
					t.Errorf("%d: %+v", i, outcome)
				}
			}
		}
	}
}
