package settings

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/rcpt/rcpt/internal/service/alert"
)

// AlertFlags name whom a server tells about problems.
type AlertFlags struct {
	AlertWebhook webhookURL `secret:"" placeholder:"URL" help:"Post problems, and that they are over, to this URL as JSON."`
	AlertURL     []alertURL `name:"alert-url" secret:"" placeholder:"URL" help:"Send them by slack://, teams+https://, discord://, telegram://, ntfy:// or pagerduty://; repeatable."`
	AlertMail    []string   `placeholder:"ADDR" help:"Send them to this e-mail address; repeatable. Needs --alert-relay."`
	AlertRelay   relayURL   `secret:"" placeholder:"URL" help:"Mail relay for --alert-mail: smtp://[USER:PASSWORD@]HOST[:PORT], or smtps://."`
	AlertFrom    string     `placeholder:"ADDR" help:"Sender of these e-mails. Default: the first recipient."`
}

// The URLs are parsed after the flags, because errors about flags show the
// value, which may contain a secret.
type (
	webhookURL string
	alertURL   string
	relayURL   string
)

// Senders returns those of the flags.
func (f AlertFlags) Senders() ([]alert.Sender, error) {
	var all []alert.Sender
	if f.AlertWebhook != "" {
		hook, err := alert.NewWebhook(string(f.AlertWebhook))
		if err != nil {
			return nil, Usage(fmt.Errorf("--alert-webhook: %w", err))
		}
		all = append(all, hook)
	}
	for i, text := range f.AlertURL {
		service, err := alert.NewService(string(text))
		if err != nil {
			return nil, Usage(fmt.Errorf("--alert-url: value %d: %w", i+1, err))
		}
		all = append(all, service)
	}
	switch {
	case len(f.AlertMail) == 0 && f.AlertRelay != "":
		return nil, Usage(errors.New("--alert-relay: name a recipient with --alert-mail"))
	case len(f.AlertMail) > 0 && f.AlertRelay == "":
		return nil, Usage(errors.New("--alert-mail: name a mail relay with --alert-relay"))
	case len(f.AlertMail) > 0:
		mail, err := alert.NewMail(string(f.AlertRelay), cmp.Or(f.AlertFrom, f.AlertMail[0]), f.AlertMail)
		if err != nil {
			return nil, Usage(fmt.Errorf("--alert-mail, --alert-from or --alert-relay: %w", err))
		}
		all = append(all, mail)
	}
	return all, nil
}
