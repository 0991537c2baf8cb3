package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/server"
)

const key = "a-key-for-tests"

// verifier is a function.
type verifier func(ctx context.Context, address string) (rcpt.Result, error)

func (v verifier) Verify(ctx context.Context, address string) (rcpt.Result, error) {
	return v(ctx, address)
}

// deliverable finds every mailbox.
var deliverable = verifier(func(_ context.Context, address string) (rcpt.Result, error) {
	return rcpt.Result{
		Email: address, Verdict: rcpt.VerdictDeliverable, Reason: rcpt.ReasonRecipientAccepted, Message: "Fine.",
	}, nil
})

func handlerOf(t *testing.T, v rcpt.Verifier, o server.Options) http.Handler {
	t.Helper()
	if o.Authorize == nil {
		o.Key = key
	}
	h, err := server.Handler(v, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ask sends a request with the key.
func ask(t *testing.T, h http.Handler, method, target, body string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	request.Header.Set("X-API-Key", key)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response := httptest.NewRecorder()
	h.ServeHTTP(response, request)
	return response
}

// TestKey checks who is let in, wherever the key is.
func TestKey(t *testing.T) {
	h := handlerOf(t, deliverable, server.Options{})
	for _, c := range []struct {
		query, header, value string
		want                 int
	}{
		{"&apikey=" + key, "", "", 200},
		{"&api_key=" + key, "", "", 200},
		{"", "X-API-Key", key, 200},
		{"", "Authorization", "Bearer " + key, 200},
		{"", "X-API-Key", key + "x", 401},
		{"", "", "", 401},
	} {
		request := httptest.NewRequest("GET", "/api/v1/verify?email=alice@acme.example"+c.query, nil)
		if c.header != "" {
			request.Header.Set(c.header, c.value)
		}
		response := httptest.NewRecorder()
		h.ServeHTTP(response, request)
		if response.Code != c.want {
			t.Errorf("%s, %s: %s: status %d, want %d: %s", c.query, c.header, c.value, response.Code, c.want, response.Body)
		}
	}
}

// TestAnswers: each request has the status of the contract, with the methods
// that are allowed where one is not.
func TestAnswers(t *testing.T) {
	h := handlerOf(t, deliverable, server.Options{})
	for _, c := range []struct {
		method, target, body string
		status               int
		allow                string
	}{
		{"GET", "/api/v1/verify?email=a@b.example", "", 200, ""},
		{"GET", "/api/v1/verify/?email=a@b.example", "", 200, ""},
		{"GET", "/our/own/api/v1/verify?email=a@b.example&details=1", "", 200, ""},
		{"GET", "/api/v1/verify", "", 400, ""},
		{"GET", "/api/v1/verify?email=a@b.example&timeout=soon", "", 400, ""},
		{"GET", "/api/v1/verify?email=a@b.example", strings.Repeat("x", 10_000), 413, ""},
		{"POST", "/api/v1/verify", `{"email":"a@b.example"}`, 200, ""},
		{"POST", "/x/api/v1/verify/", `{"emails":["a@b.example","b@b.example"]}`, 200, ""},
		{"POST", "/api/v1/verify", `{"emails":[]}`, 400, ""},
		{"POST", "/api/v1/verify", `{`, 400, ""},
		{"POST", "/api/v1/verify", ``, 415, ""},
		{"POST", "/api/v1/verify", `{"email":"` + strings.Repeat("x", 300<<10) + `"}`, 413, ""},
		{"HEAD", "/api/v1/verify?email=a@b.example", "", 405, "GET, POST"},
		{"OPTIONS", "/api/v1/verify", "", 405, "GET, POST"},
		{"PUT", "/api/v1/verify", "", 405, "GET, POST"},
		{"GET", "/openapi.json", "", 200, ""},
		{"HEAD", "/our/own/openapi.json", "", 200, ""},
		{"POST", "/openapi.json", `{}`, 405, "GET, HEAD"},
		{"GET", "/", "", 404, ""},
		{"GET", "/api/v1/usage", "", 404, ""},
		{"GET", "/api/v1/verify/more?email=a@b.example", "", 404, ""},
		{"GET", "/api/v1/notverify?email=a@b.example", "", 404, ""},
		{"GET", "/api%2Fv1/verify?email=a@b.example", "", 404, ""},
	} {
		response := ask(t, h, c.method, c.target, c.body)
		if response.Code != c.status || response.Header().Get("Allow") != c.allow {
			t.Errorf("%s %s %.20s: %d, Allow %q; want %d, %q: %.200s", c.method, c.target, c.body, response.Code, response.Header().Get("Allow"), c.status, c.allow, response.Body)
		}
	}
}

// TestOptions checks that what is missing or impossible is an error that names
// it.
func TestOptions(t *testing.T) {
	for name, c := range map[string]struct {
		verifier rcpt.Verifier
		options  server.Options
	}{
		"Verifier":    {nil, server.Options{Key: key}},
		"Authorize":   {deliverable, server.Options{}},
		"timeout":     {deliverable, server.Options{Key: key, Timeout: -1}},
		"concurrency": {deliverable, server.Options{Key: key, Concurrency: -1}},
		"Path":        {deliverable, server.Options{Key: key, Path: "verify"}},
		`Path: "/"`:   {deliverable, server.Options{Key: key, Path: "/"}},
		`"/a/"`:       {deliverable, server.Options{Key: key, Path: "/a/"}},
		"openapi":     {deliverable, server.Options{Key: key, Path: "/openapi.json"}},
	} {
		if _, err := server.Handler(c.verifier, c.options); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestAuthorize checks that a program that knows its clients by other means
// decides who may ask, that keys mean nothing then, and that it is told of what
// was answered, with what is in its context.
func TestAuthorize(t *testing.T) {
	type session struct{}
	var used []string
	h := handlerOf(t, deliverable, server.Options{
		Verified: func(ctx context.Context, client string, result rcpt.Result, took time.Duration) {
			used = append(used, fmt.Sprint(client, " ", ctx.Value(session{}), " ", result.Verdict, " ", took >= 0))
		},
		Authorize: func(r *http.Request) (string, error) {
			switch user, _, _ := r.BasicAuth(); user {
			case "ann":
				return "ann", nil
			case "joe":
				return "", fmt.Errorf("no plan: %w", &server.Error{Status: 402, Code: "no_plan", Message: "Choose a plan first.", RetryAfter: time.Minute})
			case "eve":
				return "", &server.Error{Status: 429, Message: "Later."}
			case "odd":
				return "", &server.Error{Status: 200}
			case "guest":
				return "", &server.Error{Status: 401, Code: "x"}
			}
			return "", errors.New("not ours")
		},
	})
	for name, want := range map[string]struct {
		status int
		body   string
	}{
		"ann": {200, ""}, "bob": {401, `{"message":"Unauthorized"}`}, "": {401, ""}, "odd": {401, ""}, "guest": {401, `{"message":"Unauthorized"}`},
		"joe": {402, `{"message":"Choose a plan first.","success":false,"code":"no_plan"}`}, "eve": {429, `{"message":"Later.","success":false}`},
	} {
		request := httptest.NewRequest("GET", "/api/v1/verify?email=alice@example.com", nil)
		request = request.WithContext(context.WithValue(request.Context(), session{}, 7))
		request.Header.Set("X-API-Key", key)
		if name != "" {
			request.SetBasicAuth(name, "x")
		}
		response := httptest.NewRecorder()
		h.ServeHTTP(response, request)
		if body := strings.TrimSpace(response.Body.String()); response.Code != want.status || want.body != "" && body != want.body {
			t.Errorf("%q: %d %s", name, response.Code, body)
		}
		if got := response.Header().Get("Retry-After"); name == "joe" && got != "60" {
			t.Errorf("joe is to come back after %q s", got)
		}
	}
	if !slices.Equal(used, []string{"ann 7 deliverable true"}) {
		t.Errorf("told of %q", used)
	}
}

// wrapper changes what the Verifier in it says.
type wrapper struct{ *engine.Verifier }

func (w wrapper) Verify(ctx context.Context, address string) (rcpt.Result, error) {
	result, err := w.Verifier.Verify(ctx, address)
	result.Message = "wrapped"
	return result, err
}

// TestWrapper: a type with an engine in it is asked itself, whatever methods it
// has got by embedding, for one address and for many.
func TestWrapper(t *testing.T) {
	v, err := engine.New(engine.Config{Level: engine.LevelSyntax, MaxRemembered: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	h := handlerOf(t, wrapper{v}, server.Options{})
	if got := ask(t, h, "GET", "/api/v1/verify?email=a@b.example", "").Body.String(); !strings.Contains(got, "wrapped") {
		t.Errorf("GET: %s", got)
	}
	for _, n := range []int{1, 2, 3, 100} {
		var asked struct {
			Emails []string `json:"emails"`
			Fresh  bool     `json:"fresh"`
		}
		for i := range n {
			asked.Emails = append(asked.Emails, fmt.Sprintf("a%d@b.example", i))
		}
		for _, asked.Fresh = range []bool{false, true} {
			body, _ := json.Marshal(asked)
			got := ask(t, h, "POST", "/api/v1/verify", string(body)).Body.String()
			if strings.Count(got, `"message":"wrapped"`) != n {
				t.Errorf("%d addresses: %.300s", n, got)
			}
		}
	}
}

// TestFresh: a request that wants no remembered result has the other Verifier.
func TestFresh(t *testing.T) {
	fresh := verifier(func(ctx context.Context, address string) (rcpt.Result, error) {
		result, err := deliverable(ctx, address)
		result.Message = "asked just now"
		return result, err
	})
	h := handlerOf(t, deliverable, server.Options{Fresh: fresh})
	for target, want := range map[string]string{"": "Fine.", "&fresh=0": "Fine.", "&fresh=1": "asked just now"} {
		if got := ask(t, h, "GET", "/api/v1/verify?email=a@b.example"+target, "").Body.String(); !strings.Contains(got, want) {
			t.Errorf("%q: %s", target, got)
		}
	}
	if got := ask(t, h, "POST", "/api/v1/verify?fresh=1", `{"emails":["a@b.example","b@b.example"]}`).Body.String(); strings.Count(got, "asked just now") != 2 {
		t.Errorf("several: %s", got)
	}
}

// TestOddVerifiers: whatever a Verifier returns, the record is one of the
// contract: with the address and a verdict, and with success false where there
// was an error.
func TestOddVerifiers(t *testing.T) {
	fault := errors.New("no route")
	known := rcpt.Result{Email: "a@b.example", Verdict: rcpt.VerdictDeliverable, Message: "Fine."}
	for name, c := range map[string]struct {
		result  rcpt.Result
		err     error
		success bool
		verdict rcpt.Verdict
		reason  rcpt.Reason
	}{
		"nothing":                {rcpt.Result{}, nil, false, "unknown", rcpt.ReasonInternalError},
		"an error alone":         {rcpt.Result{}, fault, false, "unknown", rcpt.ReasonInternalError},
		"a verdict and an error": {known, fault, false, "unknown", rcpt.ReasonInternalError},
		"the context":            {rcpt.Result{Verdict: "unknown", Reason: rcpt.ReasonUnfinished}, context.DeadlineExceeded, false, "unknown", rcpt.ReasonUnfinished},
		"the context alone":      {rcpt.Result{}, fmt.Errorf("asking: %w", context.DeadlineExceeded), false, "unknown", rcpt.ReasonUnfinished},
		"no details":             {rcpt.Result{Email: "a@b.example", Verdict: "unknown", Reason: rcpt.ReasonGreylisted}, nil, true, "unknown", rcpt.ReasonGreylisted},
	} {
		h := handlerOf(t, verifier(func(context.Context, string) (rcpt.Result, error) { return c.result, c.err }), server.Options{Details: true})
		one := ask(t, h, "GET", "/api/v1/verify?email=a@b.example", "")
		several := ask(t, h, "POST", "/api/v1/verify", `{"emails":["a@b.example","a@b.example","A@b.example"]}`)
		var all struct{ Results []json.RawMessage }
		if err := json.Unmarshal(several.Body.Bytes(), &all); err != nil || one.Code != 200 || several.Code != 200 || len(all.Results) != 3 {
			t.Fatalf("%s: %d, %d, %v", name, one.Code, several.Code, err)
		}
		for _, text := range append(all.Results, one.Body.Bytes()) {
			var record struct {
				Email, Message string
				Success        bool
				Result         rcpt.Verdict
				Details        struct{ Reason rcpt.Reason }
			}
			if err := json.Unmarshal(text, &record); err != nil {
				t.Fatal(err)
			}
			if !strings.EqualFold(record.Email, "a@b.example") || record.Message == "" || record.Success != c.success || record.Result != c.verdict || record.Details.Reason != c.reason {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
}

// TestBusy: that a mail host is busy is 503, by an error of the engine and by
// the reason that a client of the service returns.
func TestBusy(t *testing.T) {
	for name, v := range map[string]verifier{
		"engine": func(context.Context, string) (rcpt.Result, error) { return rcpt.Result{}, engine.ErrBusy },
		"client": func(context.Context, string) (rcpt.Result, error) {
			return rcpt.Result{Verdict: rcpt.VerdictUnknown, Reason: rcpt.ReasonBusy}, errors.New("503")
		},
	} {
		response := ask(t, handlerOf(t, v, server.Options{}), "GET", "/api/v1/verify?email=a@b.example", "")
		if response.Code != 503 || !strings.Contains(response.Body.String(), `"mail_host_busy"`) || response.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d %s", name, response.Code, response.Body)
		}
		several := ask(t, handlerOf(t, v, server.Options{Details: true}), "POST", "/api/v1/verify", `{"emails":["a@b.example"]}`)
		if !strings.Contains(several.Body.String(), `"reason":"busy"`) {
			t.Errorf("%s, of several: %s", name, several.Body)
		}
	}
}

// TestWaitWithoutATime: the wait of a result whose Verifier does not say when
// it was found counts from the answer.
func TestWaitWithoutATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, details := range map[string]*rcpt.Details{"none": nil, "some": {}} {
			v := verifier(func(_ context.Context, address string) (rcpt.Result, error) {
				return rcpt.Result{Email: address, Verdict: rcpt.VerdictUnknown, Reason: rcpt.ReasonGreylisted,
					RetryAt: time.Now().Add(time.Minute), Details: details}, nil
			})
			response := ask(t, handlerOf(t, v, server.Options{}), "GET", "/api/v1/verify?email=a@b.example&details=1", "")
			if !strings.Contains(response.Body.String(), `"retry_after":60`) {
				t.Errorf("details %s: %s", name, response.Body)
			}
		}
	})
}

// TestPanic: a Verifier that panics is a line of the log and 500, for one
// address and for several, and the next request is answered.
func TestPanic(t *testing.T) {
	for _, body := range []string{`{"email":"a@b.example"}`, `{"emails":["a@b.example","b@b.example"]}`} {
		var log bytes.Buffer
		broken := true
		h := handlerOf(t, verifier(func(ctx context.Context, address string) (rcpt.Result, error) {
			if broken && strings.HasPrefix(address, "a") {
				panic("a bug")
			}
			return deliverable(ctx, address)
		}), server.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if response := ask(t, h, "POST", "/api/v1/verify", body); response.Code != 500 || !strings.Contains(response.Body.String(), `"internal_error"`) {
			t.Errorf("%s: %d %s", body, response.Code, response.Body)
		}
		if !strings.Contains(log.String(), "level=ERROR msg=panic") {
			t.Errorf("the log has %s", &log)
		}
		broken = false
		if response := ask(t, h, "POST", "/api/v1/verify", body); response.Code != 200 {
			t.Errorf("%s, the next: %d", body, response.Code)
		}
	}
}
