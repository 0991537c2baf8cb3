package api

import (
	"context"
	"net/http"

	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

const againRoute = jobRoute + "/again"

// jobAgain answers POST to verify again what is unknown in a job. The same
// request with the same Idempotency-Key begins it once.
func (s *Server) jobAgain(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) bool {
	rateFields(x.Header(), grant.Rate())
	x.NoteVerification()
	id := r.PathValue("id")
	token, err := readToken(x.QueryOf(r), r, ownerOf(grant))
	if err != nil {
		s.mistaken(x, grant, err)
		return false
	}
	made := false
	if token != nil {
		var claim *jobs.Claim
		if claim, err = s.config.Jobs.Claim(r.Context(), *token); err != nil {
			s.jobFault(x, err)
			return false
		}
		defer func() { claim.End(made) }()
		token.Body = rows.HashOf("again " + id)
		if claim.Job != "" {
			if claim.Body != token.Body {
				s.jobFault(x, exchange.NewFault(http.StatusUnprocessableEntity, exchange.KeyReused,
					"This Idempotency-Key was used with another request."))
				return false
			}
			j, err := s.config.Jobs.Job(r.Context(), claim.Job, ownersOf(grant))
			return s.answerJob(x, http.StatusAccepted, j, err)
		}
	}
	j, err := s.config.Jobs.Again(context.WithoutCancel(r.Context()), by(grant), id, ownersOf(grant), token)
	made = err == nil && !j.State.Ended()
	return s.answerJob(x, http.StatusAccepted, j, err)
}
