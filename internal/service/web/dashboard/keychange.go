package dashboard

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/snippets"
)

// changeable returns the key that the path names, or an error if it is revoked
// or expired.
func (d *Dashboard) changeable(v *visit) (store.Key, error) {
	key, err := d.config.Store.Key(v.r.Context(), v.r.PathValue("id"))
	if err == nil && !key.Usable(d.config.Now()) {
		err = errKeyEnded
	}
	return key, err
}

func (d *Dashboard) showEdit(v *visit) error {
	key, err := d.changeable(v)
	if err != nil {
		return err
	}
	return d.keyPage(v, formOf(key), nil)
}

// edit changes the scopes, limits and networks of a key. Its text and its usage
// stay.
func (d *Dashboard) edit(v *visit) error {
	before, err := d.changeable(v)
	if err != nil {
		return err
	}
	form := readKeyForm(v)
	form.ID, form.before, form.Test = before.ID, before, before.Test
	wanted, faults := form.key(d.config.Now())
	if len(faults) > 0 {
		return d.keyPage(v, form, faults)
	}
	if err := d.config.Keys.Update(v.r.Context(), v.actor(), wanted); err != nil {
		return err
	}
	d.config.Log.InfoContext(v.r.Context(), "dashboard: a key was changed", "key", wanted.ID, "account", v.account.ID)
	return v.redirect("/keys?changed")
}

// overlaps are the times for which an old key may keep working beside its
// successor.
var overlaps = []overlap{
	{"1h", "1 hour", time.Hour}, {"1d", "1 day", 24 * time.Hour},
	{"7d", "7 days", 7 * 24 * time.Hour}, {"0", "Not at all: it ends at once", 0},
}

type overlap struct {
	Value, Text string
	Time        time.Duration
}

// defaultOverlap is enough time to change a program today.
const defaultOverlap = "1d"

// rotateView is the page that says what will happen before a key is replaced.
type rotateView struct {
	store.Key
	Choices []overlapChoice
	Chosen  string
}

// overlapChoice is an overlap and when the old key would end with it.
type overlapChoice struct {
	overlap
	Ends time.Time
}

func (d *Dashboard) showRotate(v *visit) error { return d.rotatePage(v, defaultOverlap, nil) }

func (d *Dashboard) rotatePage(v *visit, chosen string, faults formFaults) error {
	key, err := d.changeable(v)
	if err != nil {
		return err
	}
	keys, err := d.config.Store.Keys(v.r.Context())
	if err != nil {
		return err
	}
	if successors(keys)[key.ID] != "" {
		return errReplaced
	}
	view := rotateView{Key: key, Chosen: chosen}
	for _, o := range overlaps {
		view.Choices = append(view.Choices, overlapChoice{o, earliest(d.config.Now().Add(o.Time), key.Expires)})
	}
	p := page{Title: "Rotate key", Nav: "/keys", Body: view}
	if len(faults) > 0 {
		p.refuse(faults)
		v.status = http.StatusUnprocessableEntity
	}
	return d.render(v, "rotate", p)
}

// earliest returns when a key ends that ends at then or at its own expiry; zero
// is never.
func earliest(then, expires time.Time) time.Time {
	if !expires.IsZero() && expires.Before(then) {
		return expires
	}
	return then
}

// rotate answers with the new key itself, as createKey does.
func (d *Dashboard) rotate(v *visit) error {
	ctx, id := v.r.Context(), v.r.PathValue("id")
	for _, o := range overlaps {
		if o.Value != v.form("overlap") {
			continue
		}
		old, err := d.changeable(v)
		if err != nil {
			return err
		}
		until := d.config.Now().Add(o.Time)
		text, key, err := d.config.Keys.Rotate(ctx, v.actor(), id, until)
		if errors.Is(err, store.ErrInvalid) {
			return errors.Join(errReplaced, err)
		}
		if err != nil {
			return err
		}
		d.config.Log.InfoContext(ctx, "dashboard: a key was replaced",
			"key", id, "by", key.ID, "until", until, "account", v.account.ID)
		return d.render(v, "created", page{Title: "API key created", Nav: "/keys",
			Body: createdView{Key: key, Text: text, Snippets: snippets.Of(d.base(v.r), text), Old: id, OldEnds: earliest(until, old.Expires), OldEnded: o.Time == 0}})
	}
	return d.rotatePage(v, defaultOverlap,
		formFaults{{"overlap-" + overlaps[0].Value, fmt.Sprintf("Choose one of the %d times.", len(overlaps))}})
}
