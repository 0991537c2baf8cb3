package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Webhooks returns webhooks of the key, the latest first.
func (c *Client) Webhooks(ctx context.Context, asked WebhookQuery) (Webhooks, error) {
	query := url.Values{}
	for name, value := range map[string]string{"job": asked.Job, "state": asked.State, "before": asked.Before} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if asked.Limit > 0 {
		query.Set("limit", strconv.Itoa(asked.Limit))
	}
	var all Webhooks
	err := c.get(ctx, "api/v1/webhooks", query, &all)
	return all, err
}

// Webhook returns a webhook with the log of its tries.
func (c *Client) Webhook(ctx context.Context, id string) (Webhook, error) {
	var w Webhook
	err := c.get(ctx, "api/v1/webhooks/"+url.PathEscape(id), nil, &w)
	return w, err
}

// ResendWebhook lets a webhook be sent again, with the same ID.
func (c *Client) ResendWebhook(ctx context.Context, id string) (Webhook, error) {
	var w Webhook
	err := c.ask(ctx, http.MethodPost, "api/v1/webhooks/"+url.PathEscape(id)+"/resend", nil, nil, &w)
	return w, err
}

// TestWebhook lets an event be sent to a URL, once.
func (c *Client) TestWebhook(ctx context.Context, to string) (Webhook, error) {
	var w Webhook
	body, err := json.Marshal(map[string]string{"url": to})
	if err == nil {
		err = c.try(ctx, http.MethodPost, "api/v1/webhook-test", nil, body, &w)
	}
	return w, err
}

// WebhookSecret returns how old the secret is that signs the webhooks of the
// key, without its text.
func (c *Client) WebhookSecret(ctx context.Context) (WebhookSecret, error) {
	var secret WebhookSecret
	err := c.get(ctx, "api/v1/webhook-secret", nil, &secret)
	return secret, err
}

// NewWebhookSecret makes a new secret. The one before still signs for a day.
// The request is sent once: a second one would end that day.
func (c *Client) NewWebhookSecret(ctx context.Context) (WebhookSecret, error) {
	var secret WebhookSecret
	err := c.try(ctx, http.MethodPost, "api/v1/webhook-secret", nil, nil, &secret)
	return secret, err
}

// WebhookQuery says which webhooks are wanted. The zero value is the latest.
type WebhookQuery struct {
	Job    string // those that tell of a job
	State  string // pending, delivered, failed or disabled
	Before string // [Webhooks.Next] of the webhooks before
	Limit  int    // how many at most
}

// Webhooks are some webhooks, the latest first.
type Webhooks struct {
	Webhooks []Webhook `json:"webhooks"`
	Next     string    `json:"next"` // for the query of the next ones; empty: there are none
}

// Webhook is an event that is sent to a URL until the receiver confirms it.
type Webhook struct {
	ID        string       `json:"id"`    // in the header webhook-id of every try
	Event     string       `json:"event"` // such as "job.completed"
	Job       string       `json:"job"`   // empty: a test
	URL       string       `json:"url"`
	State     string       `json:"state"` // pending, delivered, failed or disabled
	CreatedAt time.Time    `json:"created_at"`
	NextTryAt time.Time    `json:"next_try_at"` // zero: it is not sent any more
	Tries     int          `json:"tries"`
	Log       []WebhookTry `json:"log"` // of [Client.Webhook] alone
}

// WebhookTry is one try to send a webhook.
type WebhookTry struct {
	Number     int       `json:"number"` // from 1
	At         time.Time `json:"at"`
	Status     int       `json:"status"` // 0: there was no answer
	Error      string    `json:"error"`  // why there was none
	DurationMS int64     `json:"duration_ms"`
	Answer     string    `json:"answer"` // the first octets of its body
}

// WebhookSecret is the secret that signs the webhooks of a key.
type WebhookSecret struct {
	Secret        string    `json:"secret"`         // its text, of a new one alone
	CreatedAt     time.Time `json:"created_at"`     // zero: no secret yet
	PreviousUntil time.Time `json:"previous_until"` // until when the one before signs as well; zero: it does not
}
