package exchange

import (
	"io"
	"log/slog"
	"net/http"
	"time"
)

// usualNotes is the usual number of notes about a request in the log: its key,
// and the domain, result and reason of a verification.
const usualNotes = 4

// Exchange is a request and its response, with the attributes for the log. It
// belongs to the request's goroutine. It is a type of its own because each
// value in the request's context costs a copy of the request.
type Exchange struct {
	http.ResponseWriter
	began  time.Time
	ID     string // of the request, in the log
	route  string
	Status int // of the answer; 0: none was sent

	level slog.Level
	notes []slog.Attr // in room, while there is some
	room  [usualNotes]slog.Attr

	uncounted bool      // it is in the log alone
	query     *Query    // nil: it was not read yet
	left      io.Reader // the body that is not wanted; nil: it was read
}

// Handler answers a request.
type Handler func(x *Exchange, r *http.Request)

func newExchange(w http.ResponseWriter, route string) *Exchange {
	x := &Exchange{ResponseWriter: w, began: time.Now(), ID: newID(), route: route, level: slog.LevelDebug}
	x.notes = x.room[:0]
	return x
}

// Note adds attributes to the line of the log.
func (x *Exchange) Note(notes ...slog.Attr) { x.notes = append(x.notes, notes...) }

// NoteVerification marks a request that is always logged. Others would fill the
// log: checks by load balancers, and requests without a key.
func (x *Exchange) NoteVerification() { x.level = slog.LevelInfo }

// Uncount keeps the request from being counted ([Observer.Answered]).
func (x *Exchange) Uncount() { x.uncounted = true }

// QueryOf reads the query of r, once. Every error is a [Fault].
func (x *Exchange) QueryOf(r *http.Request) *Query {
	if x.query == nil {
		x.query = readQuery(r.URL.RawQuery)
	}
	return x.query
}

// WriteHeader remembers the status.
func (x *Exchange) WriteHeader(status int) {
	if x.Status == 0 {
		x.Status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

func (x *Exchange) Write(body []byte) (int, error) {
	if x.Status == 0 {
		x.Status = http.StatusOK
	}
	return x.ResponseWriter.Write(body)
}

// Unwrap lets [http.ResponseController] reach the connection.
func (x *Exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }
