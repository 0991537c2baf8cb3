package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/internal/exchange"
)

// Paths outside of the API that people and programs try first.
const (
	docsFolder   = "/docs/"
	contractYAML = "/openapi.yaml"
)

// toDocs redirects to the page without the query, which may contain a key.
func toDocs(x *exchange.Exchange, r *http.Request) {
	x.Header().Set("Location", "/docs")
	x.WriteHeader(http.StatusMovedPermanently)
}

// noYAML says where the contract is.
func noYAML(x *exchange.Exchange, _ *http.Request) {
	x.Error(http.StatusNotFound, exchange.PathNotFound, "The contract is JSON: /openapi.json.")
}

// wantsPage reports whether the client asks for a page, as browsers do.
// Programs take anything, or do not say what they take.
func wantsPage(r *http.Request) bool {
	return strings.Contains(strings.ToLower(strings.Join(r.Header["Accept"], ",")), "text/html")
}

// jsonNotFound is a writer that replaces a page with status 404 by the error of
// the API.
type jsonNotFound struct {
	http.ResponseWriter
	instead func()
	done    bool
}

func (w *jsonNotFound) WriteHeader(status int) {
	if status != http.StatusNotFound {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.done = true
	header := w.Header()
	for name := range header {
		if !slices.Contains([]string{"X-Request-Id", "Connection"}, name) {
			header.Del(name)
		}
	}
	w.instead()
}

func (w *jsonNotFound) Write(body []byte) (int, error) {
	if w.done {
		return len(body), nil
	}
	return w.ResponseWriter.Write(body)
}

func (w *jsonNotFound) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func notFound(x *exchange.Exchange, r *http.Request) {
	x.LeaveBody(r)
	x.Error(http.StatusNotFound, exchange.PathNotFound,
		"This path does not exist. The API is described at /docs and, for programs, in /openapi.json.")
}
