package server

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/internal/openapi"
	"github.com/rcpt/rcpt/internal/store/rows"
)

// The paths.
const (
	verifyRoute = "/api/v1/verify"
	usageRoute  = "/api/v1/usage"
	healthRoute = "/healthz"
	readyRoute  = "/readyz"
	apiRoute    = "/api/" // unknown paths below it
	pagesRoute  = "/"     // all other paths
)

// Routes are the routes of a Server, as its hooks name them.
func Routes() []string {
	return slices.AppendSeq([]string{verifyRoute, usageRoute, healthRoute, readyRoute, "/api", apiRoute, pagesRoute}, maps.Keys(openapi.Routes(nil)))
}

// routes maps paths to handlers. It is not a [http.ServeMux], which would
// redirect some paths and repeat the query with the key in it.
type routes map[string]handler

// Handler returns the Server's routes, for a server of the caller's own.
func (s *Server) Handler() http.Handler {
	all := routes{
		verifyRoute: only(s.authorized(rows.ScopeVerify, s.verify), http.MethodGet, http.MethodPost),
		healthRoute: only(health, http.MethodGet, http.MethodHead),
		readyRoute:  only(s.ready, http.MethodGet, http.MethodHead),
		"/api":      notFound,
		apiRoute:    notFound,
		pagesRoute:  s.pages(),
		docsFolder:  only(toDocs, http.MethodGet, http.MethodHead),
	}
	if s.config.Usage != nil {
		all[usageRoute] = only(s.authorized(rows.ScopeUsage, s.usage), http.MethodGet)
	}
	for path, answer := range openapi.Routes(s.site) {
		all[path] = only(func(x *exchange, r *http.Request) { answer(x, r) }, http.MethodGet, http.MethodHead)
	}
	return s.observed(all.of)
}

// VerifyHandler returns the handler of /api/v1/verify alone, for every path on
// which a program mounts it.
func (s *Server) VerifyHandler() http.Handler {
	verify := only(s.authorized(rows.ScopeVerify, s.verify), http.MethodGet, http.MethodPost)
	return s.observed(func(*http.Request) (handler, string) { return verify, verifyRoute })
}

// of returns the handler of a request and its route. Only paths in their plain
// form exist: programs in front of this one may know only that form.
func (all routes) of(r *http.Request) (answer handler, route string) {
	given := r.URL.EscapedPath()
	if given == docsFolder && given == r.URL.Path {
		return all[docsFolder], pagesRoute
	}
	if !strings.HasPrefix(given, "/") || path.Clean(given) != given || given != r.URL.Path {
		return notFound, pagesRoute
	}
	if answer, known := all[given]; known {
		return answer, given
	}
	if given == contractYAML {
		return only(noYAML, http.MethodGet, http.MethodHead), pagesRoute
	}
	if strings.HasPrefix(given, apiRoute) {
		return all[apiRoute], apiRoute
	}
	return all[pagesRoute], pagesRoute
}

// pages answers paths outside of the API.
func (s *Server) pages() handler {
	if s.config.Pages == nil {
		return notFound
	}
	return func(x *exchange, r *http.Request) {
		if !s.isProxy(peerOf(r)) {
			r.Header.Del("X-Forwarded-Proto") // clients must not claim TLS
		}
		if wantsJSON(r) {
			s.config.Pages.ServeHTTP(&jsonNotFound{ResponseWriter: x, instead: func() { notFound(x, r) }}, r)
			return
		}
		s.config.Pages.ServeHTTP(x, r)
	}
}
