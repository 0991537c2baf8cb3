package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// granted serves a request that its key allows, and reports whether the request
// counts as answered.
type granted func(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) (answered bool)

// authorized passes on requests that have a key with the scope, while the key
// is within its limits. The body of other requests is not read.
func (s *Server) authorized(scope rows.Scope, next granted) exchange.Handler {
	return func(x *exchange.Exchange, r *http.Request) {
		grant, err := s.admit(x, r, scope)
		if err != nil {
			x.LeaveBody(r)
			s.refuse(x, r, scope, err)
			return
		}
		answered := false
		defer func() { grant.Done(answered) }() // after a panic too
		x.Note(slog.String("key_id", grant.ID))
		if grant.Test() {
			x.Uncount()
		}
		answered = next(x, r, grant)
	}
}

// admit grants a request by its key.
func (s *Server) admit(x *exchange.Exchange, r *http.Request, scope rows.Scope) (*keyring.Grant, error) {
	grant, err := s.config.Keys.Admit(r.Context(), x.Key(r), scope, s.clientAddr(r))
	if errors.Is(err, keyring.ErrQuota) && s.verify.Owed() {
		return s.config.Keys.AdmitOwed(x.Key(r), scope, s.clientAddr(r)) // the endpoint sees whether it is paid for
	}
	return grant, err
}

// verifies answers /api/v1/verify.
func (s *Server) verifies(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) (answered bool) {
	if grant.Test() {
		return s.rehearsal.verify.Answer(x, r, client{grant})
	}
	return s.verify.Answer(x, r, client{grant})
}

// client is a [keyring.Grant] as the endpoint knows it.
type client struct{ *keyring.Grant }

func (c client) ID() string                  { return c.Grant.ID }
func (c client) Describe(header http.Header) { rateFields(header, c.Rate()) }

// refuse answers a request that is not admitted.
func (s *Server) refuse(x *exchange.Exchange, r *http.Request, scope rows.Scope, why error) {
	var limit *keyring.LimitError
	var tooMany *keyring.TooManyError
	switch {
	case errors.Is(why, keyring.ErrUnauthorized):
		s.unauthorized(x, r)
	case errors.Is(why, keyring.ErrNetwork):
		s.refused("forbidden")
		x.Error(http.StatusForbidden, exchange.NetworkNotAllowed,
			fmt.Sprintf("This key may not be used from your network (%v).", s.clientAddr(r)))
	case errors.Is(why, keyring.ErrScope):
		s.refused("forbidden")
		x.Error(http.StatusForbidden, exchange.MissingScope, fmt.Sprintf("This key lacks the scope %q.", scope))
	case errors.As(why, &tooMany):
		s.refused("rate")
		x.Error(http.StatusBadRequest, exchange.TooManyAddresses,
			fmt.Sprintf("The rate of this key allows %d addresses at once: send no more in a request.", tooMany.Most))
	case errors.As(why, &limit):
		s.refused(string(limit.Kind))
		rateFields(x.Header(), limit.Rate)
		x.Header().Set("Retry-After", exchange.Seconds(limit.RetryAfter))
		x.Error(http.StatusTooManyRequests, limitCodes[limit.Kind], limitMessages[limit.Kind])
	case errors.Is(why, keyring.ErrQuota):
		s.quotaUsedUp(x)
	case errors.Is(why, context.Canceled):
		x.Busy(exchange.ShuttingDown, "The server is shutting down. Try again later.") // or the client has gone
	default:
		s.refused("store")
		x.Busy(exchange.StoreUnavailable, "The quota of this key cannot be looked up. Try again later.")
	}
}

// exchange.QuotaUsedUp says when the quota starts again.
func (s *Server) quotaUsedUp(x *exchange.Exchange) {
	s.refused("quota")
	now := time.Now()
	resets := keyring.QuotaResets(now)
	x.Header().Set("Retry-After", exchange.Seconds(resets.Sub(now)))
	x.JSON(http.StatusPaymentRequired, exchange.ErrorBody{
		Message: "The rest of this key's monthly quota is not sufficient. The quota is reset on " +
			resets.Format(time.DateOnly) + " at 00:00 UTC.",
		Code: exchange.QuotaUsedUp, ResetsAt: &resets,
	})
}

// mistaken answers an invalid request, which does not count against the key's
// limits.
func (s *Server) mistaken(x *exchange.Exchange, grant *keyring.Grant, err error) {
	grant.Free()
	rateFields(x.Header(), grant.Rate())
	x.Fault(err)
}

var limitCodes = map[keyring.Limit]exchange.Code{keyring.RateLimit: exchange.RateReached,
	keyring.ConcurrencyLimit: exchange.ConcurrencyReached}

var limitMessages = map[keyring.Limit]string{
	keyring.RateLimit:        "Too many requests: this key has reached its rate.",
	keyring.ConcurrencyLimit: "Too many requests at a time with this key.",
}

// unauthorized says nothing about what is wrong with a key.
func (s *Server) unauthorized(x *exchange.Exchange, r *http.Request) {
	s.refused("unauthorized")
	if s.wrongKeys.allow(networkOf(s.clientAddr(r))) {
		unauthorized(x)
		return
	}
	tooManyWrongKeys(x)
}

func unauthorized(x *exchange.Exchange) {
	x.Header().Set("WWW-Authenticate", "Bearer") // RFC 9110 §15.5.2
	x.Unauthorized()
}

func tooManyWrongKeys(x *exchange.Exchange) {
	x.Header().Set("Connection", "close")
	x.Header().Set("Retry-After", exchange.RetryAfter)
	x.Error(http.StatusTooManyRequests, exchange.TooManyWrongKeys, "Too many requests without a valid key.")
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
