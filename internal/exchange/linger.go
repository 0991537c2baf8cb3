package exchange

import (
	"io"
	"net/http"
	"time"
)

// Bounds of what is read after the answer.
const (
	longestLinger = 5 * time.Second
	mostLinger    = 64 << 20 // octets
)

// Linger sends the answer and drops what still arrives of a body that is not
// wanted, for a while; nil: the body was read. If the connection were closed at
// once, the system would reset it, and a client or proxy that is still sending
// could lose the answer (RFC 9112 §9.6). The answer has the field Connection:
// close, and its length, without which the client would wait for its end.
func Linger(w http.ResponseWriter, body io.Reader) {
	if body == nil {
		return
	}
	control := http.NewResponseController(w)
	if control.SetReadDeadline(time.Now().Add(longestLinger)) != nil {
		return // there is no connection to end
	}
	if control.Flush() == nil {
		_, _ = io.CopyN(io.Discard, body, mostLinger) // an error means that nothing more comes
	}
	// Package net/http would wait for the rest of the body.
	_ = control.SetReadDeadline(time.Unix(1, 0))
}
