package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt/server/keyring"
	"github.com/rcpt/rcpt/store"
)

// granted answers a request whose key may do what it asks for, and reports whether it was answered, so that it counts.
type granted func(x *exchange, r *http.Request, grant *keyring.Grant) (answered bool)

// authorized lets requests through that show a key for the scope, in a header or in the query parameter, while the key is within its limits.
func (s *Server) authorized(parameter string, scope store.Scope, next granted) handler {
	return func(x *exchange, r *http.Request) {
		grant, err := s.keys.Admit(r.Context(), x.shownKey(r, parameter), scope, s.clientAddr(r))
		if err != nil {
			s.refuse(x, r, err)
			return
		}
		answered := false
		defer func() { grant.Done(answered) }() // after a panic too
		x.note(slog.String("key_id", grant.ID))
		answered = next(x, r, grant)
	}
}

// refuse answers a request that is not admitted.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, why error) {
	var limit *keyring.LimitError
	switch {
	case errors.Is(why, keyring.ErrUnauthorized):
		s.unauthorized(w, r)
	case errors.As(why, &limit):
		s.refused(string(limit.Kind))
		rateFields(w.Header(), limit.Rate)
		w.Header().Set("Retry-After", seconds(limit.RetryAfter))
		writeError(w, http.StatusTooManyRequests, limitMessages[limit.Kind])
	case errors.Is(why, keyring.ErrQuota):
		s.refused("quota")
		writeError(w, http.StatusPaymentRequired, "The quota of this key for this month is used up.")
	case errors.Is(why, context.Canceled):
		writeBusy(w, "The server is shutting down. Try again later.") // or the client has gone
	default:
		s.refused("store")
		writeBusy(w, "The quota of this key cannot be looked up. Try again later.")
	}
}

var limitMessages = map[keyring.Limit]string{
	keyring.RateLimit:        "Too many requests: this key has reached its rate.",
	keyring.ConcurrencyLimit: "Too many requests at a time with this key.",
}

// unauthorized says nothing about what is wrong with a key.
func (s *Server) unauthorized(w http.ResponseWriter, r *http.Request) {
	s.refused("unauthorized")
	if s.wrongKeys.allow(networkOf(s.clientAddr(r))) {
		w.Header().Set("WWW-Authenticate", "Bearer") // RFC 9110 §15.5.2
		writeError(w, http.StatusUnauthorized, "Unauthorized")
		return
	}
	w.Header().Set("Connection", "close")
	w.Header().Set("Retry-After", retryAfter)
	writeError(w, http.StatusTooManyRequests, "Too many requests without a right key.")
}

// rateFields tells where a key with a rate limit stands (draft-ietf-httpapi-ratelimit-headers-06).
func rateFields(header http.Header, rate keyring.Rate) {
	if !rate.Limited() {
		return
	}
	values := []string{ // one allocation for the four
		strconv.FormatInt(rate.Limit, 10), strconv.FormatInt(rate.Remaining, 10), strconv.FormatInt(keyring.Seconds(rate.Reset), 10), rate.Policy,
	}
	header["Ratelimit-Limit"], header["Ratelimit-Remaining"] = values[0:1:1], values[1:2:2]
	header["Ratelimit-Reset"], header["Ratelimit-Policy"] = values[2:3:3], values[3:4:4]
}

// seconds is a duration as Retry-After has it: at least one.
func seconds(d time.Duration) string { return strconv.FormatInt(max(1, keyring.Seconds(d)), 10) }

// shownKey is the key of a request: the first of bearer token, X-API-Key and query parameter that there is. What is given more than once shows
// none: programs differ on which of them counts.
func (x *exchange) shownKey(r *http.Request, parameter string) string {
	authorization, own := r.Header["Authorization"], r.Header["X-Api-Key"]
	if len(authorization) > 1 || len(own) > 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return strings.TrimLeft(token, " ")
	}
	if len(own) == 1 && own[0] != "" {
		return own[0]
	}
	if given, times := x.queryOf(r).find(parameter); times == 1 {
		return given
	}
	return ""
}
