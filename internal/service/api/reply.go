package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// errorBody is the body of every error. Success is false: clients of this shape
// look at it before anything else.
type errorBody struct {
	Message  string     `json:"message"`
	Success  bool       `json:"success"`
	Code     code       `json:"code,omitempty"`
	ResetsAt *time.Time `json:"resets_at,omitempty"` // when a used-up quota starts again
}

func writeError(w http.ResponseWriter, status int, code code, message string) {
	writeJSON(w, status, errorBody{Message: message, Code: code})
}

// writeUnauthorized answers 401, whose body is specified and says no more.
func writeUnauthorized(w http.ResponseWriter) {
	writeJSON(w, http.StatusUnauthorized, struct {
		Message string `json:"message"`
	}{"Unauthorized"})
}

// writeBusy answers 503 with Retry-After.
func writeBusy(w http.ResponseWriter, code code, message string) {
	w.Header().Set("Retry-After", retryAfter)
	writeError(w, http.StatusServiceUnavailable, code, message)
}

// Header fields of most answers. They are never changed.
var (
	jsonType   = []string{"application/json; charset=utf-8"}
	notStored  = []string{"private, no-store"}
	notGuessed = []string{"nosniff"}
)

// shortBody is the length up to which net/http sets Content-Length itself
// ("under a few KB", [http.ResponseWriter]).
const shortBody = 1 << 10

// writeJSON writes body without escaping for HTML, which nosniff makes
// unnecessary.
func writeJSON(w http.ResponseWriter, status int, body any) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		panic(err) // a body of ours that is not JSON is a bug
	}
	writeEncoded(w, status, text.Bytes())
}

// writeEncoded leaves the length of a short body to net/http: with a ninth
// field the header's map would grow, which takes longer than filling it.
func writeEncoded(w http.ResponseWriter, status int, text []byte) {
	header := w.Header()
	header["Content-Type"], header["Cache-Control"], header["X-Content-Type-Options"] = jsonType, notStored, notGuessed
	if len(text) > shortBody || header["Connection"] != nil { // or the answer is sent before the handler ends
		header["Content-Length"] = []string{strconv.Itoa(len(text))}
	}
	w.WriteHeader(status)
	_, _ = w.Write(text) // an error means that the client closed the connection
}

func notFound(x *exchange, r *http.Request) {
	leaveBody(x, r)
	writeError(x, http.StatusNotFound, pathNotFound,
		"This path does not exist. The API is described at /docs and, for programs, in /openapi.json.")
}

func health(x *exchange, _ *http.Request) {
	writeJSON(x, http.StatusOK, struct {
		Status string `json:"status"`
	}{"ok"})
}

// ready answers whether requests can be served, for load balancers.
func (s *Server) ready(x *exchange, r *http.Request) {
	if s.config.Ready == nil {
		health(x, r)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	if err := s.config.Ready(ctx); err != nil {
		x.note(slog.String("error", err.Error()))
		writeBusy(x, notReady, "Not ready.")
		return
	}
	health(x, r)
}

// only answers 405 to methods that are not allowed, and 413 to a large body
// with any method but POST: no other takes one (RFC 9110 §9.3.1 lets us refuse
// it).
func only(next handler, allowed ...string) handler {
	return func(x *exchange, r *http.Request) {
		switch {
		case !slices.Contains(allowed, r.Method):
			leaveBody(x, r)
			x.Header().Set("Allow", strings.Join(allowed, ", "))
			writeError(x, http.StatusMethodNotAllowed, methodNotAllowed,
				"This path does not allow this method: use "+strings.Join(allowed, " or ")+".")
		case r.Method != http.MethodPost && !ignoreBody(x, r):
			writeError(x, http.StatusRequestEntityTooLarge, bodyNotTaken, "This request takes no body.")
		default:
			next(x, r)
		}
	}
}

// ignoreBody reads past a small body, such as the "{}" that some HTTP libraries
// send with every request. It reports whether the body is small. The connection
// ends after the answer all the same: see [leaveBody]. A client that asks
// before it sends a body is not told to go on.
func ignoreBody(x *exchange, r *http.Request) bool {
	if r.ContentLength == 0 {
		return true
	}
	leaveBody(x, r)
	if r.ContentLength > maxIgnored || r.Header.Get("Expect") != "" {
		return false
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r.Body, maxIgnored+1))
	return n <= maxIgnored && err == nil
}

// leaveBody ends the connection after the answer if the request has a body.
// What one party takes for a body and another for a request (RFC 9112 §11.2) is
// never taken for a request.
func leaveBody(x *exchange, r *http.Request) {
	if r.ContentLength == 0 {
		return
	}
	x.Header().Set("Connection", "close")
	x.left = r.Body
}
