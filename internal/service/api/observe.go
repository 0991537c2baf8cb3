package api

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/rcpt/rcpt/internal/sys/linger"
)

// observed gives each request an ID, logs how it ended, and answers 500 if a
// handler panics. Of what the client sent, only the method and the route are
// logged: path, query and headers may contain addresses and keys.
func (s *Server) observed(of func(*http.Request) (answer handler, route string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, route := of(r)
		x := newExchange(w, route)
		w.Header()["X-Request-Id"] = []string{x.id}
		defer func() {
			fault := recover()
			if fault != nil && fault != http.ErrAbortHandler {
				s.panicked(x, fault)
			}
			s.ended(x, r)
			if fault == http.ErrAbortHandler { // net/http closes the connection
				panic(fault)
			}
			linger.Close(x.ResponseWriter, x.left)
		}()
		answer(x, r)
	})
}

// ended reports a request that was answered.
func (s *Server) ended(x *exchange, r *http.Request) {
	took := time.Since(x.began)
	s.answered(x.route, x.status, took)
	log := s.config.Logger.Handler()
	if !log.Enabled(r.Context(), x.level) {
		return
	}
	const usualAttrs = usualNotes + 5
	attrs := append(make([]slog.Attr, 0, usualAttrs),
		slog.String("request_id", x.id), slog.String("method", method(r)), slog.String("route", x.route))
	attrs = append(attrs, x.notes...)
	attrs = append(attrs, slog.Int("status", x.status), slog.Int64("duration_ms", took.Milliseconds()))
	// A logger would look up the place in the source, which is always this one.
	line := slog.NewRecord(x.began.Add(took), x.level, "request", 0)
	line.AddAttrs(attrs...)
	_ = log.Handle(r.Context(), line) // [slog.Logger] ignores the error, too
}

// panicked logs a panic with its stack. The client learns only that there is a
// bug.
func (s *Server) panicked(x *exchange, fault any) {
	of, known := fault.(*taskFault)
	if !known {
		of = &taskFault{fault, debug.Stack()}
	}
	s.logPanic(slog.String("request_id", x.id), of)
	if x.status == 0 {
		writeError(x, http.StatusInternalServerError, internalError,
			"Internal error: this is a bug. The server's log has the details under the request ID.")
	}
}

func (s *Server) logPanic(request slog.Attr, of *taskFault) {
	s.config.Logger.LogAttrs(context.Background(), slog.LevelError, "panic", request,
		slog.String("panic", describe(of.fault)), slog.String("stack", string(of.stack)))
}

// describe names a panic without repeating text that may come from a client.
func describe(fault any) string {
	if err, ok := fault.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", fault)
}

// method returns the request's method if it is a known one: any token can be a
// method.
func method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
		http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	}
	return "other"
}

const (
	idDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" // RFC 4648 §6
	idHalf   = 13                                 // digits for 64 bits
)

// newID returns the ID of a request. It finds a line in the log and grants
// nothing, so it need not be secret.
func newID() string {
	var id [2 * idHalf]byte
	for from := 0; from < len(id); from += idHalf {
		bits := rand.Uint64()
		for i := range idHalf {
			id[from+i] = idDigits[bits%uint64(len(idDigits))]
			bits /= uint64(len(idDigits))
		}
	}
	return string(id[:])
}
