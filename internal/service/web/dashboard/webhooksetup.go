package dashboard

import (
	"net/http"
	"slices"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/webhook"
)

// webhookSetupView is the page that tests a receiver and makes secrets, for one
// key at a time.
type webhookSetupView struct {
	Keys   []keyChoice
	Key    string // the chosen one; empty: no key can send lists
	Secret store.WebhookSecret
	URL    string // of the test, as it was typed
	Text   string // the new secret
	Name   string // of the chosen key
}

// keyChoice is a key that can be chosen.
type keyChoice struct{ ID, Name string }

// listKeys are the keys that can send lists now, in the order of their names,
// and what stands for these pages; of those, the visitor's own or, for an
// admin, all.
func (d *Dashboard) listKeys(v *visit) ([]keyChoice, error) {
	keys, err := d.config.Store.Keys(v.r.Context())
	if err != nil {
		return nil, err
	}
	names, now := namesOf(keys), d.config.Now()
	var all []keyChoice
	add := func(id, account string) {
		if may, _ := d.may(v, "POST /webhooks/receivers/{key}/secret", account); may {
			all = append(all, keyChoice{id, names[id]})
		}
	}
	for _, k := range keys {
		if k.Usable(now) && slices.Contains(k.Scopes, store.ScopeBulk) {
			add(k.ID, k.Account)
		}
	}
	if d.config.FixedKey != "" {
		add(d.config.FixedKey, "")
	}
	if d.config.Lists != nil {
		add(KeyID, "")
	}
	return all, nil
}

// listKey returns an error if a key cannot send lists.
func (d *Dashboard) listKey(v *visit, key string) error {
	keys, err := d.listKeys(v)
	if err == nil && !slices.ContainsFunc(keys, func(k keyChoice) bool { return k.ID == key }) {
		err = errNoPage
	}
	return err
}

func (d *Dashboard) showWebhookSetup(v *visit) error {
	return d.webhookSetup(v, v.r.URL.Query().Get("key"), webhookSetupView{}, nil)
}

// webhookSetup shows the page for a key; without one, for the first.
func (d *Dashboard) webhookSetup(v *visit, key string, view webhookSetupView, faults formFaults) (err error) {
	if view.Keys, err = d.listKeys(v); err != nil {
		return err
	}
	if key == "" && len(view.Keys) > 0 {
		key = view.Keys[0].ID
	}
	if view.Key = key; key != "" {
		i := slices.IndexFunc(view.Keys, func(k keyChoice) bool { return k.ID == key })
		if i < 0 {
			return errNoPage
		}
		view.Name = view.Keys[i].Name
		if view.Secret, err = d.config.Store.WebhookSecret(v.r.Context(), key); err != nil {
			return err
		}
	}
	p := page{Title: "Receivers of webhooks", Nav: "/keys", Body: view}
	if len(faults) > 0 {
		p.refuse(faults)
		v.status = http.StatusUnprocessableEntity
	}
	return d.render(v, "webhooksetup", p)
}

// testWebhook sends an event to a receiver.
func (d *Dashboard) testWebhook(v *visit) error {
	key, url := v.r.PathValue("key"), v.form("url")
	if err := d.listKey(v, key); err != nil {
		return err
	}
	if err := webhook.CheckURL(url); err != nil {
		return d.webhookSetup(v, key, webhookSetupView{URL: url},
			formFaults{{"url", "This URL cannot be used: " + err.Error() + "."}})
	}
	w, err := webhook.Test(key, url, d.config.Now())
	if err == nil {
		w, err = d.config.Store.AddWebhook(v.r.Context(), v.actor(), w)
	}
	if err != nil {
		return err
	}
	d.config.Log.InfoContext(v.r.Context(), "dashboard: a receiver of webhooks is tested",
		"webhook", w.ID, "key", key, "account", v.account.ID)
	return v.redirect("/webhooks/" + w.ID + "?sent")
}

// newWebhookSecret answers with the secret itself, as createKey does.
func (d *Dashboard) newWebhookSecret(v *visit) error {
	key := v.r.PathValue("key")
	if err := d.listKey(v, key); err != nil {
		return err
	}
	text, err := d.config.Store.RotateWebhookSecret(v.r.Context(), v.actor(), key, d.config.Now().Add(webhook.PreviousSecretFor))
	if err != nil {
		return err
	}
	d.config.Log.InfoContext(v.r.Context(), "dashboard: a secret of webhooks was made",
		"key", key, "account", v.account.ID)
	return d.webhookSetup(v, key, webhookSetupView{Text: text}, nil)
}
