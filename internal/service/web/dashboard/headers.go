package dashboard

import "net/http"

// policy lets a page have the two files of this package, send forms to where it
// came from, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// setHeaders sets the header fields of every response.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
	h.Set("X-Content-Type-Options", "nosniff")
	// Other sites learn nothing. With "no-referrer" a browser would send
	// "Origin: null" with our own forms, and over plain HTTP from other
	// machines only that header distinguishes them from forms of other sites
	// (Fetch, "append a request Origin header").
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
