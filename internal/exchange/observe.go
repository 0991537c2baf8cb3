package exchange

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"
)

// Observer logs requests and survives the panics of their handlers.
type Observer struct {
	// Logger gets a line for each request.
	Logger *slog.Logger
	// Answered is called for each request, with its route, unless it is not to
	// be counted. Default: nothing is.
	Answered func(route string, status int, took time.Duration)
}

// Handler gives each request an ID, logs how it ended, and answers 500 if its
// handler panics. Of what the client sent, only the method and the route are
// logged: path, query and headers may contain addresses and keys.
func (o Observer) Handler(of func(*http.Request) (answer Handler, route string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, route := of(r)
		x := newExchange(w, route)
		w.Header()["X-Request-Id"] = []string{x.ID}
		defer func() {
			fault := recover()
			if fault != nil && fault != http.ErrAbortHandler {
				o.panicked(x, fault)
			}
			o.ended(x, r)
			if fault == http.ErrAbortHandler { // net/http closes the connection
				panic(fault)
			}
			Linger(x.ResponseWriter, x.left)
		}()
		answer(x, r)
	})
}

// ended reports a request that was answered.
func (o Observer) ended(x *Exchange, r *http.Request) {
	took := time.Since(x.began)
	if o.Answered != nil && !x.uncounted {
		o.Answered(x.route, x.Status, took)
	}
	log := o.Logger.Handler()
	if !log.Enabled(r.Context(), x.level) {
		return
	}
	const usualAttrs = usualNotes + 5
	attrs := append(make([]slog.Attr, 0, usualAttrs),
		slog.String("request_id", x.ID), slog.String("method", method(r)), slog.String("route", x.route))
	attrs = append(attrs, x.notes...)
	attrs = append(attrs, slog.Int("status", x.Status), slog.Int64("duration_ms", took.Milliseconds()))
	// A logger would look up the place in the source, which is always this one.
	line := slog.NewRecord(x.began.Add(took), x.level, "request", 0)
	line.AddAttrs(attrs...)
	_ = log.Handle(r.Context(), line) // [slog.Logger] ignores the error, too
}

// panicked logs a panic with its stack. The client learns only that there is a
// bug.
func (o Observer) panicked(x *Exchange, fault any) {
	of, known := fault.(*Panic)
	if !known {
		of = &Panic{fault, debug.Stack()}
	}
	LogPanic(o.Logger, x.ID, of)
	if x.Status == 0 {
		x.InternalError()
	}
}

// InternalError answers 500.
func (x *Exchange) InternalError() {
	x.Error(http.StatusInternalServerError, InternalError,
		"Internal error: this is a bug. The server's log has the details under the request ID.")
}

// Panic is a panic of a goroutine that works for a request.
type Panic struct {
	Fault any
	Stack []byte
}

// Guarded runs work and returns the panic that ended it, with its first stack.
func Guarded(work func()) (fault *Panic) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case *Panic:
			fault = f
		default:
			fault = &Panic{f, debug.Stack()}
		}
	}()
	work()
	return nil
}

// LogPanic logs a panic of the request with the ID.
func LogPanic(log *slog.Logger, id string, of *Panic) {
	log.LogAttrs(context.Background(), slog.LevelError, "panic", slog.String("request_id", id),
		slog.String("panic", describe(of.Fault)), slog.String("stack", string(of.Stack)))
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
