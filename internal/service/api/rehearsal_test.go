package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/sandbox"
	"github.com/rcpt/rcpt/internal/service/store"
)

// uncounted is the configuration of a server on which nothing may be asked or
// counted.
func uncounted(t *testing.T) api.Config {
	return api.Config{
		Verifier: verifierFunc(func(_ context.Context, address string) (rcpt.Result, error) {
			t.Errorf("a test key asked about %s", address)
			return accepts(t.Context(), address)
		}),
		Record: func(use api.Use) { t.Errorf("a test key was counted: %+v", use) },
		Hooks: api.Hooks{
			Verified: func(r rcpt.Result, _ time.Duration) { t.Errorf("a test key was counted: %v", r.Reason) },
			Answered: func(_ string, status int, _ time.Duration) {
				t.Errorf("an answer to a test key was counted: %d", status)
			},
			Refused: func(why string) { t.Errorf("the error of a test key was counted: %s", why) },
		},
	}
}

// testClient is a client with a test key.
type testClient struct {
	http.Handler
	key string
}

func newTestClient(t *testing.T, config api.Config, key store.Key) testClient {
	t.Helper()
	k := newKeyed(t, config)
	if key.Test = true; key.Scopes == nil {
		key.Scopes = []store.Scope{store.ScopeVerify, store.ScopeUsage}
	}
	text, _, err := k.keys.Create(t.Context(), store.ByCommand("test"), key)
	if err != nil {
		t.Fatal(err)
	}
	return testClient{k, text}
}

func (c testClient) get(target string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, target, nil)
	request.Header.Set("X-API-Key", c.key)
	return ask(c, request)
}

func (c testClient) post(body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, "/api/v1/verify?details=1", strings.NewReader(body))
	request.Header.Set("X-API-Key", c.key)
	request.Header.Set("Content-Type", "application/json")
	return ask(c, request)
}

// answerOfKey is what an answer to a test key has, be it a record or an error.
type answerOfKey struct {
	Message, Code, Result string
	Success               bool
	Details               struct{ Reason string }
	Results               []answerOfKey
}

func answerIn(t *testing.T, r *httptest.ResponseRecorder) (a answerOfKey) {
	t.Helper()
	if err := json.Unmarshal(r.Body.Bytes(), &a); err != nil {
		t.Fatalf("%s: %v", r.Body, err)
	}
	return a
}

// TestEachRow: with a test key, each row of the table is answered as it says,
// by GET, by POST and among others, and nothing is asked or counted.
func TestEachRow(t *testing.T) {
	c := newTestClient(t, uncounted(t), store.Key{})
	for _, row := range sandbox.Rows() {
		email := row.Name + "@acme.example"
		if row.Name == "slow-3s" {
			email = "slow-3ms@acme.example"
		}
		status, code, reason := row.Status, row.Code, string(row.Reason)
		if row.Reason == rcpt.ReasonBusy {
			status, code, reason = http.StatusServiceUnavailable, "mail_host_busy", ""
		} else if status == 0 {
			status = http.StatusOK
		}
		for way, r := range map[string]*httptest.ResponseRecorder{
			"GET": c.get("/api/v1/verify?details=1&email=" + email), "POST": c.post(`{"email":"` + email + `"}`),
		} {
			got := answerIn(t, r)
			if r.Code != status || got.Code != string(code) || got.Message == "" || got.Details.Reason != reason {
				t.Errorf("%s %s: %d %s", way, email, r.Code, r.Body)
			}
			if waits := status == 402 || status == 429 || status == 503; waits != (r.Header().Get("Retry-After") != "") {
				t.Errorf("%s %s: Retry-After %q", way, email, r.Header().Get("Retry-After"))
			}
			if failed := status != 200 || row.Reason.Failed(); got.Success == failed {
				t.Errorf("%s %s: success %v", way, email, got.Success)
			}
		}
		r := c.post(`{"emails":["jane@acme.example","` + email + `"]}`)
		got := answerIn(t, r)
		if row.Status > 0 && (r.Code != row.Status || got.Code != string(row.Code)) ||
			row.Status == 0 && (r.Code != 200 || len(got.Results) != 2 || got.Results[0].Result != "deliverable" || got.Results[1].Details.Reason != string(row.Reason)) {
			t.Errorf("%s among others: %d %s", email, r.Code, r.Body)
		}
	}
}

// TestRealErrors: the errors of a test key are those of other keys, with the
// same body and fields.
func TestRealErrors(t *testing.T) {
	k := newKeyed(t, api.Config{})
	c := newTestClient(t, api.Config{}, store.Key{})
	limited := func(of store.Key, n int) *httptest.ResponseRecorder {
		ask, _ := k.create(t, of)
		for range n {
			ask()
		}
		return ask()
	}
	for name, real := range map[string]*httptest.ResponseRecorder{
		"status-402": limited(store.Key{MonthlyQuota: 1}, 1),
		"status-403": limited(store.Key{Scopes: []store.Scope{store.ScopeUsage}}, 0),
		"status-429": limited(store.Key{RatePerSecond: 1, Burst: 1}, 1),
		"status-401": ask(k, httptest.NewRequest(http.MethodGet, "/api/v1/verify?email=a@b.example", nil)),
		"status-400": ask(c, httptest.NewRequest(http.MethodGet, "/api/v1/verify?clean=1&email=none&apikey="+c.key, nil)),
	} {
		rehearsed := c.get("/api/v1/verify?email=" + name + "@acme.example")
		fields := func(r *httptest.ResponseRecorder) http.Header {
			h := r.Header().Clone()
			h.Del("X-Request-Id")
			if name == "status-402" {
				h.Del("Retry-After") // a second may have passed
			}
			return h
		}
		if diff := cmp.Diff(fmt.Sprint(real.Code, real.Body, fields(real)), fmt.Sprint(rehearsed.Code, rehearsed.Body, fields(rehearsed))); diff != "" {
			t.Errorf("%s (-real +rehearsed):\n%s", name, diff)
		}
	}
}

// TestLimitsOfTestKey: its rate, its scopes and its end are those of others,
// and errors that it asks for do not count as wrong keys.
func TestLimitsOfTestKey(t *testing.T) {
	c := newTestClient(t, api.Config{Usage: &ledger{}}, store.Key{RatePerSecond: 0.001, Burst: 1, Scopes: []store.Scope{store.ScopeVerify}})
	if r := c.get("/api/v1/usage"); r.Code != http.StatusForbidden {
		t.Errorf("without the scope: %d", r.Code)
	}
	if r := c.get("/api/v1/verify?email=jane@acme.example"); r.Code != 200 || r.Header().Get("RateLimit-Remaining") != "0" {
		t.Errorf("the first: %d, %v", r.Code, r.Header())
	}
	if r := c.get("/api/v1/verify?email=jane@acme.example"); r.Code != http.StatusTooManyRequests {
		t.Errorf("the second: %d", r.Code)
	}
	config := uncounted(t)
	config.Usage = &ledger{}
	c = newTestClient(t, config, store.Key{Name: "ci"})
	if r := c.get("/api/v1/usage"); r.Code != 200 || !strings.Contains(r.Body.String(), `"name":"ci","test":true},`) || !strings.Contains(r.Body.String(), `"used":0,"quota":null,"remaining":null`) {
		t.Errorf("usage: %d %s", r.Code, r.Body)
	}
	for i := range 1000 {
		if r := c.get("/api/v1/verify?email=status-401@acme.example"); r.Code != http.StatusUnauthorized {
			t.Fatalf("request %d: %d", i, r.Code)
		}
	}
}

// TestFixedTestKey: a fixed key that begins as a test key is one.
func TestFixedTestKey(t *testing.T) {
	config := uncounted(t)
	config.Keys = fixed(t, "rcpt_test_ci")
	c := testClient{newServer(t, config).Handler(), "rcpt_test_ci"}
	if got := answerIn(t, c.get("/api/v1/verify?details=1&email=blocked@acme.example")); got.Details.Reason != "blocked" {
		t.Errorf("%+v", got)
	}
}
