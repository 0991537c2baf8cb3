package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/server"
)

// contractOf is what a reader of the document learns.
func contractOf(t *testing.T, get func(path string) *http.Response, at string) (base string, methods map[string][]string) {
	t.Helper()
	response := get(at)
	defer response.Body.Close()
	var document struct {
		Servers []struct{ URL string }
		Paths   map[string]map[string]json.RawMessage
	}
	if err := json.NewDecoder(response.Body).Decode(&document); err != nil || response.StatusCode != 200 || len(document.Servers) != 1 {
		t.Fatalf("%s: %d, %v", at, response.StatusCode, err)
	}
	methods = map[string][]string{}
	for path, operations := range document.Paths {
		methods[path] = slices.Sorted(maps.Keys(operations))
	}
	return document.Servers[0].URL, methods
}

// TestMounted mounts the handler in a program with a sign-in of its own: every
// path that its document lists answers under the URL that it names, for those
// who have signed in, no other path is listed, and the pages of the program
// stay its own.
func TestMounted(t *testing.T) {
	authorize := func(r *http.Request) (string, error) {
		if _, err := r.Cookie("session"); err != nil {
			return "", errors.New("not signed in")
		}
		return "ann", nil
	}
	for name, c := range map[string]struct {
		mount    func(mux *http.ServeMux, h http.Handler)
		path     string // of the options
		document string
		base     string // empty: at the root
		want     string // the endpoint
	}{
		"below a prefix":      {func(m *http.ServeMux, h http.Handler) { m.Handle("/mail/", h) }, "", "/mail/openapi.json", "/mail", "/api/v1/verify"},
		"the prefix stripped": {func(m *http.ServeMux, h http.Handler) { m.Handle("/mail/", http.StripPrefix("/mail", h)) }, "", "/mail/openapi.json", "/mail", "/api/v1/verify"},
		"one path and its document": {func(m *http.ServeMux, h http.Handler) {
			m.Handle("/api/v1/verify", h)
			m.Handle("/openapi.json", h)
		}, "", "/openapi.json", "", "/api/v1/verify"},
		"a path of its own": {func(m *http.ServeMux, h http.Handler) { m.Handle("/our/forms/", h) }, "/check-address", "/our/forms/openapi.json", "/our/forms", "/check-address"},
		"all that is left":  {func(m *http.ServeMux, h http.Handler) { m.Handle("/", h) }, "", "/openapi.json", "", "/api/v1/verify"},
	} {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("/welcome", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ours") })
			c.mount(mux, handlerOf(t, deliverable, server.Options{Authorize: authorize, Path: c.path}))
			signedIn := true
			do := func(method, target, body string) *http.Response {
				request := httptest.NewRequest(method, target, strings.NewReader(body))
				request.Header.Set("Content-Type", "application/json")
				if signedIn {
					request.AddCookie(&http.Cookie{Name: "session", Value: "ann's"})
				}
				response := httptest.NewRecorder()
				mux.ServeHTTP(response, request)
				return response.Result()
			}
			base, methods := contractOf(t, func(path string) *http.Response { return do("GET", path, "") }, c.document)
			if want := map[string][]string{c.want: {"get", "post"}, "/openapi.json": {"get", "head"}}; !maps.EqualFunc(methods, want, slices.Equal) {
				t.Errorf("it lists %v", methods)
			}
			if strings.TrimSuffix(base, "/") != c.base {
				t.Errorf("its server is %q", base)
			}
			for path, listed := range methods {
				for _, method := range listed {
					query, body := "", ""
					switch {
					case path == c.want && method == "get":
						query = "?email=a@b.example"
					case method == "post":
						body = `{"emails":["a@b.example"]}`
					}
					target := strings.TrimSuffix(base, "/") + path + query
					if response := do(strings.ToUpper(method), target, body); response.StatusCode != 200 {
						t.Errorf("%s %s: %d", method, target, response.StatusCode)
					}
				}
			}
			signedIn = false
			if response := do("GET", c.base+c.want+"?email=a@b.example", ""); response.StatusCode != 401 {
				t.Errorf("not signed in: %d", response.StatusCode)
			}
			if text, _ := io.ReadAll(do("GET", "/welcome", "").Body); string(text) != "ours" {
				t.Errorf("the program's page is %s", text)
			}
		})
	}
}

// TestDocumentNamesNoOtherHost: whatever path is asked for, the document leads
// back to the host it came from.
func TestDocumentNamesNoOtherHost(t *testing.T) {
	h := handlerOf(t, deliverable, server.Options{})
	for asked, want := range map[string]string{
		"//evil.example/openapi.json": "/evil.example", "/a%22b/openapi.json/": "/a%22b", "/openapi.json?x=/y": "/",
	} {
		request := httptest.NewRequest("GET", "/openapi.json", nil)
		request.RequestURI = asked
		get := func(string) *http.Response {
			response := httptest.NewRecorder()
			h.ServeHTTP(response, request)
			return response.Result()
		}
		if base, _ := contractOf(t, get, asked); base != want {
			t.Errorf("%s: its server is %q, want %q", asked, base, want)
		}
	}
}
