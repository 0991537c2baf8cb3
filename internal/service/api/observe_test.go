package api_test

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestLogLine: a verification is one line with all that is known of it, and the
// ID that the client got.
func TestLogLine(t *testing.T) {
	var log strings.Builder
	handler := newServer(t, api.Config{Logger: logTo(&log)}).Handler()
	id := get(handler, "/api/v1/verify?email=alice@acme.example").Header().Get("X-Request-Id")
	want := `^time=\d{4}-\d\d-\d\dT\S+ level=INFO msg=request request_id=` + regexp.QuoteMeta(id) + ` method=GET route=/api/v1/verify key_id=fixed ` +
		`domain=acme.example result=deliverable reason=recipient_accepted status=200 duration_ms=\d+\n$`
	if !regexp.MustCompile(want).MatchString(log.String()) {
		t.Errorf("log %q, want %s", log.String(), want)
	}
}

// TestRequestIDs: they can be told apart, and typed.
func TestRequestIDs(t *testing.T) {
	handler := newServer(t, api.Config{}).Handler()
	form, seen := regexp.MustCompile(`^[A-Z2-7]{26}$`), map[string]bool{}
	digits := map[rune]bool{}
	const requests = 500
	for range requests {
		id := get(handler, "/healthz").Header().Get("X-Request-Id")
		if !form.MatchString(id) {
			t.Errorf("ID %q", id)
		}
		seen[id] = true
		for _, digit := range id {
			digits[digit] = true
		}
	}
	if len(seen) != requests || len(digits) != 32 {
		t.Errorf("%d different IDs of %d digits, want %d of 32", len(seen), len(digits), requests)
	}
}

// TestRoutes: each request is counted by the route that took it.
func TestRoutes(t *testing.T) {
	var route string
	pages := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	handler := newServer(t, api.Config{
		Pages: pages, Hooks: api.Hooks{Answered: func(r string, status int, _ time.Duration) { route = r + " " + strconv.Itoa(status) }},
	}).Handler()
	for path, want := range map[string]string{
		"/healthz": "/healthz 200", "/api/v1/verify": "/api/v1/verify 400", "/api": "/api 404", "/api/v1/nowhere": "/api/ 404", "/apix": "/ 418",
		"/": "/ 418", "/keys": "/ 418", "/keys/": "/ 404", "/api/": "/api 404", "/api/v1/verify/": "/api/v1/verify 400", "/docs": "/docs 200", "/docs/guide": "/docs/guide 200", "/docs/guide/commands": "/docs/guide 200", "/docs/guide/nothing": "/docs/guide 404", "/api/v1/usage": "/api/ 404",
	} {
		if get(handler, path); route != want {
			t.Errorf("%s: %s, want %s", path, route, want)
		}
	}
}

// TestLength: every answer of the API has its length, so that nothing comes in
// chunks.
func TestLength(t *testing.T) {
	long := strings.Repeat("long ", 1000)
	url, stop, end := start(t, api.Config{Verifier: verifierFunc(func(ctx context.Context, address string) (rcpt.Result, error) {
		result, err := accepts(ctx, address)
		result.Details.SMTP = &rcpt.SMTPAnswer{Phase: smtp.PhaseRCPT, Text: long}
		return result, err
	})})
	for target, shortest := range map[string]int{
		"/healthz": 10, "/nowhere": 10, "/api/v1/verify?email=a@b.example&apikey=" + key: 10, "/api/v1/verify?details=1&email=a@b.example&apikey=" + key: len(long),
	} {
		response, err := http.Get(url + target)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || len(body) < shortest || response.ContentLength != int64(len(body)) || len(response.TransferEncoding) > 0 {
			t.Errorf("%s: length %d of %d octets, transfer encoding %q, error %v", target, response.ContentLength, len(body), response.TransferEncoding, err)
		}
	}
	stop()
	if err := end(); err != nil {
		t.Error(err)
	}
}
