package main

import (
	"net/netip"

	"github.com/rcpt/rcpt/internal/service/webhook"
)

// webhookFlags are the settings of webhooks.
type webhookFlags struct {
	WebhookAllowNet []network `placeholder:"CIDR" help:"Private or loopback network that webhooks may be sent to, also without TLS; repeatable."`
}

// newSender returns what sends the webhooks of the database.
func (r *running) newSender() *webhook.Sender {
	return webhook.New(webhook.Config{
		Store: r.state.store, AllowNets: r.webhookNets, UserAgent: "rcpt/" + version(), Log: r.logger,
	})
}

// demoWebhookNets are where the demo sends webhooks: this machine.
var demoWebhookNets = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
