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
	return &Webhook{text, &http.Client{CheckRedirect: noRedirect}}, nil
}

// Send posts a message. Any 2xx status means that it arrived.
func (w *Webhook) Send(ctx context.Context, m Message) error {
	body, err := json.Marshal(m)
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
