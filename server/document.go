package server

import (
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/rcpt/rcpt/internal/contract"
	"github.com/rcpt/rcpt/internal/exchange"
)

// document is the contract of a handler, which names the prefix under which it
// is mounted.
type document struct {
	part contract.Part
	last atomic.Pointer[mounted] // as a rule it is the only one
}

// mounted is the document for a prefix.
type mounted struct {
	prefix string
	file   *exchange.File
}

func (d *document) answer(x *exchange.Exchange, r *http.Request) {
	prefix := prefixOf(r)
	m := d.last.Load()
	if m == nil || m.prefix != prefix {
		m = &mounted{prefix, exchange.NewFile("application/json", d.part.Document(prefix))}
		d.last.Store(m)
	}
	m.file.Serve(x, r)
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
