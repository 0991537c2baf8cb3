package api

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/service/web/guide"
	"github.com/rcpt/rcpt/internal/service/web/openapi"
)

// The paths.
const (
	verifyRoute = "/api/v1/verify"
	usageRoute  = "/api/v1/usage"

	webhooksRoute      = "/api/v1/webhooks"
	webhookRoute       = "/api/v1/webhooks/{id}"
	webhookResendRoute = "/api/v1/webhooks/{id}/resend"
	webhookSecretRoute = "/api/v1/webhook-secret"
	webhookTestRoute   = "/api/v1/webhook-test"

	healthRoute = "/healthz"
	readyRoute  = "/readyz"
	apiRoute    = "/api/" // unknown paths below it
	pagesRoute  = "/"     // all other paths
)

// Routes are the routes of a Server, as its hooks name them.
func Routes() []string {
	all := []string{
		verifyRoute, usageRoute, webhooksRoute, webhookRoute, webhookResendRoute, webhookSecretRoute, webhookTestRoute,
		bulkRoute, jobRoute, resultsRoute, againRoute, healthRoute, readyRoute,
		"/api", apiRoute, pagesRoute, guide.Path,
	}
	return slices.AppendSeq(slices.AppendSeq(all, maps.Keys(changeRoutes)), maps.Keys(openapi.Routes(nil)))
}

// routes maps paths to handlers. It is not a [http.ServeMux], which would
// redirect some paths and repeat the query with the key in it.
type routes map[string]exchange.Handler

// Handler returns the Server's routes, for a server of the caller's own.
func (s *Server) Handler() http.Handler {
	return exchange.Observer{Logger: s.config.Logger, Answered: s.config.Hooks.Answered}.Handler(s.routes().of)
}

func (s *Server) routes() routes {
	all := routes{
		verifyRoute: exchange.Only(s.authorized(rows.ScopeVerify, s.verifies), http.MethodGet, http.MethodPost),
		healthRoute: exchange.Only(health, http.MethodGet, http.MethodHead),
		readyRoute:  exchange.Only(s.ready, http.MethodGet, http.MethodHead),
		"/api":      notFound,
		apiRoute:    notFound,
		pagesRoute:  s.pages(),
		docsFolder:  exchange.Only(toDocs, http.MethodGet, http.MethodHead),
		guide.Path:  exchange.Only(s.guide, http.MethodGet, http.MethodHead),
	}
	if s.config.Usage != nil {
		all[usageRoute] = exchange.Only(s.authorized(rows.ScopeUsage, s.usage), http.MethodGet)
	}
	if s.config.Webhooks != nil {
		s.addWebhooks(all)
	}
	if s.config.Jobs != nil {
		s.addBulk(all)
	}
	for path, answer := range openapi.Routes(s.site) {
		all[path] = exchange.Only(func(x *exchange.Exchange, r *http.Request) { answer(x, r) }, http.MethodGet,
			http.MethodHead)
	}
	return all
}

// of returns the handler of a request and its route. Only paths in their plain
// form exist: programs in front of this one may know only that form. A slash
// behind a path of the API changes nothing, because many clients send one.
func (all routes) of(r *http.Request) (answer exchange.Handler, route string) {
	given := r.URL.EscapedPath()
	if given != r.URL.Path {
		return notFound, pagesRoute
	}
	if given == docsFolder {
		return all[docsFolder], pagesRoute
	}
	if strings.HasPrefix(given, apiRoute) {
		given = strings.TrimSuffix(given, "/")
	}
	if !strings.HasPrefix(given, "/") || path.Clean(given) != given {
		return notFound, pagesRoute
	}
	if answer, known := all[given]; known {
		return answer, given
	}
	if pattern, id := patternOf(given); all[pattern] != nil {
		r.SetPathValue("id", id)
		return all[pattern], pattern
	}
	if strings.HasPrefix(given, guide.Path+"/") {
		return all[guide.Path], guide.Path
	}
	if given == contractYAML {
		return exchange.Only(noYAML, http.MethodGet, http.MethodHead), pagesRoute
	}
	if strings.HasPrefix(given, apiRoute) {
		return all[apiRoute], apiRoute
	}
	return all[pagesRoute], pagesRoute
}

// patternOf returns the route /api/v1/KIND/{id} or /api/v1/KIND/{id}/ACTION
// that a path may belong to, and the ID.
func patternOf(path string) (pattern, id string) {
	const name = 4 // after "", "api", "v1" and the kind
	parts := strings.Split(path, "/")
	if len(parts) != name+1 && len(parts) != name+2 {
		return "", ""
	}
	id, parts[name] = parts[name], "{id}"
	return strings.Join(parts, "/"), id
}

// pages answers paths outside of the API.
func (s *Server) pages() exchange.Handler {
	if s.config.Pages == nil {
		return notFound
	}
	return func(x *exchange.Exchange, r *http.Request) {
		proto := forwardedProto(r)
		r.Header.Del("X-Forwarded-Proto") // clients must not claim TLS
		if proto != "" && s.isProxy(peerOf(r)) {
			r.Header.Set("X-Forwarded-Proto", proto)
		}
		if !wantsPage(r) {
			s.config.Pages.ServeHTTP(&jsonNotFound{ResponseWriter: x, instead: func() { notFound(x, r) }}, r)
			return
		}
		s.config.Pages.ServeHTTP(x, r)
	}
}
