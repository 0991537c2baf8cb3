package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// granted serves a request that its key allows, and reports whether the request
// counts as answered.
type granted func(x *exchange, r *http.Request, grant *keyring.Grant) (answered bool)

// authorized passes on requests that have a key with the scope, while the key
// is within its limits. The body of other requests is not read.
func (s *Server) authorized(scope rows.Scope, next granted) handler {
	return func(x *exchange, r *http.Request) {
		grant, err := s.admit(x, r, scope)
		if err != nil {
			leaveBody(x, r)
			s.refuse(x, r, scope, err)
			return
		}
		answered := false
		defer func() { grant.Done(answered) }() // after a panic too
		x.note(slog.String("key_id", grant.ID))
		answered = next(x, r, grant)
	}
}

// admit grants a request by its key, or by what the program decides.
func (s *Server) admit(x *exchange, r *http.Request, scope rows.Scope) (*keyring.Grant, error) {
	if s.config.Authorize == nil {
		grant, err := s.keys.Admit(r.Context(), x.shownKey(r), scope, s.clientAddr(r))
		if errors.Is(err, keyring.ErrQuota) && s.orphans.any() {
			return s.keys.AdmitOwed(x.shownKey(r), scope, s.clientAddr(r)) // verify sees whether it is paid for
		}
		return grant, err
	}
	client, err := s.config.Authorize(r)
	refusal := (*Refusal)(nil)
	if errors.As(err, &refusal) && http.StatusText(refusal.Status) != "" && refusal.Status >= 400 {
		return nil, refusal
	}
	if err != nil {
		return nil, keyring.ErrUnauthorized
	}
	grant, err := s.keys.Admit(r.Context(), s.config.Key, scope, s.clientAddr(r))
	if err == nil {
		grant.ID, grant.Name = client, client
	}
	return grant, err
}

// refuse answers a request that is not admitted.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, scope rows.Scope, why error) {
	var limit *keyring.LimitError
	var tooMany *keyring.TooManyError
	var refusal *Refusal
	switch {
	case errors.As(why, &refusal):
		s.refused("forbidden")
		if refusal.RetryAfter > 0 {
			w.Header().Set("Retry-After", seconds(refusal.RetryAfter))
		}
		writeError(w, refusal.Status, code(refusal.Code), refusal.Message)
	case errors.Is(why, keyring.ErrUnauthorized):
		s.unauthorized(w, r)
	case errors.Is(why, keyring.ErrNetwork):
		s.refused("forbidden")
		writeError(w, http.StatusForbidden, networkNotAllowed,
			fmt.Sprintf("This key may not be used from your network (%v).", s.clientAddr(r)))
	case errors.Is(why, keyring.ErrScope):
		s.refused("forbidden")
		writeError(w, http.StatusForbidden, missingScope, fmt.Sprintf("This key lacks the scope %q.", scope))
	case errors.As(why, &tooMany):
		s.refused("rate")
		writeError(w, http.StatusBadRequest, tooManyAddresses,
			fmt.Sprintf("The rate of this key allows %d addresses at once: send no more in a request.", tooMany.Most))
	case errors.As(why, &limit):
		s.refused(string(limit.Kind))
		rateFields(w.Header(), limit.Rate)
		w.Header().Set("Retry-After", seconds(limit.RetryAfter))
		writeError(w, http.StatusTooManyRequests, limitCodes[limit.Kind], limitMessages[limit.Kind])
	case errors.Is(why, keyring.ErrQuota):
		s.quotaUsedUp(w)
	case errors.Is(why, context.Canceled):
		writeBusy(w, shuttingDown, "The server is shutting down. Try again later.") // or the client has gone
	default:
		s.refused("store")
		writeBusy(w, storeUnavailable, "The quota of this key cannot be looked up. Try again later.")
	}
}

// quotaUsedUp says when the quota starts again.
func (s *Server) quotaUsedUp(w http.ResponseWriter) {
	s.refused("quota")
	now := time.Now()
	resets := keyring.QuotaResets(now)
	w.Header().Set("Retry-After", seconds(resets.Sub(now)))
	writeJSON(w, http.StatusPaymentRequired, errorBody{
		Message: "The rest of this key's monthly quota is not sufficient. The quota is reset on " +
			resets.Format(time.DateOnly) + " at 00:00 UTC.",
		Code: quotaUsedUp, ResetsAt: &resets,
	})
}

// mistaken answers an invalid request, which does not count against the key's
// limits.
func (s *Server) mistaken(w http.ResponseWriter, grant *keyring.Grant, err error) {
	grant.Free()
	rateFields(w.Header(), grant.Rate())
	writeFault(w, err)
}

var limitCodes = map[keyring.Limit]code{keyring.RateLimit: rateReached, keyring.ConcurrencyLimit: concurrencyReached}

var limitMessages = map[keyring.Limit]string{
	keyring.RateLimit:        "Too many requests: this key has reached its rate.",
	keyring.ConcurrencyLimit: "Too many requests at a time with this key.",
}

// unauthorized says nothing about what is wrong with a key.
func (s *Server) unauthorized(w http.ResponseWriter, r *http.Request) {
	s.refused("unauthorized")
	if s.wrongKeys.allow(networkOf(s.clientAddr(r))) {
		w.Header().Set("WWW-Authenticate", "Bearer") // RFC 9110 §15.5.2
		writeUnauthorized(w)
		return
	}
	w.Header().Set("Connection", "close")
	w.Header().Set("Retry-After", retryAfter)
	writeError(w, http.StatusTooManyRequests, tooManyWrongKeys, "Too many requests without a valid key.")
}

// rateFields sets the header fields of a key with a rate limit
// (draft-ietf-httpapi-ratelimit-headers-06).
func rateFields(header http.Header, rate keyring.Rate) {
	if !rate.Limited() {
		return
	}
	values := []string{ // one allocation for the four
		strconv.FormatInt(rate.Limit, 10), strconv.FormatInt(rate.Remaining, 10),
		strconv.FormatInt(keyring.Seconds(rate.Reset), 10), rate.Policy,
	}
	header["Ratelimit-Limit"], header["Ratelimit-Remaining"] = values[0:1:1], values[1:2:2]
	header["Ratelimit-Reset"], header["Ratelimit-Policy"] = values[2:3:3], values[3:4:4]
}

// seconds formats a duration for Retry-After: whole seconds, at least one.
func seconds(d time.Duration) string { return strconv.FormatInt(max(1, keyring.Seconds(d)), 10) }

// keyParameter is the query parameter for the key, and keyAlias another name
// for it.
const (
	keyParameter = "apikey"
	keyAlias     = "api_key"
)

// shownKey returns the key of a request: the first one present of query
// parameter, bearer token and X-API-Key. The parameter comes first because a
// client that has it may use the header for another service, such as a gateway.
// Two keys in one place are no key, because programs differ on which they use.
func (x *exchange) shownKey(r *http.Request) string {
	if given := x.queryOf(r).keys(); len(given) > 0 {
		return onlyKey(given)
	}
	authorization, own := r.Header["Authorization"], r.Header["X-Api-Key"]
	if len(authorization) > 1 || len(own) > 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return strings.TrimLeft(token, " ")
	}
	return r.Header.Get("X-Api-Key")
}

// onlyKey returns the key that all of the given are, or no key.
func onlyKey(given []string) string {
	if len(slices.Compact(given)) > 1 {
		return ""
	}
	return given[0]
}
