package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// open is what needs no key.
const open store.Scope = "open"

// scopes are those that the routes need.
var scopes = map[string]store.Scope{
	"/api/v1/verify": store.ScopeVerify, "/api/v1/usage": store.ScopeUsage,

	"/api/v1/bulk": store.ScopeBulk, "/api/v1/bulk/{id}": store.ScopeBulk, "/api/v1/bulk/{id}/results": store.ScopeBulk,
	"/api/v1/bulk/{id}/pause": store.ScopeBulk, "/api/v1/bulk/{id}/resume": store.ScopeBulk,
	"/api/v1/bulk/{id}/cancel": store.ScopeBulk, "/api/v1/bulk/{id}/again": store.ScopeBulk,

	"/api/v1/webhooks": store.ScopeBulk, "/api/v1/webhooks/{id}": store.ScopeBulk, "/api/v1/webhooks/{id}/resend": store.ScopeBulk,
	"/api/v1/webhook-secret": store.ScopeBulk, "/api/v1/webhook-test": store.ScopeBulk,

	"/": open, "/api": open, "/api/": open, "/healthz": open, "/readyz": open, "/docs": open, "/docs/guide": open,
	"/openapi.json": open, "/docs/rapidoc.js": open, "/docs/page.css": open, "/docs/page.js": open, "/favicon.ico": open, "/robots.txt": open,
}

// TestEveryRouteForEveryKey asks for every route, with each of its methods,
// without a key, with one that lacks the scope, with that of a viewer, and with
// one that has the scope, for things of its own and of another.
func TestEveryRouteForEveryKey(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	l.Handler = newServer(t, api.Config{Keys: l.keys, Usage: l.store, Jobs: l.manager, Webhooks: l.store}).Handler()
	viewer, err := l.store.CreateAccount(t.Context(), store.ByCommand("test"), store.Account{Login: "vic", Role: store.RoleViewer, Password: "x"})
	check(t, err)
	all := []store.Scope{store.ScopeVerify, store.ScopeBulk, store.ScopeUsage}
	key := func(account string, scopes ...store.Scope) string {
		t.Helper()
		text, _, err := l.keys.Create(t.Context(), store.ByCommand("test"), store.Key{Name: fmt.Sprint(account, scopes), Account: account, Scopes: scopes})
		check(t, err)
		return text
	}
	idle, full, other := key(viewer.ID, all...), key("", all...), key("", all...)
	lacks := map[store.Scope]string{
		store.ScopeVerify: key("", store.ScopeBulk, store.ScopeUsage), store.ScopeBulk: key("", store.ScopeVerify, store.ScopeUsage),
		store.ScopeUsage: key("", store.ScopeVerify, store.ScopeBulk),
	}
	for _, route := range api.Routes() {
		scope, known := scopes[route]
		if !known {
			t.Errorf("%s: which scope it needs is not in the table", route)
			continue
		}
		for _, method := range l.methods(strings.ReplaceAll(route, "{id}", "x")) {
			for text, want := range map[string]string{"": "401", lacks[scope]: "403", idle: "403", full: "done", other: "404"} {
				if scope == open {
					want = "done"
				} else if want == "404" && !strings.Contains(route, "{id}") {
					continue
				}
				got := fmt.Sprint(l.send(method, l.thing(t, route, full), text, "").Code)
				if want == "done" && got != "401" && got != "403" && (got != "404" || scope == open) {
					got = "done"
				}
				if got != want {
					t.Errorf("%s %s with key %.9q: %s, want %s", method, route, text, got, want)
				}
			}
		}
	}
	if len(scopes) != len(api.Routes()) {
		t.Errorf("%d rows for %d routes", len(scopes), len(api.Routes()))
	}
}

// methods are those that a path allows.
func (l *lists) methods(path string) []string {
	answer := httptest.NewRecorder()
	l.ServeHTTP(answer, httptest.NewRequest(http.MethodPatch, path, nil))
	if allowed := answer.Header().Get("Allow"); allowed != "" {
		return strings.Split(allowed, ", ")
	}
	return []string{http.MethodGet} // nothing is at the path itself
}

// thing is the path of something that belongs to a key.
func (l *lists) thing(t *testing.T, route, key string) string {
	t.Helper()
	id := ""
	switch grant, err := l.keys.AdmitOwed(key, store.ScopeBulk, netip.Addr{}); {
	case err != nil:
		t.Fatal(err)
	case strings.Contains(route, "/bulk/"):
		id = l.want(l.send(http.MethodPost, "/api/v1/bulk", key, "a@a.example\n", "Content-Type", csvType), http.StatusAccepted).ID
	case strings.Contains(route, "/webhooks/"):
		w, err := l.store.AddWebhook(t.Context(), store.ByCommand("test"), store.Webhook{Key: grant.ID, Event: "webhook.test", URL: "https://receiver.example", Body: []byte(`{}`)})
		check(t, err)
		id = w.ID
	}
	return strings.ReplaceAll(route, "{id}", id)
}
