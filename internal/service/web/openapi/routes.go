package openapi

import (
	_ "embed" // the files
	"net/http"
	"sync"

	"github.com/rcpt/rcpt/internal/contract"
	"github.com/rcpt/rcpt/internal/exchange"
)

//go:embed page.css
var style []byte

//go:embed page.js
var script []byte

//go:embed favicon.ico
var icon []byte

// file is the contract, which package contract embeds.
var file = contract.File()

// robots keeps search engines out.
var robots = []byte("User-agent: *\nDisallow: /\n")

// File returns the contract, an OpenAPI 3.1 document in JSON.
func File() []byte { return contract.File() }

// viewer is RapiDoc, compressed as it is published; its README has the version.
//
//go:embed rapidoc/rapidoc-min.js.gz
var viewer []byte

// pagePolicy lets the page have its style and its scripts, and send requests to
// this server alone: no frames, nothing from elsewhere. The viewer needs styles
// in its elements, which no other page may have.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// maxPages limits the versions of the page that are kept. The client chooses
// the host, so there could be any number.
const maxPages = 16

// Routes returns handlers for GET and HEAD, by path: the contract at
// /openapi.json, the page that shows it at /docs, and the files that browsers
// and robots request from every server. Site describes the server for a
// request.
func Routes(site func(*http.Request) Site) map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"/openapi.json":    asset("application/json", file),
		"/docs":            page(site),
		"/docs/page.css":   asset("text/css; charset=utf-8", style),
		"/docs/page.js":    asset("text/javascript; charset=utf-8", script),
		"/docs/rapidoc.js": packed("text/javascript; charset=utf-8", viewer),
		"/favicon.ico":     asset("image/x-icon", icon),
		"/robots.txt":      asset("text/plain; charset=utf-8", robots),
	}
}

// asset answers with a file, whose forms are made at the first request.
func asset(mediaType string, content []byte) http.HandlerFunc {
	return serve(func() *exchange.File { return exchange.NewFile(mediaType, content) })
}

// packed answers with a file that is kept compressed.
func packed(mediaType string, gzipped []byte) http.HandlerFunc {
	return serve(func() *exchange.File { return exchange.UnpackedFile(mediaType, gzipped) })
}

func serve(make func() *exchange.File) http.HandlerFunc {
	made := sync.OnceValue(make)
	return func(w http.ResponseWriter, r *http.Request) { made().Serve(w, r) }
}

// page answers with the page as the site has it.
func page(site func(*http.Request) Site) http.HandlerFunc {
	var mu sync.Mutex
	made := make(map[Site]*exchange.File)
	of := func(s Site) *exchange.File {
		mu.Lock()
		defer mu.Unlock()
		if found := made[s]; found != nil {
			return found
		}
		if len(made) == maxPages {
			clear(made)
		}
		made[s] = exchange.NewFile("text/html; charset=utf-8", render(s))
		return made[s]
	}
	return func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", pagePolicy)
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		of(site(r)).Serve(w, r)
	}
}
