package dashboard

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/snippets"
)

// keysPerPage bounds the list, and with it the questions to the store about
// quotas.
const keysPerPage = 50

// keyRow is a key in the list.
type keyRow struct {
	store.Key
	State    string // "active", "expired" or "revoked"
	Quota    quota
	LastSeen string

	Successor, Predecessor string // IDs of the keys that this one was replaced by, and was made to replace; empty: none
	Below                  bool   // its successor is right above
	EndsIn                 string // how long a replaced key still works; empty: it does not, or was not replaced
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
	Previous, Next int // zero: none
	Snippets       []snippets.Snippet
	Logins         map[string]string
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
	replaced := successors(keys)
	active = view.turnTo(number, together(active, replaced))
	if view.Rows, err = d.keyRows(ctx, active, replaced, now); err != nil {
		return err
	}
	if view.Logins, err = d.logins(v); err != nil {
		return err
	}
	view.Snippets = snippets.Of(d.base(v.r), "")
	p := page{Title: "API", Nav: "/keys", Body: view}
	switch {
	case query.Has("revoked"):
		p.Notice = "The key is revoked. Programs that still use it get 401."
	case query.Has("changed"):
		p.Notice = "The key is changed. The change takes effect within a second."
	}
	return d.render(v, "keys", p)
}

// parted returns the keys that can be used and those that cannot any more, the
// latest first.
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

// keyRows are the keys as the page shows them.
func (d *Dashboard) keyRows(
	ctx context.Context, keys []store.Key, replaced map[string]string, now time.Time,
) ([]keyRow, error) {
	rows := make([]keyRow, 0, len(keys))
	for i, key := range keys {
		row := keyRow{
			Key: key, State: "active", Quota: quota{Limit: key.MonthlyQuota},
			Successor: replaced[key.ID], Predecessor: key.Replaces,
		}
		switch {
		case !key.Revoked.IsZero():
			row.State = "revoked"
		case !key.Usable(now):
			row.State = "expired"
		case row.Successor != "" && !key.Expires.IsZero():
			row.EndsIn = took(key.Expires.Sub(now))
		}
		row.Below = i > 0 && keys[i-1].ID == row.Successor
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

// successors are the IDs of the keys that replace others, by the ID of the
// other; one that is revoked replaces none.
func successors(keys []store.Key) map[string]string {
	all := map[string]string{}
	for _, key := range keys {
		if key.Replaces != "" && key.Revoked.IsZero() {
			all[key.Replaces] = key.ID
		}
	}
	return all
}

// together puts each key that was replaced below its successor, where that is
// in the list too.
func together(keys []store.Key, replaced map[string]string) []store.Key {
	byID, above := map[string]store.Key{}, map[string]string{}
	for _, key := range keys {
		byID[key.ID] = key
	}
	for old, successor := range replaced {
		if _, listed := byID[successor]; listed {
			above[old] = successor
		}
	}
	ordered := make([]store.Key, 0, len(keys))
	for _, key := range keys {
		if above[key.ID] != "" {
			continue
		}
		for found := true; found; key, found = byID[key.Replaces] {
			ordered = append(ordered, key)
			if above[key.Replaces] != key.ID {
				break
			}
		}
	}
	return ordered
}

func (d *Dashboard) showNewKey(v *visit) error {
	return d.keyPage(v, keyForm{Verify: true}, nil)
}

// keyPage is the form for a new key or, if the form has an ID, for an existing
// key.
func (d *Dashboard) keyPage(v *visit, form keyForm, faults formFaults) error {
	form.Today = d.config.Now().UTC().Format(time.DateOnly)
	p := page{Title: "New API key", Nav: "/keys", Focus: "name", Body: form}
	if form.ID != "" {
		p.Title = "Edit API key"
	}
	if len(faults) > 0 {
		p.refuse(faults)
		v.status = http.StatusUnprocessableEntity
	}
	return d.render(v, "keyform", p)
}

// createdView is the page that shows a key, once.
type createdView struct {
	Key      store.Key
	Text     string
	Snippets []snippets.Snippet

	Old      string    // the ID of the key that it replaces; empty: none
	OldEnds  time.Time // when that ends
	OldEnded bool      // it has already
}

// createKey answers with the key itself and not with a redirect: the key is not
// stored, so another page could not show it.
func (d *Dashboard) createKey(v *visit) error {
	form := readKeyForm(v)
	wanted, faults := form.key(d.config.Now())
	if len(faults) > 0 {
		return d.keyPage(v, form, faults)
	}
	wanted.Account = v.account.ID
	text, key, err := d.config.Keys.Create(v.r.Context(), v.actor(), wanted)
	if err != nil {
		return err
	}
	d.config.Log.InfoContext(v.r.Context(), "dashboard: a key was created", "key", key.ID, "account", v.account.ID)
	return d.render(v, "created", page{Title: "API key created", Nav: "/keys",
		Body: createdView{Key: key, Text: text, Snippets: snippets.Of(d.base(v.r), text)}})
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
	if err := d.config.Keys.Revoke(v.r.Context(), v.actor(), id); err != nil {
		return err
	}
	d.config.Log.InfoContext(v.r.Context(), "dashboard: a key was revoked", "key", id, "account", v.account.ID)
	return v.redirect("/keys?revoked")
}
