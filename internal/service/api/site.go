package api

import (
	"net/http"
	"strings"

	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/service/web/guide"
	"github.com/rcpt/rcpt/internal/service/web/openapi"
	"github.com/rcpt/rcpt/internal/service/web/snippets"
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
func (s *Server) guide(x *exchange.Exchange, r *http.Request) {
	guide.Serve(x, r, themeOf(r), s.config.Pages != nil)
}

// encrypted reports whether the client uses TLS, with the server or with a
// trusted proxy.
func (s *Server) encrypted(r *http.Request) bool {
	return r.TLS != nil || s.isProxy(peerOf(r)) && forwardedProto(r) == "https"
}

// forwardedProto is what the nearest proxy says about its client's connection:
// proxies write the last value of the list, and clients may have written others
// before it.
func forwardedProto(r *http.Request) string {
	said := strings.Join(r.Header["X-Forwarded-Proto"], ",")
	return strings.ToLower(strings.TrimSpace(said[strings.LastIndexByte(said, ',')+1:]))
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
