package server

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/rcpt/rcpt/internal/contract"
	"github.com/rcpt/rcpt/internal/exchange"
)

// describe answers with the contract of the handler, which names the prefix
// under which it is mounted.
func (h *handler) describe(x *exchange.Exchange, r *http.Request) {
	exchange.PlainFile("application/json", h.document(prefixOf(r))).Serve(x, r)
}

// prefixOf is what stands before /openapi.json in what the client asked for,
// which [http.StripPrefix] leaves as it was. It has one slash in front: with
// two, it would be another host for the reader of the document.
func prefixOf(r *http.Request) string {
	asked, err := url.ParseRequestURI(r.RequestURI)
	if err != nil || !strings.HasSuffix(strings.TrimSuffix(asked.EscapedPath(), "/"), contract.DocumentPath) {
		asked = r.URL
	}
	prefix := strings.TrimSuffix(strings.TrimSuffix(asked.EscapedPath(), "/"), contract.DocumentPath)
	if prefix = strings.TrimLeft(prefix, "/"); prefix == "" {
		return ""
	}
	return "/" + prefix
}
