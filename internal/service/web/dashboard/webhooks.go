package dashboard

import (
	"net/url"
	"slices"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
)

// webhooksShown is how many webhooks a page has.
const webhooksShown = 50

// sendingFor is how long the page of a webhook that is due waits for the first
// answer.
const sendingFor = 30 * time.Second

// webhookStates are those to choose from, with their colour.
var webhookStates = []webhookState{
	{store.WebhookPending, "Pending", "warn"}, {store.WebhookDelivered, "Delivered", "good"},
	{store.WebhookFailed, "Failed", "bad"}, {store.WebhookDisabled, "Disabled", "bad"},
}

type webhookState struct {
	Value      store.WebhookState
	Text, Tone string
}

func stateOf(w store.Webhook) webhookState {
	return webhookStates[max(0, slices.IndexFunc(webhookStates, func(s webhookState) bool { return s.Value == w.State }))]
}

// webhooksView is the page of webhooks, the latest first.
type webhooksView struct {
	States []webhookState
	State  store.WebhookState // that alone; empty: all
	Rows   []webhookRow
	Next   string // where the next page begins; empty: this is the last
}

type webhookRow struct {
	store.Webhook
	KeyName string
	Shown   webhookState
	Mine    bool // the visitor may send it again
}

// rowOf is a webhook as the visitor may see it.
func (d *Dashboard) rowOf(v *visit, w store.Webhook, names map[string]string) webhookRow {
	mine := ownWebhook.admits(v.account, func() (string, error) { return d.webhookOf(v, w) }) == nil
	if !mine {
		w.URL = hostOnly(w.URL)
	}
	return webhookRow{w, names[w.Key], stateOf(w), mine}
}

// hostOnly is the URL of a receiver for those who may not change what is sent
// there: its path may be a secret.
func hostOnly(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host + "/…"
}

// webhookView is the page of one webhook.
type webhookView struct {
	webhookRow
	Log []store.WebhookTry // the last one first
}

func (d *Dashboard) showWebhooks(v *visit) error {
	query := v.r.URL.Query()
	view := webhooksView{States: webhookStates}
	for _, s := range webhookStates {
		if string(s.Value) == query.Get("state") {
			view.State = s.Value
		}
	}
	all, err := d.config.Store.Webhooks(v.r.Context(), store.WebhookQuery{
		State: view.State, Before: query.Get("before"), Limit: webhooksShown,
	})
	if err != nil {
		return err
	}
	names, err := d.keyNames(v)
	if err != nil {
		return err
	}
	for _, w := range all {
		view.Rows = append(view.Rows, d.rowOf(v, w, names))
	}
	if len(all) == webhooksShown {
		view.Next = all[len(all)-1].ID
	}
	return d.render(v, "webhooks", page{Title: "Webhooks", Nav: "/keys", Body: view})
}

func (d *Dashboard) keyNames(v *visit) (map[string]string, error) {
	keys, err := d.config.Store.Keys(v.r.Context())
	return namesOf(keys), err
}

func (d *Dashboard) showWebhook(v *visit) error {
	w, tries, err := d.config.Store.Webhook(v.r.Context(), "", v.r.PathValue("id"))
	if err != nil {
		return err
	}
	names, err := d.keyNames(v)
	if err != nil {
		return err
	}
	slices.Reverse(tries)
	p := page{Title: "Webhook", Nav: "/keys", Body: webhookView{d.rowOf(v, w, names), tries}}
	switch query := v.r.URL.Query(); {
	case w.State != store.WebhookPending || d.config.Now().Sub(w.Next) > sendingFor:
	case query.Has("resent"):
		p.Notice = "It is sent again."
		fallthrough
	case query.Has("sent"):
		// The page is loaded again until there is an answer.
		v.w.Header().Set("Refresh", "1")
	}
	return d.render(v, "webhook", p)
}

// resend lets a webhook be sent again, on its whole schedule.
func (d *Dashboard) resend(v *visit) error {
	w, err := d.config.Store.ResendWebhook(v.r.Context(), v.actor(), "", v.r.PathValue("id"))
	if err != nil {
		return err
	}
	d.config.Log.InfoContext(v.r.Context(), "dashboard: a webhook is sent again",
		"webhook", w.ID, "account", v.account.ID)
	return v.redirect("/webhooks/" + w.ID + "?resent")
}
