package dashboard

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/rcpt/rcpt/store"
)

// keysPerPage bounds the list, and with it the questions to the store about quotas.
const keysPerPage = 50

// keyRow is a key in the list.
type keyRow struct {
	store.Key
	State    string // "active", "expired" or "revoked"
	Quota    quota
	LastSeen string
}

// quota is how much of a month's quota is used.
type quota struct {
	Used, Limit int64 // no limit: zero
}

// Left is what remains, Width how much of a bar of 100 is used.
func (q quota) Left() int64  { return max(0, q.Limit-q.Used) }
func (q quota) Width() int64 { return min(100, 100*q.Used/max(1, q.Limit)) }

// Tone is the class of the bar: it warns before the quota is used up.
func (q quota) Tone() string {
	switch {
	case q.Used >= q.Limit:
		return "bad"
	case q.Width() >= 80:
		return "warn"
	}
	return "good"
}

// keysView is the page of the keys.
type keysView struct {
	Rows           []keyRow
	Active, Ended  int
	ShowEnded      bool
	Page, Pages    int
	Previous, Next int // zero: there is none
	Snippets       []snippet
}

func (d *Dashboard) showKeys(v *visit) error {
	ctx, query := v.r.Context(), v.r.URL.Query()
	keys, err := d.config.Store.Keys(ctx)
	if err != nil {
		return err
	}
	now := d.config.Now()
	active, ended := parted(keys, now)
	view := keysView{Active: len(active), Ended: len(ended), ShowEnded: query.Get("show") == "ended"}
	if view.ShowEnded {
		active = ended
	}
	number, _ := strconv.Atoi(query.Get("page"))
	active = view.turnTo(number, active)
	if view.Rows, err = d.keyRows(ctx, active, now); err != nil {
		return err
	}
	view.Snippets = snippets(d.base(v.r), "")
	p := page{Title: "API", Nav: "/keys", Body: view}
	if query.Has("revoked") {
		p.Notice = "The key is revoked. Programs that still use it get 401."
	}
	return d.render(v, "keys", p)
}

// parted returns the keys that can be used and those that cannot any more, the latest first.
func parted(keys []store.Key, now time.Time) (active, ended []store.Key) {
	for _, key := range slices.Backward(keys) {
		if key.Usable(now) {
			active = append(active, key)
		} else {
			ended = append(ended, key)
		}
	}
	return active, ended
}

// turnTo sets the numbers of pages and returns what is on the page.
func (view *keysView) turnTo(number int, keys []store.Key) []store.Key {
	view.Pages = max(1, (len(keys)+keysPerPage-1)/keysPerPage)
	view.Page = min(max(number, 1), view.Pages)
	view.Previous = view.Page - 1
	if view.Page < view.Pages {
		view.Next = view.Page + 1
	}
	first := (view.Page - 1) * keysPerPage
	return keys[first:min(first+keysPerPage, len(keys))]
}

func (d *Dashboard) keyRows(ctx context.Context, keys []store.Key, now time.Time) ([]keyRow, error) {
	rows := make([]keyRow, 0, len(keys))
	for _, key := range keys {
		row := keyRow{Key: key, State: "active", Quota: quota{Limit: key.MonthlyQuota}}
		switch {
		case !key.Revoked.IsZero():
			row.State = "revoked"
		case !key.Usable(now):
			row.State = "expired"
		}
		if !key.LastUsed.IsZero() {
			row.LastSeen = ago(now, key.LastUsed)
		}
		if key.MonthlyQuota > 0 {
			used, err := d.config.Store.QuotaUsed(ctx, key.ID, now)
			if err != nil {
				return nil, err
			}
			row.Quota.Used = used
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (d *Dashboard) showNewKey(v *visit) error {
	return d.newKeyPage(v, keyForm{Verify: true}, "")
}

func (d *Dashboard) newKeyPage(v *visit, form keyForm, fault string) error {
	form.Today = d.config.Now().UTC().Format(time.DateOnly)
	return d.render(v, "newkey", page{Title: "New API key", Nav: "/keys", Error: fault, Body: form})
}

// createdView is the page that shows a key, once.
type createdView struct {
	Key      store.Key
	Text     string
	Snippets []snippet
}

// createKey answers with the key itself and not with a redirect: it is nowhere kept from where another page could show it.
func (d *Dashboard) createKey(v *visit) error {
	form := readKeyForm(v)
	wanted, fault := form.key(d.config.Now())
	if fault != "" {
		v.status = http.StatusUnprocessableEntity
		return d.newKeyPage(v, form, fault)
	}
	wanted.Account = v.account.ID
	text, key, err := d.config.Keys.Create(v.r.Context(), wanted)
	if err != nil {
		return err
	}
	d.config.Log.InfoContext(v.r.Context(), "dashboard: a key was created", "key", key.ID, "account", v.account.ID)
	return d.render(v, "created", page{Title: "API key created", Nav: "/keys",
		Body: createdView{Key: key, Text: text, Snippets: snippets(d.base(v.r), text)}})
}

func (d *Dashboard) showRevoke(v *visit) error {
	key, err := d.config.Store.Key(v.r.Context(), v.r.PathValue("id"))
	if err != nil {
		return err
	}
	if !key.Revoked.IsZero() {
		return v.redirect("/keys?revoked")
	}
	return d.render(v, "revoke", page{Title: "Revoke key", Nav: "/keys", Body: key})
}

func (d *Dashboard) revoke(v *visit) error {
	id := v.r.PathValue("id")
	if _, err := d.config.Store.Key(v.r.Context(), id); err != nil {
		return err
	}
	if err := d.config.Keys.Revoke(v.r.Context(), id); err != nil {
		return err
	}
	d.config.Log.InfoContext(v.r.Context(), "dashboard: a key was revoked", "key", id, "account", v.account.ID)
	return v.redirect("/keys?revoked")
}
