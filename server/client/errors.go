package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/rcpt/rcpt"
)

// errAnswer reports a response that is not one of the service.
var errAnswer = errors.New("rcpt: the response of the service is invalid")

// ErrNotVerified means that the service answered that it could not carry out
// the verification. The result beside it says why: its Reason is
// [rcpt.ReasonBusy], for example.
var ErrNotVerified = errors.New("rcpt: the address was not verified")

var _ rcpt.Verifier = (*Client)(nil)

// Error is a response with another status than 200.
type Error struct {
	// 401: the key is not valid; 402: its quota is used up; 403: it is not
	// allowed to do this; 429: too many requests; 503: the service is busy
	Status  int
	Message string // for people; empty if the response is not from the service
	// one lower_snake word of a set that the service's /docs lists; empty with
	// 401
	Code       string
	ResetsAt   time.Time     // when a used-up quota starts again; zero: not known
	RetryAfter time.Duration // how long to wait before the next try; zero: unknown
	RequestID  string        // as in the service's log
}

// Error returns the status, the message and the ID of the request.
func (e *Error) Error() string {
	text := fmt.Sprintf("rcpt: %d %s", e.Status, http.StatusText(e.Status))
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

func newError(response *http.Response, body []byte) *Error {
	e := &Error{
		Status:     response.StatusCode,
		RetryAfter: parseRetryAfter(response.Header.Get("Retry-After"), time.Now()),
		RequestID:  response.Header.Get("X-Request-Id"),
	}
	var reply struct {
		Message, Code string
		ResetsAt      time.Time `json:"resets_at"`
	}
	if json.Unmarshal(body, &reply) == nil {
		e.Message, e.Code, e.ResetsAt = reply.Message, reply.Code, reply.ResetsAt
	}
	return e
}

// parseRetryAfter reads seconds or a date (RFC 9110 §10.2.3), and ignores
// anything else.
func parseRetryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
