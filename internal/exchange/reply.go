package exchange

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// RetryAfter is the hint, in seconds, to a client that could not be served.
const RetryAfter = "5"

// Seconds formats a duration for Retry-After: whole seconds, at least one.
func Seconds(d time.Duration) string {
	return strconv.FormatInt(max(1, int64((d+time.Second-1)/time.Second)), 10)
}

// maxIgnored is the longest body that a request without a body may have.
const maxIgnored = 8 << 10

// ErrorBody is the body of every error. Success is false: clients of this shape
// look at it before anything else.
type ErrorBody struct {
	Message  string     `json:"message"`
	Success  bool       `json:"success"`
	Code     Code       `json:"code,omitempty"`
	ResetsAt *time.Time `json:"resets_at,omitempty"` // when a used-up quota starts again
}

// Error answers with an error.
func (x *Exchange) Error(status int, code Code, message string) {
	x.JSON(status, ErrorBody{Message: message, Code: code})
}

// Unauthorized answers 401, whose body is specified and says no more.
func (x *Exchange) Unauthorized() {
	x.JSON(http.StatusUnauthorized, struct {
		Message string `json:"message"`
	}{"Unauthorized"})
}

// Busy answers 503 with Retry-After.
func (x *Exchange) Busy(code Code, message string) {
	x.Header().Set("Retry-After", RetryAfter)
	x.Error(http.StatusServiceUnavailable, code, message)
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

// JSON answers with body, without escaping for HTML, which nosniff makes
// unnecessary.
func (x *Exchange) JSON(status int, body any) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		panic(err) // a body of ours that is not JSON is a bug
	}
	x.Encoded(status, text.Bytes())
}

// Encoded answers with a text of JSON. It leaves the length of a short body to
// net/http: with a ninth field the header's map would grow, which takes longer
// than filling it.
func (x *Exchange) Encoded(status int, text []byte) {
	header := x.Header()
	header["Content-Type"], header["Cache-Control"], header["X-Content-Type-Options"] = jsonType, notStored, notGuessed
	if len(text) > shortBody || header["Connection"] != nil { // or the answer is sent before the handler ends
		header["Content-Length"] = []string{strconv.Itoa(len(text))}
	}
	x.WriteHeader(status)
	_, _ = x.Write(text) // an error means that the client closed the connection
}

// Only answers 405 to methods that are not allowed, and 413 to a large body
// with any method but POST: no other takes one (RFC 9110 §9.3.1 lets us refuse
// it).
func Only(next Handler, allowed ...string) Handler {
	return func(x *Exchange, r *http.Request) {
		switch {
		case !slices.Contains(allowed, r.Method):
			x.LeaveBody(r)
			x.Header().Set("Allow", strings.Join(allowed, ", "))
			x.Error(http.StatusMethodNotAllowed, MethodNotAllowed,
				"This path does not allow this method: use "+strings.Join(allowed, " or ")+".")
		case r.Method != http.MethodPost && !x.IgnoreBody(r):
			x.Error(http.StatusRequestEntityTooLarge, BodyNotTaken, "This request takes no body.")
		default:
			next(x, r)
		}
	}
}

// IgnoreBody reads past a small body, such as the "{}" that some HTTP libraries
// send with every request. It reports whether the body is small. The connection
// ends after the answer all the same: see [Exchange.LeaveBody]. A client that
// asks before it sends a body is not told to go on.
func (x *Exchange) IgnoreBody(r *http.Request) bool {
	if r.ContentLength == 0 {
		return true
	}
	x.LeaveBody(r)
	if r.ContentLength > maxIgnored || r.Header.Get("Expect") != "" {
		return false
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r.Body, maxIgnored+1))
	return n <= maxIgnored && err == nil
}

// LeaveBody ends the connection after the answer if the request has a body.
// What one party takes for a body and another for a request (RFC 9112 §11.2) is
// never taken for a request.
func (x *Exchange) LeaveBody(r *http.Request) {
	if r.ContentLength == 0 {
		return
	}
	x.Header().Set("Connection", "close")
	x.left = r.Body
}
