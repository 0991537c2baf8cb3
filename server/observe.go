package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// usualAttrs is how many attributes the log has of a request, as a rule.
const usualAttrs = 10

// observed gives each request an ID, logs how it ended, and answers 500 where a handler panics. Of what the client sent, only the
// method and the route get into the log: path, query and headers may hold addresses and keys.
func (s *Server) observed(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		handler, route := routed(mux, r)
		seen := &observation{level: slog.LevelDebug, attrs: make([]slog.Attr, 0, usualAttrs)}
		seen.note(slog.String("request_id", rand.Text()), slog.String("method", method(r)), slog.String("route", route))
		w.Header().Set("X-Request-Id", seen.attrs[0].Value.String())
		reply := &statusWriter{ResponseWriter: w}
		defer func() {
			if fault := recover(); fault != nil {
				s.panicked(reply, seen, fault)
			}
			took := time.Since(started)
			s.answered(route, reply.status, took)
			seen.note(slog.Int("status", reply.status), slog.Int64("duration_ms", took.Milliseconds()))
			s.config.Logger.LogAttrs(r.Context(), seen.level, "request", seen.attrs...)
		}()
		handler.ServeHTTP(reply, r.WithContext(context.WithValue(r.Context(), observationKey{}, seen)))
	})
}

// routed is mux and the route that it takes, except for paths in another than their plain form. Mux would redirect some to that, and repeat
// the query with the key in it; others, with needless percent-encoding, it would take, past a proxy that knows the plain form only.
func routed(mux *http.ServeMux, r *http.Request) (handler http.Handler, route string) {
	if given := r.URL.EscapedPath(); !strings.HasPrefix(given, "/") || path.Clean(given) != given || given != r.URL.Path {
		return http.HandlerFunc(notFound), "/"
	}
	return mux.Handler(r)
}

// panicked logs a bug of ours with its stack, and tells the client no more than that there is one.
func (s *Server) panicked(w *statusWriter, seen *observation, fault any) {
	s.config.Logger.LogAttrs(context.Background(), slog.LevelError, "panic", seen.attrs[0],
		slog.String("panic", describe(fault)), slog.String("stack", string(debug.Stack())))
	if w.status == 0 {
		writeError(w, http.StatusInternalServerError, "Internal Server Error")
	}
}

// describe names a panic without repeating text that may come from a client.
func describe(fault any) string {
	if err, ok := fault.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", fault)
}

// method is the request's method if it is a known one: any token can be a method.
func method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	}
	return "other"
}

// observation is what the log says about a request, and what was read of it. It belongs to the request's goroutine.
type observation struct {
	level slog.Level
	attrs []slog.Attr
	query *query // nil: it was not read yet
}

type observationKey struct{}

func (o *observation) note(attrs ...slog.Attr) { o.attrs = append(o.attrs, attrs...) }

// note adds to what the log says about r.
func note(r *http.Request, attrs ...slog.Attr) {
	if seen, ok := r.Context().Value(observationKey{}).(*observation); ok {
		seen.note(attrs...)
	}
}

// noteVerification makes r one that everybody wants to see in the log. Other requests would fill it: checks of load balancers, and those of
// people without a key.
func noteVerification(r *http.Request) {
	if seen, ok := r.Context().Value(observationKey{}).(*observation); ok {
		seen.level = slog.LevelInfo
	}
}

// statusWriter remembers the status of the answer; 0 means that none was sent.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(body []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(body)
}

// Unwrap lets [http.ResponseController] reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
