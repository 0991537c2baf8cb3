package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/service/webhook"
)

const (
	// webhooksListed is how many webhooks are listed at once, and
	// maxWebhooksListed how many a client may ask for.
	webhooksListed    = 50
	maxWebhooksListed = 200
)

// WebhookStore has the webhooks of keys;
// [github.com/rcpt/rcpt/internal/service/store.Store] is one. Where a key is
// asked for, the webhooks of the keys that it replaced are its own as well.
type WebhookStore interface {
	AddWebhook(context.Context, rows.Actor, rows.Webhook) (rows.Webhook, error)
	Webhooks(context.Context, rows.WebhookQuery) ([]rows.Webhook, error)
	Webhook(ctx context.Context, key, id string) (rows.Webhook, []rows.WebhookTry, error)
	ResendWebhook(ctx context.Context, by rows.Actor, key, id string) (rows.Webhook, error)
	WebhookSecret(ctx context.Context, key string) (rows.WebhookSecret, error)
	RotateWebhookSecret(ctx context.Context, by rows.Actor, key string, until time.Time) (string, error)
}

func (s *Server) addWebhooks(all routes) {
	authorized := func(next granted) exchange.Handler { return s.authorized(rows.ScopeBulk, next) }
	all[webhooksRoute] = exchange.Only(authorized(s.listWebhooks), http.MethodGet)
	all[webhookRoute] = exchange.Only(authorized(s.showWebhook), http.MethodGet)
	all[webhookResendRoute] = exchange.Only(authorized(s.resendWebhook), http.MethodPost)
	all[webhookTestRoute] = exchange.Only(authorized(s.testWebhook), http.MethodPost)
	secret := map[string]exchange.Handler{http.MethodGet: authorized(s.showSecret),
		http.MethodPost: authorized(s.rotateSecret)}
	answer := func(x *exchange.Exchange, r *http.Request) { secret[r.Method](x, r) }
	all[webhookSecretRoute] = exchange.Only(answer, http.MethodGet, http.MethodPost)
}

// listWebhooks answers GET /api/v1/webhooks, the latest first.
func (s *Server) listWebhooks(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) bool {
	asked, err := readWebhookQuery(x.QueryOf(r))
	if err != nil {
		s.mistaken(x, grant, err)
		return false
	}
	asked.Key = grant.ID
	all, err := s.config.Webhooks.Webhooks(r.Context(), asked)
	if err != nil {
		return s.webhookFailed(x, grant, err)
	}
	answer := struct {
		Webhooks []webhook.Record `json:"webhooks"`
		Next     string           `json:"next,omitempty"`
	}{Webhooks: []webhook.Record{}}
	for _, w := range all {
		answer.Webhooks = append(answer.Webhooks, webhook.RecordOf(w, nil))
	}
	if len(all) == asked.Limit {
		answer.Next = all[len(all)-1].ID
	}
	return writeGranted(x, grant, http.StatusOK, answer)
}

// readWebhookQuery reads which webhooks are asked for. Every error is a
// [exchange.Fault].
func readWebhookQuery(q *exchange.Query) (asked rows.WebhookQuery, err error) {
	if q.Err != nil {
		return asked, q.Err
	}
	limit := strconv.Itoa(webhooksListed)
	state := ""
	for name, value := range map[string]*string{
		"job": &asked.Job, "state": &state, "before": &asked.Before, "limit": &limit,
	} {
		text, given, err := q.One(name)
		if err != nil {
			return asked, err
		}
		if given {
			*value = text
		}
	}
	asked.State = rows.WebhookState(state)
	switch asked.State {
	case "", rows.WebhookPending, rows.WebhookDelivered, rows.WebhookFailed, rows.WebhookDisabled:
	default:
		return asked, exchange.BadRequest(exchange.InvalidParameter,
			`The parameter "state" must be pending, delivered, failed or disabled.`)
	}
	if asked.Limit, err = strconv.Atoi(limit); err != nil || asked.Limit < 1 || asked.Limit > maxWebhooksListed {
		return asked, exchange.BadRequest(exchange.InvalidParameter,
			`The parameter "limit" must be a number from 1 to %d.`,
			maxWebhooksListed)
	}
	return asked, nil
}

// showWebhook answers GET /api/v1/webhooks/{id}, with each try.
func (s *Server) showWebhook(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) bool {
	w, tries, err := s.config.Webhooks.Webhook(r.Context(), grant.ID, r.PathValue("id"))
	if err != nil {
		return s.webhookFailed(x, grant, err)
	}
	return writeGranted(x, grant, http.StatusOK, webhook.RecordOf(w, tries))
}

// resendWebhook answers POST /api/v1/webhooks/{id}/resend.
func (s *Server) resendWebhook(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) bool {
	if s.hasBody(x, r, grant) {
		return false
	}
	w, err := s.config.Webhooks.ResendWebhook(r.Context(), by(grant), grant.ID, r.PathValue("id"))
	if err != nil {
		return s.webhookFailed(x, grant, err)
	}
	return writeGranted(x, grant, http.StatusAccepted, webhook.RecordOf(w, nil))
}

// testWebhook answers POST /api/v1/webhook-test: an event for a receiver, to
// try it.
func (s *Server) testWebhook(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) bool {
	to, err := readTestURL(x, r)
	if err != nil {
		s.mistaken(x, grant, err)
		return false
	}
	w, err := webhook.Test(grant.ID, to, time.Now())
	if err == nil {
		w, err = s.config.Webhooks.AddWebhook(r.Context(), by(grant), w)
	}
	if err != nil {
		return s.webhookFailed(x, grant, err)
	}
	return writeGranted(x, grant, http.StatusAccepted, webhook.RecordOf(w, nil))
}

// showSecret answers GET /api/v1/webhook-secret.
func (s *Server) showSecret(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) bool {
	return s.answerSecret(x, r, grant, "")
}

// rotateSecret answers POST /api/v1/webhook-secret: a new secret, which is
// shown this once.
func (s *Server) rotateSecret(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) bool {
	if s.hasBody(x, r, grant) {
		return false
	}
	until := time.Now().Add(webhook.PreviousSecretFor)
	text, err := s.config.Webhooks.RotateWebhookSecret(r.Context(), by(grant), grant.ID, until)
	if err != nil {
		return s.webhookFailed(x, grant, err)
	}
	return s.answerSecret(x, r, grant, text)
}

func (s *Server) answerSecret(x *exchange.Exchange, r *http.Request, grant *keyring.Grant, text string) bool {
	secret, err := s.config.Webhooks.WebhookSecret(r.Context(), grant.ID)
	if err != nil {
		return s.webhookFailed(x, grant, err)
	}
	return writeGranted(x, grant, http.StatusOK, webhook.SecretRecord{
		Secret: text, Created: secret.Created, PreviousUntil: secret.PreviousUntil,
	})
}

// hasBody refuses a POST with a large body, which these do not read.
func (s *Server) hasBody(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) bool {
	if x.IgnoreBody(r) {
		return false
	}
	grant.Free()
	x.Error(http.StatusRequestEntityTooLarge, exchange.BodyNotTaken, "This request takes no body.")
	return true
}

// webhookFailed answers that the store has no such webhook or fails.
func (s *Server) webhookFailed(x *exchange.Exchange, grant *keyring.Grant, err error) (answered bool) {
	rateFields(x.Header(), grant.Rate())
	if errors.Is(err, rows.ErrNotFound) {
		x.Error(http.StatusNotFound, exchange.WebhookNotFound, "This key has no webhook with this ID.")
		return false
	}
	if errors.Is(err, rows.ErrTooMany) {
		s.refused("rate")
		x.Header().Set("Retry-After", exchange.RetryAfter)
		x.Error(http.StatusTooManyRequests, exchange.RateReached, "Ten tests of this key have not been answered yet.")
		return false
	}
	x.Note(slog.String("error", err.Error()))
	s.refused("store")
	x.Busy(exchange.StoreUnavailable, "The webhooks cannot be read or stored at the moment. Try again later.")
	return false
}

// writeGranted answers with the state of the key's rate.
func writeGranted(x *exchange.Exchange, grant *keyring.Grant, status int, body any) (answered bool) {
	rateFields(x.Header(), grant.Rate())
	x.JSON(status, body)
	return true
}

// readTestURL reads {"url":…}. Every error is a [exchange.Fault].
func readTestURL(x *exchange.Exchange, r *http.Request) (string, error) {
	text, err := exchange.ReadBody(x, r, maxBody)
	if err != nil {
		x.LeaveBody(r)
		return "", err
	}
	var asked struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(text, &asked); err != nil {
		return "", exchange.BadRequest(exchange.InvalidBody,
			`The body must be JSON as {"url":"https://receiver.example/hook"}.`)
	}
	if err := webhook.CheckURL(asked.URL); err != nil {
		return "", exchange.BadRequest(exchange.InvalidBody, `The member "url" of the body: %s.`, err)
	}
	return asked.URL, nil
}
