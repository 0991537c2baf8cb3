package dashboard

import (
	"errors"
	"fmt"

	"github.com/rcpt/rcpt/internal/service/store"
)

// access says who may use a route. The zero access is nobody's.
type access struct {
	anybody bool       // also visitors that are not signed in
	role    store.Role // the least that may
	// owner is the account that the thing belongs to that the path names. A
	// member must be it, an admin need not. Nil: the route is about no such
	// thing.
	owner   func(d *Dashboard, v *visit) (string, error)
	streams bool // the action reads the form itself
}

// Who may use routes.
var (
	open   = access{anybody: true}
	viewer = access{role: store.RoleViewer}
	member = access{role: store.RoleMember}
	sender = access{role: store.RoleMember, streams: true}
	admin  = access{role: store.RoleAdmin}

	ownKey     = access{role: store.RoleMember, owner: (*Dashboard).keyOwner}
	ownList    = access{role: store.RoleMember, owner: (*Dashboard).listOwner}
	ownWebhook = access{role: store.RoleMember, owner: (*Dashboard).webhookOwner}
)

var (
	errRole   = errors.New("the role of the account does not allow it")
	errOthers = errors.New("it belongs to another account")
)

// admits decides whether an account may use a route. This is the one place that
// does.
func (a access) admits(who *store.Account, owner func() (string, error)) error {
	switch {
	case a.anybody:
		return nil
	case who == nil || !who.Role.Includes(a.role):
		return errRole
	case a.owner == nil || who.Role.Includes(store.RoleAdmin):
		return nil
	}
	switch of, err := owner(); {
	case err != nil:
		return err
	case of != who.ID:
		return errOthers
	}
	return nil
}

// keyOwner is the account of the key that the path names. What no account has
// belongs to admins alone, such as the key for the lists of all these pages.
func (d *Dashboard) keyOwner(v *visit) (string, error) {
	return d.accountOf(v, v.r.PathValue("id")+v.r.PathValue("key"))
}

func (d *Dashboard) accountOf(v *visit, key string) (string, error) {
	if key == KeyID || key == FixedKeyID || key == fixedTestKeyID {
		return "", nil
	}
	k, err := d.config.Store.Key(v.r.Context(), key)
	return k.Account, err
}

// listOwner is the account that sent the list that the path names, or whose key
// did.
func (d *Dashboard) listOwner(v *visit) (string, error) {
	j, err := d.config.Lists.Job(v.r.Context(), v.r.PathValue("id"), nil)
	if err != nil {
		return "", err
	}
	return d.sentBy(v, j)
}

func (d *Dashboard) sentBy(v *visit, j store.Job) (string, error) {
	if j.Key == KeyID {
		return j.Owner, nil
	}
	return d.accountOf(v, j.Key)
}

// webhookOwner is the account of the webhook that the path names.
func (d *Dashboard) webhookOwner(v *visit) (string, error) {
	w, _, err := d.config.Store.Webhook(v.r.Context(), "", v.r.PathValue("id"))
	if err != nil {
		return "", err
	}
	return d.webhookOf(v, w)
}

// webhookOf is the account of the list that a webhook tells of, or of its key.
func (d *Dashboard) webhookOf(v *visit, w store.Webhook) (string, error) {
	if w.Key != KeyID {
		return d.accountOf(v, w.Key)
	}
	j, err := d.config.Store.Job(v.r.Context(), w.Job)
	if errors.Is(err, store.ErrNotFound) { // it was a test, or the list is deleted
		return "", nil
	}
	return j.Owner, err
}

// may reports whether the visitor may use the route of the pattern, for the
// thing of an account where it is about one. Pages offer nothing else.
func (d *Dashboard) may(v *visit, pattern string, owner string) (bool, error) {
	needs, found := d.needs[pattern]
	if !found {
		return false, fmt.Errorf("there is no route %q", pattern)
	}
	return needs.admits(v.account, func() (string, error) { return owner, nil }) == nil, nil
}
