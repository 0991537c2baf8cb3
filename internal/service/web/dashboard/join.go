package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
)

// InviteDays is for how many days an invitation works if nothing else is
// chosen; inviteDays are those to choose from.
const InviteDays = 7

var inviteDays = []int{1, InviteDays, 30}

// Invite stores an invitation, and returns it with its link, which cannot be
// read again. Base is the address of the server.
func Invite(
	ctx context.Context, s *store.Store, by store.Actor, base string, i store.Invitation,
) (link string, stored store.Invitation, err error) {
	token := secret()
	i.Hash = store.HashOf(token)
	stored, err = s.Invite(ctx, by, i)
	return strings.TrimSuffix(base, "/") + "/join?" + url.Values{"token": {token}}.Encode(), stored, err
}

// invitedView is the page that shows the link of an invitation, once.
type invitedView struct {
	store.Invitation
	Link string
}

// invite answers with the link itself, as createKey does.
func (d *Dashboard) invite(v *visit) error {
	days, _ := strconv.Atoi(v.form("days"))
	wanted := store.Invitation{
		Login: strings.TrimSpace(v.form("login")), Role: store.Role(v.form("role")), Account: v.account.ID,
		Expires: d.config.Now().Add(time.Duration(days) * 24 * time.Hour),
	}
	var faults formFaults
	faults.add("login", LoginFault(wanted.Login))
	if !slices.Contains(store.Roles(), wanted.Role) {
		faults.add("role-viewer", "Choose a role.")
	}
	if !slices.Contains(inviteDays, days) {
		faults.add("days", "Choose one of these times.")
	}
	link, made, err := "", wanted, error(nil)
	if len(faults) == 0 {
		link, made, err = Invite(v.r.Context(), d.config.Store, v.actor(), d.base(v.r), wanted)
	}
	switch {
	case errors.Is(err, store.ErrExists):
		faults.add("login", "There is an account with this login already.")
	case errors.Is(err, store.ErrNotFound):
		return errRole
	case err != nil:
		return err
	}
	if len(faults) > 0 {
		var p page
		p.refuse(faults)
		v.status = http.StatusUnprocessableEntity
		return d.teamPage(v, p, teamView{Invited: wanted}, days)
	}
	d.config.Log.InfoContext(v.r.Context(), "dashboard: somebody was invited",
		"invitation", made.ID, "role", string(made.Role), "account", v.account.ID)
	return d.render(v, "invited", page{Title: "Invitation", Nav: "/team", Body: invitedView{made, link}})
}

func (d *Dashboard) revokeInvitation(v *visit) error {
	id := v.r.PathValue("id")
	if err := d.config.Store.RevokeInvitation(v.r.Context(), v.actor(), id); err != nil {
		return err
	}
	d.config.Log.InfoContext(v.r.Context(), "dashboard: an invitation was revoked", "invitation", id, "account", v.account.ID)
	return v.redirect("/team?revoked")
}

// joinForm is the page of somebody who was invited.
type joinForm struct {
	Link  string // the token; empty: the link does not work
	Login string
	Role  store.Role
}

// earlyError is a try that came too soon after others.
type earlyError struct{ wait time.Duration }

func (e *earlyError) Error() string { return fmt.Sprintf("too many tries: wait %v", e.wait) }

// invitation returns the one of a link, or [store.ErrNotFound]. Links that do
// not work count like wrong passwords.
func (d *Dashboard) invitation(v *visit, token string) (store.Invitation, error) {
	client := d.config.Client(v.r)
	if wait := d.throttle.begin(d.config.Now(), "link "+token, client); wait > 0 {
		return store.Invitation{}, &earlyError{wait}
	}
	i, err := d.config.Store.Invitation(v.r.Context(), store.HashOf(token))
	if err == nil {
		d.throttle.forgive("link "+token, client)
	}
	return i, err
}

func (d *Dashboard) showJoin(v *visit) error {
	token := v.r.URL.Query().Get("token")
	i, err := d.invitation(v, token)
	if err != nil {
		return d.refuseLink(v, err)
	}
	return d.render(v, "join", page{Title: "Join", Focus: "login", Body: joinForm{token, i.Login, i.Role}})
}

// refuseLink shows that a link does not work, and not why.
func (d *Dashboard) refuseLink(v *visit, err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	v.status = http.StatusNotFound
	return d.render(v, "join", page{Title: "Join", Body: joinForm{}})
}

// join makes the account of somebody who was invited, and signs it in.
func (d *Dashboard) join(v *visit) error {
	ctx, token := v.r.Context(), v.form("link")
	i, err := d.invitation(v, token) // before any work is done
	if err != nil {
		return d.refuseLink(v, err)
	}
	form := joinForm{token, strings.TrimSpace(v.form("login")), i.Role}
	var faults formFaults
	faults.add("login", LoginFault(form.Login))
	faults.addPasswordFaults(form.Login, v.form("password"), v.form("repeated"))
	var account store.Account
	if len(faults) == 0 {
		hash, err := d.passwords.hash(ctx, v.form("password"))
		if err != nil {
			return err
		}
		account, err = d.config.Store.Join(ctx, i.Hash, store.Account{Login: form.Login, Password: hash})
		switch {
		case errors.Is(err, store.ErrExists):
			faults.add("login", "Somebody has this login already. Choose another one.")
		case err != nil:
			return d.refuseLink(v, err)
		}
	}
	if len(faults) > 0 {
		p := page{Title: "Join", Body: form}
		p.refuse(faults)
		v.status = http.StatusUnprocessableEntity
		return d.render(v, "join", p)
	}
	d.config.Log.InfoContext(ctx, "dashboard: somebody has joined", "invitation", i.ID, "account", account.ID)
	if err := d.begin(v, account); err != nil {
		return err
	}
	return v.redirect(home)
}
