package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

const record = `{"email":"alice@acme.example","user":"alice","domain":"acme.example","accept_all":0,"role":0,"free_email":0,` +
	`"disposable":0,"spamtrap":0,"success":true,"result":"deliverable","message":"Fine."`

const details = `,"details":{"reason":"recipient_accepted","catch_all":"no","cached":false,"checked_at":"1970-01-01T00:00:00Z","duration_ms":0,"action":"send"}`

func TestAnswers(t *testing.T) {
	handler := newServer(t, api.Config{}).Handler()
	for _, c := range []struct {
		target string
		status int
		body   string
	}{
		{"/api/v1/verify?email=alice@acme.example", 200, record + "}"},
		{"/api/v1/verify?email=alice%40acme.example&details=0", 200, record + "}"},
		{"/api/v1/verify?email=alice@acme.example&details=1", 200, record + details + "}"},
		{"/api/v1/verify?email=alice@acme.example&details=1&timeout=2.5&other=ignored", 200, record + details + "}"},
		{"/api/v1/verify", 400, `{"message":"The parameter \"email\" is missing: the address to verify, percent-encoded.","success":false,"code":"missing_parameter"}`},
		{"/api/v1/verify?email=", 400, `{"message":"The parameter \"email\" is missing: the address to verify, percent-encoded.","success":false,"code":"missing_parameter"}`},
		{"/api/v1/verify?email=a@b.example&email=c@d.example", 400, `{"message":"The parameter \"email\" is given with two values.","success":false,"code":"invalid_parameter"}`},
		{"/api/v1/verify?email=a@b.example&details=yes", 400, `{"message":"The parameter \"details\" must be 1 or 0.","success":false,"code":"invalid_parameter"}`},
		{"/api/v1/verify?email=a@b.example&fresh=yes", 400, `{"message":"The parameter \"fresh\" must be 1 or 0.","success":false,"code":"invalid_parameter"}`},
		{"/api/v1/verify?email=a@b.example&details=", 400, `{"message":"The parameter \"details\" must be 1 or 0.","success":false,"code":"invalid_parameter"}`},
		{"/api/v1/verify?email=a@b.example&timeout=0", 400, `{"message":"The parameter \"timeout\" must be a number of seconds, at least 0.001.","success":false,"code":"invalid_parameter"}`},
		{"/api/v1/verify?email=a@b.example&timeout=1e-12", 400, `{"message":"The parameter \"timeout\" must be a number of seconds, at least 0.001.","success":false,"code":"invalid_parameter"}`},
		{"/api/v1/verify?email=a@b.example&timeout=-1", 400, `{"message":"The parameter \"timeout\" must be a number of seconds, at least 0.001.","success":false,"code":"invalid_parameter"}`},
		{"/api/v1/verify?email=a@b.example&timeout=10s", 400, `{"message":"The parameter \"timeout\" must be a number of seconds, at least 0.001.","success":false,"code":"invalid_parameter"}`},
		{"/api/v1/verify?email=a@b.example&timeout=NaN", 400, `{"message":"The parameter \"timeout\" must be a number of seconds, at least 0.001.","success":false,"code":"invalid_parameter"}`},
		{"/api/v1/verify?email=a%4", 400, `{"message":"The query is not well-formed: percent-encode the values of its parameters.","success":false,"code":"invalid_query"}`},
		{"/api/v1/verify?email=a;b@c.example", 400, `{"message":"The query is not well-formed: percent-encode the values of its parameters.","success":false,"code":"invalid_query"}`},
		{"/api/v1/verify?email=" + strings.Repeat("a", 9000), 400, `{"message":"The query is longer than 8192 octets.","success":false,"code":"invalid_query"}`},
		{"/healthz", 200, `{"status":"ok"}`},
		{"/", 404, `{"message":"This path does not exist. The API is described at /docs and, for programs, in /openapi.json.","success":false,"code":"not_found"}`},
		{"/api/v1/verify/", 400, `{"message":"The parameter \"email\" is missing: the address to verify, percent-encoded.","success":false,"code":"missing_parameter"}`},
	} {
		response := get(handler, c.target)
		if response.Code != c.status {
			t.Errorf("%.80s: status %d, want %d", c.target, response.Code, c.status)
		}
		if diff := cmp.Diff(c.body+"\n", response.Body.String()); diff != "" {
			t.Errorf("%.80s: body (-want +got):\n%s", c.target, diff)
		}
	}
}

func TestHeaders(t *testing.T) {
	handler := newServer(t, api.Config{}).Handler()
	for _, target := range []string{"/api/v1/verify?email=alice@acme.example", "/api/v1/verify", "/nowhere", "/healthz"} {
		header := get(handler, target).Header()
		for name, want := range map[string]string{
			"Content-Type":           "application/json; charset=utf-8",
			"Cache-Control":          "private, no-store",
			"X-Content-Type-Options": "nosniff",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s: %q, want %q", target, name, got, want)
			}
		}
		if header.Get("X-Request-Id") == "" {
			t.Errorf("%s: no request ID", target)
		}
	}
}

func TestMethods(t *testing.T) {
	handler := newServer(t, api.Config{}).Handler()
	for _, c := range []struct {
		path, allow string
		refused     []string
	}{
		{"/api/v1/verify?email=a@b.example", "GET, POST", []string{http.MethodHead, http.MethodPut, http.MethodOptions, "BREW"}},
		{"/healthz", "GET, HEAD", []string{http.MethodPost, http.MethodDelete, http.MethodOptions, http.MethodConnect}},
	} {
		for _, method := range c.refused {
			response := ask(handler, httptest.NewRequest(method, c.path, nil))
			if response.Code != http.StatusMethodNotAllowed || response.Header().Get("Allow") != c.allow ||
				!strings.Contains(response.Body.String(), "use "+strings.ReplaceAll(c.allow, ", ", " or ")) {
				t.Errorf("%s %s: status %d, Allow %q", method, c.path, response.Code, response.Header().Get("Allow"))
			}
		}
	}
	if response := ask(handler, httptest.NewRequest(http.MethodHead, "/healthz", nil)); response.Code != http.StatusOK {
		t.Errorf("HEAD /healthz: status %d", response.Code)
	}
}

// TestNoRedirect: a path that is not in its usual form is none; a redirect
// would repeat the key.
func TestNoRedirect(t *testing.T) {
	handler := newServer(t, api.Config{}).Handler()
	for _, target := range []string{
		"//api/v1/verify", "/api//v1/verify", "/api/./v1/verify", "/api/v2/../v1/verify", "/api/v1/verify//", "/api/v1//verify/", "/api/v1/verify/.", "/healthz/", "/./healthz", "/%2e/../healthz", "///",
	} {
		response := ask(handler, httptest.NewRequest(http.MethodGet, "http://rcpt.example"+target+"?email=a@b.example&apikey="+key, nil))
		if response.Code != http.StatusNotFound || response.Header().Get("Location") != "" || response.Body.String() != `{"message":"This path does not exist. The API is described at /docs and, for programs, in /openapi.json.","success":false,"code":"not_found"}`+"\n" {
			t.Errorf("%s: status %d, Location %q, body %s", target, response.Code, response.Header().Get("Location"), response.Body)
		}
	}
}

// TestEmailParameter: the verifier gets the address that the client meant.
func TestEmailParameter(t *testing.T) {
	var asked string
	handler := newServer(t, api.Config{Verifier: verifierFunc(func(ctx context.Context, address string) (rcpt.Result, error) {
		asked = address
		return accepts(ctx, address)
	})}).Handler()
	for query, want := range map[string]string{
		"email=alice%2Bnews%40acme.example":     "alice+news@acme.example",
		"email=alice+news@acme.example":         "alice+news@acme.example", // not form-encoded: "@" is bare
		"x=1&email=a+b+c@acme.example":          "a+b+c@acme.example",
		"email=%22alice+x%22%40acme.example":    `"alice x"@acme.example`, // form-encoded: "+" is a space
		"email=%22alice%20x%22@acme.example":    `"alice x"@acme.example`,
		"email=josé@bücher.example":             "josé@bücher.example",
		"email=jos%C3%A9@b%C3%BCcher.example":   "josé@bücher.example",
		"email=%20alice@acme.example%0D%0ADATA": "alice@acme.example\r\nDATA",
		"email=%FF@acme.example":                "\xff@acme.example",
	} {
		if response := get(handler, "/api/v1/verify?"+query); response.Code != http.StatusOK {
			t.Errorf("%s: status %d", query, response.Code)
		}
		if asked != want {
			t.Errorf("%s: verified %q, want %q", query, asked, want)
		}
	}
}

// TestTimeout: a request may ask for less time, never for more.
func TestTimeout(t *testing.T) {
	for query, want := range map[string]time.Duration{
		"":               7 * time.Second,
		"&timeout=2":     2 * time.Second,
		"&timeout=0.25":  250 * time.Millisecond,
		"&timeout=999":   7 * time.Second,
		"&timeout=1000":  time.Second, // milliseconds
		"&timeout=3600":  3600 * time.Millisecond,
		"&timeout=30000": 7 * time.Second,
		"&timeout=1e300": 7 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			var left time.Duration
			handler := newServer(t, api.Config{Timeout: 7 * time.Second, Verifier: verifierFunc(func(ctx context.Context, address string) (rcpt.Result, error) {
				deadline, _ := ctx.Deadline()
				left = time.Until(deadline)
				return accepts(ctx, address)
			})}).Handler()
			get(handler, "/api/v1/verify?email=a@b.example"+query)
			if left != want {
				t.Errorf("%q: %v for the verification, want %v", query, left, want)
			}
		})
	}
}

func TestDetailsByDefault(t *testing.T) {
	handler := newServer(t, api.Config{Details: true}).Handler()
	if body := get(handler, "/api/v1/verify?email=alice@acme.example").Body.String(); !strings.Contains(body, `"details"`) {
		t.Errorf("no details in %s", body)
	}
	if body := get(handler, "/api/v1/verify?email=alice@acme.example&details=0").Body.String(); strings.Contains(body, `"details"`) {
		t.Errorf("details in %s", body)
	}
}

// TestFault: a verification that could not be carried out says so in its
// record, and says no more.
func TestFault(t *testing.T) {
	handler := newServer(t, api.Config{Verifier: verifierFunc(func(_ context.Context, address string) (rcpt.Result, error) {
		return rcpt.Result{Email: address, Verdict: rcpt.VerdictUnknown, Message: "The verification could not be carried out."},
			errors.New("secret of the house")
	})}).Handler()
	response := get(handler, "/api/v1/verify?email=a@b.example")
	want := `{"email":"a@b.example","user":"","domain":"","accept_all":0,"role":0,"free_email":0,"disposable":0,"spamtrap":0,"success":false,"result":"unknown","message":"The verification could not be carried out."}` + "\n"
	if response.Code != http.StatusOK || response.Body.String() != want {
		t.Errorf("status %d, body %s", response.Code, response.Body)
	}
}

// TestCancelled: an answer that was cut off is none, and is to be asked for
// again.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	handler := newServer(t, api.Config{Verifier: verifierFunc(func(ctx context.Context, address string) (rcpt.Result, error) {
		cancel()
		return rcpt.Result{Email: address, Verdict: rcpt.VerdictUnknown}, ctx.Err()
	})}).Handler()
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/verify?email=a@b.example&apikey="+key, nil)
	response := ask(handler, request)
	if response.Code != http.StatusServiceUnavailable || response.Header().Get("Retry-After") == "" {
		t.Errorf("status %d, Retry-After %q", response.Code, response.Header().Get("Retry-After"))
	}
}

// TestBusyMailHost: a queue that is too long is no answer about the address,
// and is to be asked for again.
func TestBusyMailHost(t *testing.T) {
	handler := newServer(t, api.Config{Verifier: verifierFunc(func(_ context.Context, address string) (rcpt.Result, error) {
		return rcpt.Result{Email: address, Verdict: rcpt.VerdictUnknown}, fmt.Errorf("%w (192.0.2.1)", engine.ErrBusy)
	})}).Handler()
	response := get(handler, "/api/v1/verify?email=a@b.example")
	if response.Code != http.StatusServiceUnavailable || response.Header().Get("Retry-After") == "" ||
		response.Body.String() != `{"message":"Too many verifications wait for the mail host of this address. Try again later.","success":false,"code":"mail_host_busy"}`+"\n" {
		t.Errorf("status %d, Retry-After %q, body %s", response.Code, response.Header().Get("Retry-After"), response.Body)
	}
}

// TestReadable: what a mail host said comes as it said it, though it looks like
// HTML.
func TestReadable(t *testing.T) {
	handler := newServer(t, api.Config{Details: true, Verifier: verifierFunc(func(ctx context.Context, address string) (rcpt.Result, error) {
		result, err := accepts(ctx, address)
		result.Details.SMTP = &rcpt.SMTPAnswer{Phase: smtp.PhaseRCPT, Text: "<a@b.example> & co"}
		return result, err
	})}).Handler()
	if body := get(handler, "/api/v1/verify?email=a@b.example").Body.String(); !strings.Contains(body, `"<a@b.example> & co"`) {
		t.Errorf("body %s", body)
	}
}

func TestPanic(t *testing.T) {
	var log strings.Builder
	handler := newServer(t, api.Config{Logger: logTo(&log), Verifier: verifierFunc(func(_ context.Context, address string) (rcpt.Result, error) {
		panic("cannot work on " + address)
	})}).Handler()
	response := get(handler, "/api/v1/verify?email=alice@acme.example")
	if response.Code != http.StatusInternalServerError || response.Body.String() != `{"message":"Internal error: this is a bug. The server's log has the details under the request ID.","success":false,"code":"internal_error"}`+"\n" {
		t.Errorf("status %d, body %s", response.Code, response.Body)
	}
	if !strings.Contains(log.String(), "verify_test.go") {
		t.Errorf("no stack in the log:\n%s", log.String())
	}
	if strings.Contains(log.String(), "alice") {
		t.Errorf("the address is in the log:\n%s", log.String())
	}
}

// TestPanicFreesSlot: a bug must not use up the server bit by bit.
func TestPanicFreesSlot(t *testing.T) {
	handler := newServer(t, api.Config{Concurrency: 1, Verifier: verifierFunc(func(context.Context, string) (rcpt.Result, error) {
		panic("bug")
	})}).Handler()
	for range 3 {
		if response := get(handler, "/api/v1/verify?email=a@b.example"); response.Code != http.StatusInternalServerError {
			t.Errorf("status %d", response.Code)
		}
	}
}

// knowing is a verifier that remembers an answer to everything.
type knowing struct{ verifierFunc }

func (knowing) Recall(ctx context.Context, address string) (rcpt.Result, bool) {
	result, _ := accepts(ctx, address)
	result.Local = "remembered"
	return result, true
}

// TestFreshIsNotRemembered: a request for a new answer does not get the one
// that is remembered.
func TestFreshIsNotRemembered(t *testing.T) {
	handler := newServer(t, api.Config{Verifier: knowing{accepts}}).Handler()
	for query, want := range map[string]string{"": "remembered", "&fresh=0": "remembered", "&fresh=1": "anew"} {
		if body := get(handler, "/api/v1/verify?email=a@b.example"+query).Body.String(); !strings.Contains(body, `"user":"`+want+`"`) {
			t.Errorf("%q: %s, want the one that is %s", query, body, want)
		}
	}
}

func TestFresh(t *testing.T) {
	handler := newServer(t, api.Config{Verifier: verifierFunc(accepts)}).Handler()
	for query, anew := range map[string]bool{"": false, "&fresh=0": false, "&fresh=1": true} {
		response := get(handler, "/api/v1/verify?email=a@b.example"+query)
		if got := strings.Contains(response.Body.String(), `"user":"anew"`); got != anew {
			t.Errorf("%q: asked anew: %t, want %t", query, got, anew)
		}
	}
}
