package certificate

import (
	"encoding/json"
	"net"
	"net/http"
	"path"
	"strings"
)

// plainHandler answers requests without TLS that are no challenge. Pages are
// redirected, without their query, which may hold a key. A request to the API
// is refused: redirected, a wrong URL would work, and send the key in clear
// text each time.
func (m *Manager) plainHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.ToLower(r.Host)
		if host, _, err := net.SplitHostPort(name); err == nil {
			name = host
		}
		switch {
		case m.isOurs(r.Context(), name) != nil:
			http.Error(w, "this server has another name", http.StatusMisdirectedRequest)
		case !strings.HasPrefix(r.URL.Path, "/"):
			http.Error(w, "ask for a path", http.StatusBadRequest)
		case ofAPI(r.URL.Path) || r.Method != http.MethodGet && r.Method != http.MethodHead:
			refusePlain(w, name)
		default:
			w.Header().Set("Location", "https://"+name+r.URL.EscapedPath())
			w.WriteHeader(http.StatusMovedPermanently)
		}
	})
}

// ofAPI reports whether a path, in any spelling, is one of the API.
func ofAPI(given string) bool {
	return strings.HasPrefix(strings.ToLower(path.Clean(given)+"/"), "/api/")
}

// refusePlain answers 403, as the API answers errors.
func refusePlain(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "private, no-store")
	w.WriteHeader(http.StatusForbidden)
	_ = json.NewEncoder(w).Encode(struct { // an error means that the client disconnected
		Success bool   `json:"success"`
		Message string `json:"message"`
		Code    string `json:"code"`
	}{false, "This address speaks TLS only: use https://" + name +
		". A key that was sent without TLS can have been read on the way: replace it.", "tls_required"})
}
