package server

import (
	"net/http"
	"strings"

	"github.com/rcpt/rcpt/internal/guide"
	"github.com/rcpt/rcpt/internal/openapi"
	"github.com/rcpt/rcpt/internal/snippets"
)

// site describes this server for /docs.
func (s *Server) site(r *http.Request) openapi.Site {
	site := openapi.Site{
		Base: strings.TrimSuffix(s.config.PublicURL, "/"), Dashboard: s.config.Pages != nil, Theme: themeOf(r),
	}
	if site.Base == "" {
		site.Base = snippets.Base(r, s.encrypted(r))
	}
	return site
}

// guide answers with a document for users.
func (s *Server) guide(x *exchange, r *http.Request) {
	guide.Serve(x, r, themeOf(r), s.config.Pages != nil)
}

// encrypted reports whether the client uses TLS, with the server or with a
// trusted proxy.
func (s *Server) encrypted(r *http.Request) bool {
	return r.TLS != nil || s.isProxy(peerOf(r)) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// themeOf is the look that was chosen on the dashboard, which keeps it in a
// cookie; over TLS under the longer name.
func themeOf(r *http.Request) string {
	for _, name := range []string{"__Host-rcpt_theme", "rcpt_theme"} {
		if cookie, err := r.Cookie(name); err == nil && (cookie.Value == "light" || cookie.Value == "dark") {
			return cookie.Value
		}
	}
	return ""
}
