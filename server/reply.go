package server

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// errorBody is the body of every error.
type errorBody struct {
	Message string `json:"message"`
}

func writeError(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, errorBody{message})
}

// writeBusy tells the client to come back.
func writeBusy(w http.ResponseWriter, message string) {
	w.Header().Set("Retry-After", retryAfter)
	writeError(w, http.StatusServiceUnavailable, message)
}

// Header fields that most answers have. Nobody changes them.
var (
	jsonType   = []string{"application/json; charset=utf-8"}
	notStored  = []string{"private, no-store"}
	notGuessed = []string{"nosniff"}
)

// writeJSON writes body as it is meant to be read: without the escaping for HTML, which nosniff makes needless.
func writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := encoded(body)
	if err != nil {
		panic(err) // a body of ours that is not JSON is a bug
	}
	header := w.Header()
	header["Content-Type"], header["Cache-Control"], header["X-Content-Type-Options"] = jsonType, notStored, notGuessed
	header["Content-Length"] = []string{strconv.Itoa(len(text))}
	w.WriteHeader(status)
	_, _ = w.Write(text) // an error means that the client has gone
}

// encoded is body with a line end. What encodes itself, as an [engine.Result] does, is taken at its word: encoding/json would read it through again.
func encoded(body any) ([]byte, error) {
	if record, ok := body.(json.Marshaler); ok {
		text, err := record.MarshalJSON()
		return append(text, '\n'), err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(body)
	return text.Bytes(), err
}

func notFound(w http.ResponseWriter, r *http.Request) {
	leaveBody(w, r)
	writeError(w, http.StatusNotFound, "Not Found")
}

func health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, struct {
		Status string `json:"status"`
	}{"ok"})
}

// ready tells whether requests can be served, for balancers.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.config.Ready == nil {
		health(w, r)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyPatience)
	defer cancel()
	if err := s.config.Ready(ctx); err != nil {
		note(r, slog.String("error", err.Error()))
		writeBusy(w, "Not ready.")
		return
	}
	health(w, r)
}

// only answers 405 to methods that are not allowed, and 413 to a body: none of them takes one (RFC 9110 §9.3.1 lets us refuse it).
func only(next http.HandlerFunc, allowed ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := leaveBody(w, r)
		switch {
		case !slices.Contains(allowed, r.Method):
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			writeError(w, http.StatusMethodNotAllowed, "Method Not Allowed")
		case body:
			writeError(w, http.StatusRequestEntityTooLarge, "This request takes no body.")
		default:
			next(w, r)
		}
	})
}

// leaveBody ends the connection behind the answer if the request has a body, and reports whether it has. Package net/http would wait for a body
// that nobody reads, which may take its time; and what one party takes for a body and another for a request (RFC 9112 §11.2) is never read.
func leaveBody(w http.ResponseWriter, r *http.Request) bool {
	if r.ContentLength == 0 {
		return false
	}
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) // a writer that cannot do that has no connection to end
	return true
}
