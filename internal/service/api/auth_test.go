package api_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/api"
)

func TestKey(t *testing.T) {
	handler := newServer(t, api.Config{}).Handler()
	for _, c := range []struct {
		name, query, authorization, header string
		status                             int
	}{
		{"in the query", "apikey=" + key, "", "", 200},
		{"bearer", "", "Bearer " + key, "", 200},
		{"bearer in another case", "", "bEARER  " + key, "", 200},
		{"own header", "", "", key, 200},
		{"own header beside basic authentication", "", "Basic YTpi", key, 200},

		{"the other name of the parameter", "api_key=" + key, "", "", 200},

		{"none", "", "", "", 401},
		{"empty", "apikey=", "", "", 401},
		{"wrong", "apikey=" + key + "x", "", "", 401},
		{"twice", "apikey=" + key + "&apikey=" + key, "", "", 200},
		{"right and wrong", "apikey=" + key + "&apikey=x", "", "", 401},
		{"beginning", "apikey=" + key[:len(key)-1], "", "", 401},
		{"under both names", "api_key=" + key + "&apikey=" + key, "", "", 200},
		{"wrong under the other name", "apikey=" + key + "&api_key=x", "", "", 401},
		{"twice, with another between", "apikey=" + key + "&api_key=x&apikey=" + key, "", "", 401},
		{"one of them empty", "api_key=&apikey=" + key, "", "", 200},
		{"empty, beside the right header", "apikey=", "", key, 200},
		{"wrong beside the right header", "apikey=x", "", key, 401},
		{"wrong beside the right bearer", "apikey=x", "Bearer " + key, "", 401},
		{"two beside the right header", "apikey=x&api_key=y", "", key, 401},
		{"another parameter", "key=" + key, "", "", 401},
		{"another scheme", "", "Basic " + key, "", 401},
		{"no scheme", "", key, "", 401},
		{"another service's bearer beside the right key", "apikey=" + key, "Bearer eyJhbGciOiJIUzI1NiJ9.e30.x", "", 200},
		{"another service's headers beside the right key", "api_key=" + key, "Basic YTpi", "theirs", 200},
		{"wrong bearer beside the right own header", "", "Bearer wrong", key, 401},
	} {
		request := httptest.NewRequest(http.MethodGet, "/api/v1/verify?email=a@b.example&"+c.query, nil)
		request.Header.Set("Authorization", c.authorization)
		request.Header.Set("X-API-Key", c.header)
		response := ask(handler, request)
		if response.Code != c.status {
			t.Errorf("%s: status %d, want %d", c.name, response.Code, c.status)
		}
		if c.status == 401 && (response.Body.String() != `{"message":"Unauthorized"}`+"\n" || response.Header().Get("WWW-Authenticate") == "") {
			t.Errorf("%s: body %s, header %v", c.name, response.Body, response.Header())
		}
	}
}

// TestKeyComesFirst checks that a client without a key learns nothing about
// parameters, and causes no work.
func TestKeyComesFirst(t *testing.T) {
	handler := newServer(t, api.Config{Verifier: verifierFunc(func(ctx context.Context, address string) (rcpt.Result, error) {
		t.Error("verified without a key")
		return accepts(ctx, address)
	})}).Handler()
	for _, query := range []string{"", "email=a@b.example", "email=%", "timeout=x", strings.Repeat("x", 20000)} {
		if response := ask(handler, httptest.NewRequest(http.MethodGet, "/api/v1/verify?"+query, nil)); response.Code != 401 {
			t.Errorf("%.40s: status %d, want 401", query, response.Code)
		}
	}
}

func TestConfig(t *testing.T) {
	for name, config := range map[string]api.Config{
		"no keys":              {Verifier: verifierFunc(accepts)},
		"no verifier":          {Keys: fixed(t, key)},
		"negative timeout":     {Verifier: verifierFunc(accepts), Keys: fixed(t, key), Timeout: -1},
		"negative concurrency": {Verifier: verifierFunc(accepts), Keys: fixed(t, key), Concurrency: -1},
		"negative connections": {Verifier: verifierFunc(accepts), Keys: fixed(t, key), MaxConnections: -1},
	} {
		if _, err := api.New(config); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestLogIsDiscreet: neither keys nor local-parts get into the log, wherever a
// client puts them.
func TestLogIsDiscreet(t *testing.T) {
	var log bytes.Buffer
	handler := newServer(t, api.Config{Logger: logTo(&log)}).Handler()
	for _, target := range []string{
		"/api/v1/verify?email=alice@acme.example&apikey=" + key,
		"/api/v1/verify?email=alice@acme.example&apikey=wrong-" + key,
		"/api/v1/verify?apikey=" + key + "&email=alice%4",
		"/alice/" + key + "?apikey=" + key,
	} {
		ask(handler, httptest.NewRequest(http.MethodGet, target, nil))
	}
	request := httptest.NewRequest("ALICE"+key, "/healthz", nil)
	request.Header.Set("X-Request-Id", key)
	ask(handler, request)

	for _, secret := range []string{key, "alice", "ALICE", "email="} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%q is in the log:\n%s", secret, log.String())
		}
	}
	for _, fact := range []string{"route=/api/v1/verify", "status=200", "status=401", "status=400", "status=404", "status=405",
		"domain=acme.example", "result=deliverable", "request_id="} {
		if !strings.Contains(log.String(), fact) {
			t.Errorf("%q is not in the log:\n%s", fact, log.String())
		}
	}
}

// TestLogLevels: a verification is one info line with its outcome, and nothing
// else is one.
func TestLogLevels(t *testing.T) {
	for _, c := range []struct{ target, level string }{
		{"/api/v1/verify?email=alice@acme.example&apikey=" + key, "level=INFO"},
		{"/api/v1/verify?email=alice@acme.example", "level=DEBUG"},
		{"/api/v1/verify?apikey=" + key, "level=DEBUG"},
		{"/healthz", "level=DEBUG"},
		{"/nowhere", "level=DEBUG"},
		{"//api/v1/verify", "level=DEBUG"},
	} {
		var log bytes.Buffer
		handler := newServer(t, api.Config{Logger: logTo(&log)}).Handler()
		ask(handler, httptest.NewRequest(http.MethodGet, "http://rcpt.example"+c.target, nil))
		if lines := strings.Count(log.String(), "\n"); lines != 1 || !strings.Contains(log.String(), c.level) {
			t.Errorf("%s: want one line with %s:\n%s", c.target, c.level, log.String())
		}
		if outcome := "domain=acme.example result=deliverable reason=recipient_accepted status=200 duration_ms="; c.level == "level=INFO" &&
			!strings.Contains(log.String(), outcome) {
			t.Errorf("no %s in\n%s", outcome, log.String())
		}
	}
}
