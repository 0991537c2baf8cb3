package openapi

import (
	"bytes"
	_ "embed" // the files
	"net/http"
	"sync"
)

//go:embed openapi.json
var file []byte

//go:embed page.css
var style []byte

// File returns the contract, an OpenAPI 3.1 document in JSON.
func File() []byte { return bytes.Clone(file) }

// pagePolicy lets the page have its style and nothing else: no script, no frames, nothing from elsewhere.
const pagePolicy = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Routes returns what answers GET and HEAD, by path: the contract at /openapi.json, and the page that shows it at /docs. Each is made when it is
// asked for first.
func Routes() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"/openapi.json":  asset("application/json", func() []byte { return file }),
		"/docs":          page(asset("text/html; charset=utf-8", func() []byte { return render(file) })),
		"/docs/page.css": asset("text/css; charset=utf-8", func() []byte { return style }),
	}
}

func asset(mediaType string, content func() []byte) http.HandlerFunc {
	made := sync.OnceValue(func() *representations { return newRepresentations(mediaType, content()) })
	return func(w http.ResponseWriter, r *http.Request) { made().serve(w, r) }
}

func page(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", pagePolicy)
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		next(w, r)
	}
}
