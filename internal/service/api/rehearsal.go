package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/rcpt/rcpt/internal/endpoint"
	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/sandbox"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// newRehearsal returns a Server that answers test keys in the words of config's
// own: it asks nobody, and nothing that it does is counted.
func newRehearsal(config Config) (*Server, error) {
	config.Verifier, config.Record, config.Hooks = sandbox.Verifier{}, nil, Hooks{}
	s := &Server{config: config, wrongKeys: newWrongKeys()}
	of := s.endpoint()
	of.Fails, of.Refuse = sandbox.ErrorOf, s.rehearse
	var err error
	s.verify, err = endpoint.New(of)
	return s, err
}

// rehearse answers with the error that an address asks for, or with one that
// the key has run into.
func (s *Server) rehearse(x *exchange.Exchange, r *http.Request, why error) {
	var asked *sandbox.Error
	if !errors.As(why, &asked) {
		s.refuse(x, r, rows.ScopeVerify, why)
		return
	}
	switch asked.Code {
	case "": // 401
		unauthorized(x)
	case exchange.TooManyWrongKeys:
		tooManyWrongKeys(x)
	case exchange.NoAddress:
		x.Fault(endpoint.NoAddress())
	case exchange.InternalError:
		x.InternalError()
	case exchange.ServerBusy:
		endpoint.ServerBusy(x)
	case exchange.MailHostBusy:
		endpoint.MailHostBusy(x)
	default:
		s.refuse(x, r, rows.ScopeVerify, rehearsed[asked.Code])
	}
}

// rehearsed are the errors with which keys run into what they may not.
var rehearsed = map[exchange.Code]error{
	exchange.QuotaUsedUp:        keyring.ErrQuota,
	exchange.MissingScope:       keyring.ErrScope,
	exchange.NetworkNotAllowed:  keyring.ErrNetwork,
	exchange.ShuttingDown:       context.Canceled,
	exchange.StoreUnavailable:   keyring.ErrUnavailable,
	exchange.ConcurrencyReached: &keyring.LimitError{Kind: keyring.ConcurrencyLimit, RetryAfter: time.Second},
	exchange.RateReached: &keyring.LimitError{
		Kind: keyring.RateLimit, RetryAfter: time.Second,
		Rate: keyring.Rate{Limit: 1, Reset: time.Second, Policy: "1;w=1;burst=1"},
	},
}
