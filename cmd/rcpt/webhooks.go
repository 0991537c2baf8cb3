package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/webhook"
	"github.com/rcpt/rcpt/internal/sys/tty"
)

// webhooksCommand is "rcpt webhooks".
type webhooksCommand struct {
	List   webhooksListCommand   `cmd:"" help:"List the latest webhooks."`
	Show   webhooksShowCommand   `cmd:"" help:"Show a webhook and each try to send it."`
	Resend webhooksResendCommand `cmd:"" help:"Send a webhook again, with the same ID."`
	Test   webhooksTestCommand   `cmd:"" help:"Send an event to a receiver, to test it."`
	Secret webhooksSecretCommand `cmd:"" help:"Make a new secret for the webhooks of a key."`
}

// webhooksListCommand is "rcpt webhooks list".
type webhooksListCommand struct {
	keysFlags
	State string `env:"-" placeholder:"STATE" enum:"pending,delivered,failed,disabled," default:"" help:"Only those in this state: pending, delivered, failed or disabled."`
	latestFlags
}

// Run prints webhooks, the latest first.
func (c *webhooksListCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		key, err := c.keyID(ctx, s)
		if err != nil {
			return err
		}
		asked := store.WebhookQuery{State: store.WebhookState(c.State), Key: key, Limit: int(c.Limit)}
		all, err := s.Webhooks(ctx, asked)
		if err != nil {
			return err
		}
		return webhookListing().print(std.out, c.JSON, all)
	})
}

const webhookRow = "%-24s  %-16s  %-9s  %-5v  %-13s  %s\n"

// webhookListing prints webhooks, or one with its tries.
func webhookListing(tries ...store.WebhookTry) listing[store.Webhook] {
	return listing[store.Webhook]{
		none:   "There are no webhooks.\n",
		head:   fmt.Sprintf(webhookRow, "ID", "CREATED", "STATE", "TRIES", "EVENT", "URL"),
		record: func(w store.Webhook) any { return webhook.RecordOf(w, tries) },
		row: func(w store.Webhook) string {
			url := tty.Printable(w.URL)
			text := fmt.Sprintf(webhookRow, w.ID, minuteOf(w.Created), w.State, w.Tries, w.Event, url)
			for _, t := range tries {
				what := t.Error
				if t.Status != 0 {
					what = fmt.Sprintf("%d in %v: %s", t.Status, t.Duration, t.Answer)
				}
				what = tty.Printable(strings.TrimSpace(what))
				text += fmt.Sprintf("    %d  %s  %s\n", t.Number, t.At.Format(time.DateTime), what)
			}
			return text
		},
	}
}

// webhookArgument names a webhook.
type webhookArgument struct {
	ID string `arg:"" help:"The ID of the webhook."`
}

func (a webhookArgument) unknown(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("there is no webhook %q: rcpt webhooks list shows them", tty.Printable(a.ID))
	}
	return err
}

// webhooksShowCommand is "rcpt webhooks show".
type webhooksShowCommand struct {
	keysFlags
	webhookArgument
}

// Run prints a webhook with its tries.
func (c *webhooksShowCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		w, tries, err := s.Webhook(ctx, "", c.ID)
		if err != nil {
			return c.unknown(err)
		}
		return webhookListing(tries...).print(std.out, c.JSON, []store.Webhook{w})
	})
}

// webhooksResendCommand is "rcpt webhooks resend".
type webhooksResendCommand struct {
	keysFlags
	webhookArgument
}

// Run lets a server send a webhook again.
func (c *webhooksResendCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		w, err := s.ResendWebhook(ctx, operator(), "", c.ID)
		if err != nil {
			return c.unknown(err)
		}
		return webhookListing().print(std.out, c.JSON, []store.Webhook{w})
	})
}

// webhooksTestCommand is "rcpt webhooks test".
type webhooksTestCommand struct {
	keysFlags
	Key string `arg:"" help:"The key whose secret signs: its ID, or the beginning of its name."`
	URL string `arg:"" help:"Where the event is sent."`

	Wait time.Duration `env:"-" placeholder:"DUR" default:"30s" help:"How long to wait for the receiver's answer. 0s: not at all. Default: ${default}."`
}

// Run lets a server send an event, and waits for the answer.
func (c *webhooksTestCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	if err := webhook.CheckURL(c.URL); err != nil {
		return usage(fmt.Errorf("the URL cannot be used: %w", err))
	}
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		key, err := keyNamed(ctx, s, c.Key)
		if err != nil {
			return err
		}
		w, err := webhook.Test(key, c.URL, time.Now())
		if err == nil {
			w, err = s.AddWebhook(ctx, operator(), w)
		}
		if err != nil {
			return err
		}
		w, tries, err := c.answered(ctx, s, w)
		if err != nil {
			return err
		}
		if err := webhookListing(tries...).print(std.out, c.JSON, []store.Webhook{w}); err != nil {
			return err
		}
		switch {
		case c.Wait == 0 || w.State == store.WebhookDelivered:
			return nil
		case len(tries) == 0:
			return fmt.Errorf("no server has sent it within %v: is rcpt serve running on this database?", c.Wait)
		}
		return errors.New("the receiver has not taken it")
	})
}

// answered waits for the first try of a webhook.
func (c *webhooksTestCommand) answered(
	ctx context.Context, s *store.Store, w store.Webhook,
) (_ store.Webhook, tries []store.WebhookTry, err error) {
	const askEvery = 100 * time.Millisecond
	for end := time.Now().Add(c.Wait); len(tries) == 0 && time.Now().Before(end); {
		select {
		case <-ctx.Done():
			return w, nil, context.Cause(ctx)
		case <-time.After(askEvery):
		}
		if w, tries, err = s.Webhook(ctx, "", w.ID); err != nil {
			return w, nil, err
		}
	}
	return w, tries, nil
}

// webhooksSecretCommand is "rcpt webhooks secret".
type webhooksSecretCommand struct {
	keysFlags
	Key string `arg:"" help:"The key: its ID, or the beginning of its name."`
}

// Run makes a secret and prints it.
func (c *webhooksSecretCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	return c.withStore(ctx, std, logs, true, func(s *store.Store) error {
		key, err := keyNamed(ctx, s, c.Key)
		if err != nil {
			return err
		}
		text, err := s.RotateWebhookSecret(ctx, operator(), key, time.Now().Add(webhook.PreviousSecretFor))
		if err != nil {
			return err
		}
		secret, err := s.WebhookSecret(ctx, key)
		if err != nil {
			return err
		}
		if c.JSON {
			return newEncoder(std.out).Encode(webhook.SecretRecord{
				Secret: text, Created: secret.Created, PreviousUntil: secret.PreviousUntil,
			})
		}
		if !secret.PreviousUntil.IsZero() {
			const format = "The secret before it signs as well until %s UTC.\n"
			fmt.Fprintf(std.err, format, minuteOf(secret.PreviousUntil.UTC()))
		}
		_, err = fmt.Fprintln(std.out, text)
		return err
	})
}
