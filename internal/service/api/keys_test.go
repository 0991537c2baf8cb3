package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
)

// keyed is a server with keys in a store of its own.
type keyed struct {
	http.Handler
	keys *keyring.Keyring
}

func newKeyed(t *testing.T, config api.Config) keyed {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	config.Keys, err = keyring.Open(t.Context(), keyring.Config{Store: db})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(config.Keys.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	return keyed{newServer(t, config).Handler(), config.Keys}
}

// serve is ask, under a name that no variable hides.
func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder { return ask(h, r) }

// create makes a key, and asks for an address with it.
func (k keyed) create(t *testing.T, key store.Key) (ask func(r ...func(*http.Request)) *httptest.ResponseRecorder, id string) {
	t.Helper()
	if key.Scopes == nil {
		key.Scopes = []store.Scope{store.ScopeVerify}
	}
	text, created, err := k.keys.Create(t.Context(), store.ByCommand("test"), key)
	if err != nil {
		t.Fatal(err)
	}
	return func(changes ...func(*http.Request)) *httptest.ResponseRecorder {
		request := httptest.NewRequest(http.MethodGet, "/api/v1/verify?email=alice%40acme.example&apikey="+text, nil)
		for _, change := range changes {
			change(request)
		}
		return serve(k, request)
	}, created.ID
}

func from(peer, forwarded string) func(*http.Request) {
	return func(r *http.Request) {
		r.RemoteAddr = peer
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
	}
}

func TestRateOfKey(t *testing.T) {
	k := newKeyed(t, api.Config{})
	ask, _ := k.create(t, store.Key{RatePerSecond: 0.01, Burst: 2})
	for i, remaining := range []string{"1", "0"} {
		r := ask()
		if got := r.Header().Get("RateLimit-Remaining"); r.Code != 200 || got != remaining || r.Header().Get("RateLimit-Limit") != "2" {
			t.Errorf("request %d: %d, %s remaining: %v", i+1, r.Code, got, r.Header())
		}
	}
	r := ask()
	if r.Code != http.StatusTooManyRequests || !strings.Contains(r.Body.String(), `"message":"Too many requests`) {
		t.Errorf("one too many: %d %s", r.Code, r.Body)
	}
	for _, name := range []string{"Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy"} {
		if r.Header().Get(name) == "" {
			t.Errorf("one too many has no %s", name)
		}
	}
	other, _ := k.create(t, store.Key{})
	if r := other(); r.Code != 200 || r.Header().Get("RateLimit-Limit") != "" {
		t.Errorf("a key without a rate: %d %v", r.Code, r.Header())
	}
}

// TestPanicFreesPlaceOfKey: a bug of ours does not take the places and the
// quota of whoever runs into it.
func TestPanicFreesPlaceOfKey(t *testing.T) {
	k := newKeyed(t, api.Config{Verifier: verifierFunc(func(context.Context, string) (rcpt.Result, error) { panic("bug") })})
	ask, _ := k.create(t, store.Key{Concurrency: 1, MonthlyQuota: 1})
	for i := range 3 {
		if r := ask(); r.Code != http.StatusInternalServerError {
			t.Errorf("request %d: %d %s", i+1, r.Code, r.Body)
		}
	}
}

func TestConcurrencyOfKey(t *testing.T) {
	busy := newGate()
	k := newKeyed(t, api.Config{Verifier: busy})
	ask, _ := k.create(t, store.Key{Concurrency: 1})
	var first sync.WaitGroup
	first.Go(func() {
		if r := ask(); r.Code != 200 {
			t.Errorf("the first: %d", r.Code)
		}
	})
	<-busy.asked
	if r := ask(); r.Code != http.StatusTooManyRequests || r.Header().Get("Retry-After") == "" {
		t.Errorf("beside it: %d %v", r.Code, r.Header())
	}
	close(busy.open)
	first.Wait()
	if r := ask(); r.Code != 200 {
		t.Errorf("after it: %d", r.Code)
	}
}

// TestQuotaOfKey checks that what was answered counts, and nothing else does.
func TestQuotaOfKey(t *testing.T) {
	verdict := func(_ context.Context, address string) (rcpt.Result, error) {
		switch user, _, _ := strings.Cut(address, "@"); user {
		case "busy":
			return rcpt.Result{}, engine.ErrBusy
		case "fault":
			return rcpt.Result{Email: address, Verdict: rcpt.VerdictUnknown, Message: "No.", Details: &rcpt.Details{}}, errors.New("a fault")
		}
		return accepts(t.Context(), address)
	}
	var uses []store.Use
	k := newKeyed(t, api.Config{Verifier: verifierFunc(verdict), Record: func(u store.Use) { uses = append(uses, u) }})
	ask, id := k.create(t, store.Key{MonthlyQuota: 2})
	query := func(q string) func(*http.Request) {
		return func(r *http.Request) {
			r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "email=alice%40acme.example", q, 1)
		}
	}
	for _, step := range []struct {
		query string
		want  int
	}{
		{"email=alice%40acme.example", 200}, {"email=", 400}, {"email=a&email=b", 400}, {"email=busy%40acme.example", 503},
		{"email=fault%40acme.example", 200}, {"email=bob%40acme.example", 200}, {"email=carol%40acme.example", 402},
	} {
		if r := ask(query(step.query)); r.Code != step.want {
			t.Errorf("%s: %d %s, want %d", step.query, r.Code, r.Body, step.want)
		}
	}
	if len(uses) != 2 || uses[0].Key != id || uses[0].Result != "deliverable" || uses[0].Reason != string(rcpt.ReasonRecipientAccepted) || uses[0].At.IsZero() {
		t.Errorf("recorded %+v", uses)
	}
}

func TestRevokedKey(t *testing.T) {
	k := newKeyed(t, api.Config{})
	ask, id := k.create(t, store.Key{})
	if r := ask(); r.Code != 200 {
		t.Fatalf("before: %d", r.Code)
	}
	if err := k.keys.Revoke(t.Context(), store.ByCommand("test"), id); err != nil {
		t.Fatal(err)
	}
	if r := ask(); r.Code != 401 || strings.TrimSpace(r.Body.String()) != `{"message":"Unauthorized"}` {
		t.Errorf("after: %d %s", r.Code, r.Body)
	}
}

// TestWhereFrom checks that a key with networks is good from there alone, and
// that only a proxy of ours is believed about where a client is.
func TestWhereFrom(t *testing.T) {
	k := newKeyed(t, api.Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}})
	ask, _ := k.create(t, store.Key{Networks: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")}})
	for _, tt := range []struct {
		peer, forwarded string
		good            bool
	}{
		{"192.0.2.7:1000", "", true},
		{"[::ffff:192.0.2.7]:1000", "", true},
		{"[2001:db8::1%eth0]:1000", "", true},
		{"198.51.100.1:1000", "", false},
		{"198.51.100.1:1000", "192.0.2.7", false},
		{"10.0.0.1:1000", "", false},
		{"10.0.0.1:1000", "192.0.2.7", true},
		{"[::1]:1000", "192.0.2.7", true},
		{"10.0.0.1:1000", "198.51.100.1, 192.0.2.7", true},
		{"10.0.0.1:1000", "192.0.2.7, 198.51.100.1", false},
		{"10.0.0.1:1000", "192.0.2.7, 10.0.0.2, 10.0.0.3", true},
		{"10.0.0.1:1000", "192.0.2.7, nonsense", false},
		{"10.0.0.1:1000", "192.0.2.7:80", false},
		{"@", "192.0.2.7", false},
	} {
		r := ask(from(tt.peer, tt.forwarded))
		refused := r.Code == 403 && strings.Contains(r.Body.String(), `"code":"network_not_allowed"`)
		if good := r.Code == 200; good != tt.good || refused == tt.good {
			t.Errorf("from %s for %q: %d %s", tt.peer, tt.forwarded, r.Code, r.Body)
		}
	}
}

func TestReady(t *testing.T) {
	var fault error
	handler := newServer(t, api.Config{Ready: func(context.Context) error { return fault }}).Handler()
	if r := get(handler, "/readyz"); r.Code != 200 {
		t.Errorf("ready: %d %s", r.Code, r.Body)
	}
	fault = errors.New("the secret of the database")
	if r := get(handler, "/readyz"); r.Code != 503 || strings.Contains(r.Body.String(), "secret") || r.Header().Get("Retry-After") == "" {
		t.Errorf("not ready: %d %s %v", r.Code, r.Body, r.Header())
	}
	if r := get(handler, "/healthz"); r.Code != 200 {
		t.Errorf("health: %d", r.Code)
	}
}

// TestReadyInTime: a database that says nothing is out of reach, and a balancer
// hears so before it gives up.
func TestReadyInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := newServer(t, api.Config{Ready: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}).Handler()
		began := time.Now()
		if r := get(handler, "/readyz"); r.Code != 503 || time.Since(began) > 5*time.Second {
			t.Errorf("%d after %v", r.Code, time.Since(began))
		}
	})
}

func TestServerHooks(t *testing.T) {
	var told []string
	k := newKeyed(t, api.Config{Hooks: api.Hooks{
		Answered: func(route string, status int, _ time.Duration) {
			told = append(told, fmt.Sprintf("%s %d", route, status))
		},
		Verified: func(r rcpt.Result, _ time.Duration) { told = append(told, string(r.Verdict)) },
		Refused:  func(why string) { told = append(told, why) },
	}})
	ask, _ := k.create(t, store.Key{RatePerSecond: 0.001, MonthlyQuota: 1})
	ask()
	ask()
	get(k, "/api/v1/verify?email=a@b.example")
	want := []string{"deliverable", "/api/v1/verify 200", "rate", "/api/v1/verify 429", "unauthorized", "/api/v1/verify 401"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

func TestPages(t *testing.T) {
	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, r.URL.Path, http.StatusTeapot) })
	handler := newServer(t, api.Config{Pages: pages}).Handler()
	for path, want := range map[string]int{"/": 418, "/keys": 418, "/api": 404, "/api/": 404, "/api/v2": 404, "/api/v1/verify": 400, "/healthz": 200} {
		if r := get(handler, path); r.Code != want {
			t.Errorf("%s: %d, want %d", path, r.Code, want)
		}
	}
}

// TestNoRedirects: mux has a redirect for a path that another form of is a
// route, and would repeat the query with the key in it.
func TestNoRedirects(t *testing.T) {
	for name, config := range map[string]api.Config{"without pages": {}, "with pages": {Pages: http.NotFoundHandler()}} {
		handler := newServer(t, config).Handler()
		if r := get(handler, "/docs/?apikey="+key); r.Code != 301 || r.Header().Get("Location") != "/docs" {
			t.Errorf("%s: /docs/ is answered with %d to %q", name, r.Code, r.Header().Get("Location"))
		}
		for _, path := range []string{"/api", "/api/", "/api/v1/verify//", "/api/v1", "/healthz/", "/docs//", "//docs/", "//api/v1/verify", "/api/../api", "/api/."} {
			r := get(handler, path+"?apikey="+key)
			if location := r.Header().Get("Location"); r.Code != 404 || location != "" || !strings.HasPrefix(r.Header().Get("Content-Type"), "application/json") {
				t.Errorf("%s, %s: %d to %q, %s", name, path, r.Code, location, r.Header().Get("Content-Type"))
			}
		}
	}
}

// TestForwardedProto: who speaks TLS is for our own proxies to say, and of a
// list the nearest one has written the last value.
func TestForwardedProto(t *testing.T) {
	var said string
	pages := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { said = r.Header.Get("X-Forwarded-Proto") })
	handler := newServer(t, api.Config{Pages: pages, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}).Handler()
	for _, c := range []struct {
		peer, want string
		proto      []string
	}{
		{"10.0.0.1:1000", "https", []string{"https"}}, {"[::ffff:10.0.0.1]:1000", "https", []string{"https"}},
		{"192.0.2.7:1000", "", []string{"https"}}, {"@", "", []string{"https"}},
		{"10.0.0.1:1000", "https", []string{"https,https"}}, {"10.0.0.1:1000", "https", []string{"http, HTTPS "}},
		{"10.0.0.1:1000", "http", []string{"https, http"}}, {"10.0.0.1:1000", "http", []string{"https", "http"}},
		{"10.0.0.1:1000", "https", []string{"http", "https"}}, {"10.0.0.1:1000", "", []string{"https,"}}, {"10.0.0.1:1000", "", nil},
	} {
		request := httptest.NewRequest(http.MethodGet, "/sign-in", nil)
		request.Header["X-Forwarded-Proto"] = c.proto
		request.Header.Set("X-Forwarded-For", "10.0.0.1")
		request.RemoteAddr = c.peer
		if handler.ServeHTTP(httptest.NewRecorder(), request); said != c.want {
			t.Errorf("from %s with %q the pages see %q, want %q", c.peer, c.proto, said, c.want)
		}
	}
}

// TestNotTrusted: the first peer is known whose X-Forwarded-For is not
// believed.
func TestNotTrusted(t *testing.T) {
	k := api.Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	s := newServer(t, k)
	ask := func(peer, forwarded string) {
		request := httptest.NewRequest(http.MethodGet, "/api/v1/verify?email=a@b.example&apikey="+key, nil)
		request.RemoteAddr = peer
		if forwarded != "" {
			request.Header.Set("X-Forwarded-For", forwarded)
		}
		s.Handler().ServeHTTP(httptest.NewRecorder(), request)
	}
	ask("10.0.0.1:1000", "192.0.2.7")
	ask("192.0.2.9:1000", "")
	if got, _ := s.NotTrusted(); got.IsValid() {
		t.Errorf("%v", got)
	}
	ask("172.18.0.1:1000", "192.0.2.7")
	ask("172.18.0.2:1000", "192.0.2.7")
	if got, since := s.NotTrusted(); got != netip.MustParseAddr("172.18.0.1") || since.IsZero() {
		t.Errorf("%v since %v", got, since)
	}
}
