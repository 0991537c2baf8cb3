package openapitest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/server"
)

// odd answers as its addresses say.
type odd struct{}

func (odd) Verify(_ context.Context, address string) (rcpt.Result, error) {
	switch address {
	case "busy@b.example":
		return rcpt.Result{}, engine.ErrBusy
	case "bug@b.example":
		panic("a bug")
	case "fault@b.example":
		return rcpt.Result{}, errors.New("no route")
	}
	reason := rcpt.ReasonGreylisted
	return rcpt.Result{Email: address, Verdict: reason.Verdict(), Reason: reason, Message: reason.Message()}, nil
}

// TestPart holds the answers of a mounted handler to the document that it has
// itself, with a key and with a sign-in of the program.
func TestPart(t *testing.T) {
	signIn := func(r *http.Request) (string, error) {
		switch r.Header.Get("X-API-Key") {
		case "key":
			return "ann", nil
		case "poor":
			return "", &server.Error{Status: 402, Code: "no_plan", Message: "Choose a plan."}
		}
		return "", errors.New("not ours")
	}
	for name, o := range map[string]server.Options{"key": {Key: "key"}, "sign-in": {Authorize: signIn}} {
		h, err := server.Handler(odd{}, o)
		if err != nil {
			t.Fatal(err)
		}
		send := func(method, target, key, body string) *http.Response {
			request := httptest.NewRequest(method, target, strings.NewReader(body))
			request.Header.Set("X-API-Key", key)
			if strings.HasPrefix(body, "{") {
				request.Header.Set("Content-Type", "application/json")
			}
			response := httptest.NewRecorder()
			h.ServeHTTP(response, request)
			return response.Result()
		}
		document, err := io.ReadAll(send("GET", "/mail/openapi.json", "", "").Body)
		if err != nil {
			t.Fatal(err)
		}
		part, err := parse(document)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, c := range []struct {
			method, target, key, body string
			status                    int
		}{
			{"GET", "/api/v1/verify?email=a@b.example", "key", "", 200},
			{"GET", "/api/v1/verify/?email=a@b.example&transcript=1", "key", "", 200},
			{"GET", "/api/v1/verify?email=fault@b.example&details=1", "key", "", 200},
			{"GET", "/api/v1/verify", "key", "", 400},
			{"GET", "/api/v1/verify", "", "", 401},
			{"GET", "/api/v1/verify?email=a@b.example", "key", strings.Repeat("x", 10_000), 413},
			{"GET", "/api/v1/verify?email=bug@b.example", "key", "", 500},
			{"GET", "/api/v1/verify?email=busy@b.example", "key", "", 503},
			{"PUT", "/api/v1/verify", "key", "", 405},
			{"POST", "/api/v1/verify", "key", `{"email":"a@b.example"}`, 200},
			{"POST", "/api/v1/verify", "key", `{"emails":["a@b.example","fault@b.example"],"details":true}`, 200},
			{"POST", "/api/v1/verify", "key", `{"emails":[]}`, 400},
			{"POST", "/api/v1/verify", "key", "x", 415},
			{"GET", "/openapi.json", "", "", 200},
			{"HEAD", "/openapi.json", "", "", 200},
			{"DELETE", "/openapi.json", "", "", 405},
		} {
			response := send(c.method, c.target, c.key, c.body)
			path, _, _ := strings.Cut(c.target, "?")
			if err := part.Check(c.method, path, response); err != nil || response.StatusCode != c.status {
				t.Errorf("%s: %s %s: %d, want %d: %v", name, c.method, c.target, response.StatusCode, c.status, err)
			}
		}
		refusal := send("GET", "/api/v1/verify?email=a@b.example", "poor", "")
		_, declared := part.paths["/api/v1/verify"]["GET"]["4XX"]
		if got := refusal.StatusCode; declared != (name == "sign-in") || got != map[bool]int{true: 402, false: 401}[declared] {
			t.Errorf("%s: refused with %d, declared: %v", name, got, declared)
		}
	}
}
