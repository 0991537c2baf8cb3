package client_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/enginetest"
	"github.com/rcpt/rcpt/server"
	"github.com/rcpt/rcpt/server/client"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestMountedEndpoint checks that the client asks an endpoint that a program
// with sessions of its own has mounted, and gets what the Verifier says.
func TestMountedEndpoint(t *testing.T) {
	world := enginetest.New(t)
	world.Domain("example.org", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}})
	verify, err := server.New(server.Config{
		Verifier: world.Verifier(engine.Config{Remember: 100}),
		Authorize: func(r *http.Request) (string, error) {
			if r.Header.Get("X-API-Key") == "ann" {
				return "ann", nil
			}
			return "", &server.Refusal{Status: http.StatusForbidden, Message: "not ann"}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer verify.Close()
	mux := http.NewServeMux()
	mux.Handle("/api/v1/verify", verify)
	service := httptest.NewServer(mux)
	defer service.Close()

	for key, want := range map[string]rcpt.Verdict{"ann": rcpt.VerdictDeliverable, "eve": rcpt.VerdictUnknown} {
		c, err := client.New(client.Config{URL: service.URL, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		v, err := c.Verify(t.Context(), "alice@example.org")
		if v.Verdict != want || (err == nil) != (key == "ann") {
			t.Errorf("%s: %q, %v", key, v.Verdict, err)
		}
	}
}
