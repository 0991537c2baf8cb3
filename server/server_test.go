package server_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/server"
)

const key = "a-key-for-tests"

// syntaxOnly is a Verifier that asks nobody.
func syntaxOnly(t *testing.T) *engine.Verifier {
	t.Helper()
	v, err := engine.New(engine.Config{Level: engine.LevelSyntax})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

// TestKey checks who is let in, wherever the key is, and that the endpoint
// answers under any path, GET and POST alone.
func TestKey(t *testing.T) {
	s, err := server.New(server.Config{Verifier: syntaxOnly(t), Key: key})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		method, target, header, value, body string
		want                                int
	}{
		{"GET", "/any/path?email=alice@acme.example&apikey=" + key, "", "", "", 200},
		{"GET", "/?email=alice@acme.example&api_key=" + key, "", "", "", 200},
		{"GET", "/?email=alice@acme.example", "X-API-Key", key, "", 200},
		{"GET", "/?email=alice@acme.example", "Authorization", "Bearer " + key, "", 200},
		{"GET", "/?email=alice@acme.example", "X-API-Key", key + "x", "", 401},
		{"GET", "/?email=alice@acme.example", "", "", "", 401},
		{"GET", "/", "X-API-Key", key, "", 400},
		{"POST", "/", "X-API-Key", key, `{"emails":["alice@acme.example","nobody"]}`, 200},
		{"POST", "/", "X-API-Key", key, `{`, 400},
		{"PUT", "/", "X-API-Key", key, "", 405},
	} {
		request := httptest.NewRequest(c.method, c.target, strings.NewReader(c.body))
		request.Header.Set("Content-Type", "application/json")
		if c.header != "" {
			request.Header.Set(c.header, c.value)
		}
		response := httptest.NewRecorder()
		s.ServeHTTP(response, request)
		if response.Code != c.want {
			t.Errorf("%s %s, %s: %s: status %d, want %d: %s", c.method, c.target, c.header, c.value, response.Code, c.want, response.Body)
		}
	}
}

// TestFresh checks that "fresh" asks again about one address and about several
// of a domain, where the engine remembers results.
func TestFresh(t *testing.T) { synctest.Test(t, testFresh) }

func testFresh(t *testing.T) {
	v, err := engine.New(engine.Config{Level: engine.LevelSyntax, Remember: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	s, err := server.New(server.Config{Verifier: v, Key: key, Details: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, emails := range []string{`"email":"alice@acme.example"`, `"emails":["bob@acme.example","carol@acme.example"]`} {
		for _, c := range []struct {
			fresh, cached bool
		}{{true, false}, {false, true}, {true, false}} {
			body := fmt.Sprintf(`{%s,"fresh":%v}`, emails, c.fresh)
			request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
			request.Header.Set("X-API-Key", key)
			request.Header.Set("Content-Type", "application/json")
			response := httptest.NewRecorder()
			s.ServeHTTP(response, request)
			want := fmt.Sprintf(`"cached":%v`, c.cached)
			if got := response.Body.String(); strings.Count(got, want) != strings.Count(got, `"cached":`) || !strings.Contains(got, want) {
				t.Errorf("%s: want %s: %s", body, want, got)
			}
			synctest.Wait() // until it is remembered
		}
	}
}

// TestConfig checks that what is missing or impossible is an error.
func TestConfig(t *testing.T) {
	v := syntaxOnly(t)
	for name, config := range map[string]server.Config{
		"no verifier": {Key: key}, "no key": {Verifier: v},
		"negative timeout":     {Verifier: v, Key: key, Timeout: -1},
		"negative concurrency": {Verifier: v, Key: key, Concurrency: -1},
	} {
		if _, err := server.New(config); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestAuthorize checks that a program that knows its clients by other means
// decides who may ask, that keys mean nothing then, and that the client's name
// is counted.
func TestAuthorize(t *testing.T) {
	var used []server.Verification
	s, err := server.New(server.Config{
		Verifier: syntaxOnly(t),
		Verified: func(u server.Verification) { used = append(used, u) },
		Authorize: func(r *http.Request) (string, error) {
			if user, _, ok := r.BasicAuth(); ok && user == "ann" {
				return "ann", nil
			} else if user == "joe" {
				return "", fmt.Errorf("no plan: %w", &server.Refusal{Status: 402, Code: "no_plan", Message: "Choose a plan first.", RetryAfter: time.Minute})
			} else if user == "odd" {
				return "", &server.Refusal{Status: 200}
			}
			return "", errors.New("not ours")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, want := range map[string]int{"ann": 200, "bob": 401, "": 401, "joe": 402, "odd": 401} {
		request := httptest.NewRequest(http.MethodGet, "/check?email=alice@example.com", nil)
		request.Header.Set("X-API-Key", key)
		if name != "" {
			request.SetBasicAuth(name, "x")
		}
		response := httptest.NewRecorder()
		s.ServeHTTP(response, request)
		if response.Code != want {
			t.Errorf("%q: status %d, want %d", name, response.Code, want)
		}
		const refusal = `{"message":"Choose a plan first.","success":false,"code":"no_plan"}` + "\n"
		if name == "joe" && (response.Body.String() != refusal || response.Header().Get("Retry-After") != "60") {
			t.Errorf("refused with %q, again after %q s", response.Body, response.Header().Get("Retry-After"))
		}
	}
	if len(used) != 1 || used[0].Client != "ann" {
		t.Errorf("recorded: %+v", used)
	}
}
