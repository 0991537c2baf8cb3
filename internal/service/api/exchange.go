package api

import (
	"io"
	"log/slog"
	"net/http"
	"time"
)

// usualNotes is the usual number of notes about a request in the log: its key,
// and the domain, result and reason of a verification.
const usualNotes = 4

// exchange is a request and its response, with the attributes for the log. It
// belongs to the request's goroutine. It is a type of its own because each
// value in the request's context costs a copy of the request.
type exchange struct {
	http.ResponseWriter
	began  time.Time
	id     string
	route  string
	status int // of the answer; 0: none was sent

	level slog.Level
	notes []slog.Attr // in room, while there is some
	room  [usualNotes]slog.Attr

	query *query    // nil: it was not read yet
	left  io.Reader // the body that is not wanted; nil: it was read
}

// handler answers a request.
type handler func(x *exchange, r *http.Request)

func newExchange(w http.ResponseWriter, route string) *exchange {
	x := &exchange{ResponseWriter: w, began: time.Now(), id: newID(), route: route, level: slog.LevelDebug}
	x.notes = x.room[:0]
	return x
}

// note adds an attribute to the line of the log.
func (x *exchange) note(notes ...slog.Attr) { x.notes = append(x.notes, notes...) }

// noteVerification marks a request that is always logged. Others would fill the
// log: checks by load balancers, and requests without a key.
func (x *exchange) noteVerification() { x.level = slog.LevelInfo }

// queryOf reads the query of r, once. Every error is a [fault].
func (x *exchange) queryOf(r *http.Request) *query {
	if x.query == nil {
		x.query = readQuery(r.URL.RawQuery)
	}
	return x.query
}

// WriteHeader remembers the status.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

func (x *exchange) Write(body []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	return x.ResponseWriter.Write(body)
}

// Unwrap lets [http.ResponseController] reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }
