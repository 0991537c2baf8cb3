package client_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/store"
	"github.com/rcpt/rcpt/server"
	"github.com/rcpt/rcpt/server/client"
)

// TestWebhooks goes through all methods, with a real server and store.
func TestWebhooks(t *testing.T) {
	books, err := store.Open(t.Context(), store.Options{DataDir: t.TempDir()})
	must(t, err)
	defer books.Close()
	s, err := server.New(server.Config{Verifier: verifier{}, Key: key, Webhooks: books})
	must(t, err)
	listening := httptest.NewServer(s.Handler())
	defer listening.Close()
	c, err := client.New(client.Config{URL: listening.URL, Key: key})
	must(t, err)
	ctx := t.Context()

	none, err := c.WebhookSecret(ctx)
	must(t, err)
	if !none.CreatedAt.IsZero() || none.Secret != "" {
		t.Errorf("%+v", none)
	}
	secret, err := c.NewWebhookSecret(ctx)
	must(t, err)
	if !strings.HasPrefix(secret.Secret, "whsec_") || secret.CreatedAt.IsZero() || !secret.PreviousUntil.IsZero() {
		t.Errorf("%+v", secret)
	}
	second, err := c.NewWebhookSecret(ctx)
	must(t, err)
	if second.Secret == secret.Secret || second.PreviousUntil.IsZero() {
		t.Errorf("%+v", second)
	}
	if shown, err := c.WebhookSecret(ctx); err != nil || shown.Secret != "" || !shown.CreatedAt.Equal(second.CreatedAt) {
		t.Errorf("%+v %v", shown, err)
	}

	sent, err := c.TestWebhook(ctx, "https://receiver.example/hook")
	must(t, err)
	claimed, err := books.ClaimWebhooks(ctx, 1, 1, 0)
	must(t, err)
	must(t, books.SettleWebhook(ctx, claimed[0], store.WebhookTry{Status: 500, Answer: "<no>"}, store.WebhookFailed, claimed[0].Created))
	got, err := c.Webhook(ctx, sent.ID)
	must(t, err)
	if got.State != "failed" || got.Tries != 1 || len(got.Log) != 1 || got.Log[0].Answer != "<no>" || got.Log[0].Status != 500 {
		t.Errorf("%+v", got)
	}
	again, err := c.ResendWebhook(ctx, sent.ID)
	must(t, err)
	if again.ID != sent.ID || again.State != "pending" || again.NextTryAt.IsZero() {
		t.Errorf("%+v", again)
	}
	last, err := c.TestWebhook(ctx, "https://receiver.example/other")
	must(t, err)
	page, err := c.Webhooks(ctx, client.WebhookQuery{Limit: 1, State: "pending"})
	must(t, err)
	if len(page.Webhooks) != 1 || page.Webhooks[0].ID != last.ID || page.Next != last.ID {
		t.Errorf("%+v", page)
	}
	page, err = c.Webhooks(ctx, client.WebhookQuery{Before: page.Next})
	must(t, err)
	if len(page.Webhooks) != 1 || page.Webhooks[0].ID != sent.ID || page.Next != "" {
		t.Errorf("%+v", page)
	}
	var refused *client.Error
	if _, err := c.Webhook(ctx, "msg_none"); !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
		t.Errorf("%v", err)
	}
	if _, err := c.TestWebhook(ctx, "ftp://receiver.example"); !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
		t.Errorf("%v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
