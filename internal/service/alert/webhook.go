package alert

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Webhook posts messages as JSON. It follows no redirects.
type Webhook struct {
	url    string
	client *http.Client
	body   func(Message) any
}

var errWebhook = errors.New("a webhook is http://… or https://…")

// NewWebhook returns a sender for a URL. Its errors do not show the URL, which
// may contain a secret.
func NewWebhook(text string) (*Webhook, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errWebhook
	}
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Webhook{text, &http.Client{CheckRedirect: noRedirect}, func(m Message) any { return m }}, nil
}

// newTeams returns a sender for the URL of a workflow of Microsoft Teams that
// posts the adaptive card that it gets.
func newTeams(text string) (*Webhook, error) {
	w, err := NewWebhook(text)
	if err != nil {
		return nil, errService
	}
	w.body = card
	return w, nil
}

// card is a message as an adaptive card.
func card(m Message) any {
	type object = map[string]any
	line := func(text, weight string) object {
		return object{"type": "TextBlock", "text": text, "weight": weight, "wrap": true}
	}
	return object{"type": "message", "attachments": []object{{
		"contentType": "application/vnd.microsoft.card.adaptive",
		"content": object{
			"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.2",
			"body": []object{line(m.title(), "bolder"), line(m.short(), "default")},
		},
	}}}
}

// Send posts a message. Any 2xx status means that it arrived.
func (w *Webhook) Send(ctx context.Context, m Message) error {
	body, err := json.Marshal(w.body(m))
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return errWebhook
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "rcpt")
	response, err := w.client.Do(request)
	if err != nil {
		var failed *url.Error // its text has the URL in it
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return fmt.Errorf("webhook: %w", err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // so that the connection can be used again
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("webhook: the server answered %s", response.Status)
	}
	return nil
}
