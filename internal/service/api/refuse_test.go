package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestScopeOfKey: a good key without the scope learns which one it lacks.
func TestScopeOfKey(t *testing.T) {
	k := newKeyed(t, api.Config{Usage: &ledger{}})
	ask, _ := k.create(t, store.Key{Scopes: []store.Scope{store.ScopeUsage}})
	if r := ask(); r.Code != 403 || r.Body.String() != `{"message":"This key lacks the scope \"verify\".","success":false,"code":"missing_scope"}`+"\n" {
		t.Errorf("a key that may not verify: %d %s", r.Code, r.Body)
	}
}

// TestMistakeIsFree: what is wrong with a request costs neither the rate nor
// the quota.
func TestMistakeIsFree(t *testing.T) {
	k := newKeyed(t, api.Config{})
	ask, _ := k.create(t, store.Key{RatePerSecond: 0.0001, Burst: 2, MonthlyQuota: 2})
	mistake := func(r *http.Request) { r.URL.RawQuery += "&details=x" }
	for range 10 {
		if r := ask(mistake); r.Code != 400 || r.Header().Get("RateLimit-Remaining") != "2" {
			t.Fatalf("status %d, %s remain", r.Code, r.Header().Get("RateLimit-Remaining"))
		}
	}
	for _, remaining := range []string{"1", "0"} {
		if r := ask(); r.Code != 200 || r.Header().Get("RateLimit-Remaining") != remaining {
			t.Errorf("after it: status %d, %s remain", r.Code, r.Header().Get("RateLimit-Remaining"))
		}
	}
}

// TestQuotaResets: a client whose quota is used up learns when there is a new
// one.
func TestQuotaResets(t *testing.T) {
	k := newKeyed(t, api.Config{})
	ask, _ := k.create(t, store.Key{MonthlyQuota: 1})
	ask()
	r := ask()
	var told struct {
		Message, Code string
		ResetsAt      time.Time `json:"resets_at"`
	}
	if err := json.Unmarshal(r.Body.Bytes(), &told); err != nil || r.Code != http.StatusPaymentRequired || told.Code != "quota_used_up" {
		t.Fatalf("status %d, body %s", r.Code, r.Body)
	}
	now := time.Now().UTC()
	if want := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC); !told.ResetsAt.Equal(want) || !strings.Contains(told.Message, want.Format(time.DateOnly)) {
		t.Errorf("resets at %v, want %v: %s", told.ResetsAt, want, told.Message)
	}
	if wait, err := strconv.Atoi(r.Header().Get("Retry-After")); err != nil || wait < 1 || wait > 31*24*3600 {
		t.Errorf("Retry-After %q", r.Header().Get("Retry-After"))
	}
}

// spoken finds every address deliverable and has a transcript of it.
func spoken(ctx context.Context, address string) (rcpt.Result, error) {
	result, err := accepts(ctx, address)
	result.Details.Transcript = []smtp.Line{{From: "S", Text: "250 Fine."}}
	return result, err
}

// TestTranscript: details come without what was said, unless that is asked for.
func TestTranscript(t *testing.T) {
	for _, c := range []struct {
		query               string
		details, transcript bool
	}{
		{query: ""},
		{query: "&details=1", details: true},
		{query: "&details=true", details: true},
		{query: "&transcript=1", details: true, transcript: true},
		{query: "&details=1&transcript=true", details: true, transcript: true},
		{query: "&details=1&transcript=0", details: true},
		{query: "&details=false&transcript=0"},
	} {
		handler := newServer(t, api.Config{Verifier: verifierFunc(spoken)}).Handler()
		body := get(handler, "/api/v1/verify?email=alice@acme.example"+c.query).Body.String()
		if strings.Contains(body, `"details":`) != c.details || strings.Contains(body, `"transcript":`) != c.transcript {
			t.Errorf("%q: %s", c.query, body)
		}
	}
	always := newServer(t, api.Config{Details: true, Verifier: verifierFunc(spoken)}).Handler()
	if body := get(always, "/api/v1/verify?email=alice@acme.example").Body.String(); !strings.Contains(body, `"details":`) || strings.Contains(body, `"transcript":`) {
		t.Errorf("with details by default: %s", body)
	}
}

// exact verifies as the engine does as far as syntax goes.
func exact(ctx context.Context, address string) (rcpt.Result, error) {
	result, err := accepts(ctx, address)
	if strings.ContainsAny(address, " <>:") {
		result.Verdict, result.Reason = rcpt.VerdictUndeliverable, rcpt.ReasonInvalidSyntax
	}
	return result, err
}

// TestWhatIsMeant: blanks around an address are removed; for what else is round
// it the address is suggested, and verified with clean=1.
func TestWhatIsMeant(t *testing.T) {
	handler := newServer(t, api.Config{Details: true, Verifier: verifierFunc(exact)}).Handler()
	for _, c := range []struct {
		given                                string
		clean                                string
		email, result, suggestion, givenBack string
	}{
		{"alice%40acme.example", "0", "alice@acme.example", "deliverable", "", ""},
		{"alice%40acme.example%20", "0", "alice@acme.example", "deliverable", "", "alice@acme.example "},
		{"%C2%A0%E3%80%80alice%40acme.example%0D%0A", "0", "alice@acme.example", "deliverable", "", "\u00a0\u3000alice@acme.example\r\n"},
		{"Alice%20%3Calice%40acme.example%3E", "0", "Alice <alice@acme.example>", "undeliverable", "alice@acme.example", ""},
		{"mailto:alice%40acme.example", "0", "mailto:alice@acme.example", "undeliverable", "alice@acme.example", ""},
		{"Alice%20%3Calice%40acme.example%3E", "1", "alice@acme.example", "deliverable", "", "Alice <alice@acme.example>"},
		{"mailto:alice%40acme.example", "true", "alice@acme.example", "deliverable", "", "mailto:alice@acme.example"},
		{"a%20b", "1", "a b", "undeliverable", "", ""},
	} {
		r := get(handler, "/api/v1/verify?clean="+c.clean+"&email="+c.given)
		var got struct {
			Email, Result string
			Details       struct{ Suggestion, Given string }
		}
		if err := json.Unmarshal(r.Body.Bytes(), &got); err != nil || r.Code != 200 {
			t.Errorf("%s: status %d, body %s", c.given, r.Code, r.Body)
		}
		if got.Email != c.email || got.Result != c.result || got.Details.Suggestion != c.suggestion || got.Details.Given != c.givenBack {
			t.Errorf("%s, clean=%s: %+v", c.given, c.clean, got)
		}
	}
	for given, code := range map[string]string{
		"a%40b.example,%20c%40d.example": "several_addresses", "N/A": "no_address", "%20": "no_address", "-": "no_address",
	} {
		request := httptest.NewRequest(http.MethodGet, "/api/v1/verify?clean=1&email="+given, nil)
		request.Header.Set("X-API-Key", key)
		if r := ask(handler, request); r.Code != 400 || !strings.Contains(r.Body.String(), `"code":"`+code+`"`) {
			t.Errorf("%s: status %d, body %s, want %s", given, r.Code, r.Body, code)
		}
	}
}

// TestNotFoundForPrograms: a program that asks for JSON gets no page where
// there is nothing, and every page that there is.
func TestNotFoundForPrograms(t *testing.T) {
	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "form", Value: "x"})
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path != "/keys" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte("<html>"))
	})
	handler := newServer(t, api.Config{Pages: pages}).Handler()
	for _, c := range []struct {
		path, accept string
		status       int
		json         bool
	}{
		{"/v1/verify", "application/json", 404, true},
		{"/v1/verify", "application/problem+json, application/json;q=0.9", 404, true},
		{"/v1/verify", "text/html,application/json;q=0.9", 404, false},
		{"/v1/verify", "Text/HTML,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", 404, false},
		{"/v1/verify", "*/*", 404, true},
		{"/v1/verify", "application/json, text/plain, */*", 404, true},                     // axios
		{"/v1/verify", "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", 404, false}, // java.net
		{"/v1/verify", "", 404, true},
		{"/keys", "application/json", 200, false},
		{"/openapi.yaml", "*/*", 404, true},
		{"/api/v2", "text/html", 404, true},
	} {
		request := httptest.NewRequest(http.MethodGet, c.path, nil)
		request.Header.Set("Accept", c.accept)
		r := ask(handler, request)
		isJSON := strings.HasPrefix(r.Body.String(), `{"message":`) && strings.Contains(r.Body.String(), `"code":"not_found"`)
		if r.Code != c.status || isJSON != c.json || isJSON == strings.Contains(r.Body.String(), "<html>") || isJSON && r.Header().Get("Set-Cookie") != "" {
			t.Errorf("%s for %s: status %d, header %v, body %s", c.path, c.accept, r.Code, r.Header(), r.Body)
		}
	}
}

// TestDocsNameServer: the page names the server as clients reach it.
func TestDocsNameServer(t *testing.T) {
	for _, c := range []struct{ public, host, proto, want string }{
		{"", "verify.example.com:8080", "", "http://verify.example.com:8080/api/v1/verify"},
		{"", "verify.example.com", "https", "https://verify.example.com/api/v1/verify"},
		{"", "x`id`", "", "http://YOUR-SERVER/api/v1/verify"},
		{"https://verify.example.com", "127.0.0.1:8080", "", "https://verify.example.com/api/v1/verify"},
	} {
		handler := newServer(t, api.Config{PublicURL: c.public, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}).Handler()
		request := httptest.NewRequest(http.MethodGet, "/docs", nil)
		request.Host = c.host
		request.Header.Set("X-Forwarded-Proto", c.proto)
		if body := ask(handler, request).Body.String(); !strings.Contains(body, c.want) || strings.Contains(body, "`id`") {
			t.Errorf("%+v: the page does not say so", c)
		}
	}
}
