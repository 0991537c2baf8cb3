package dashboard

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/rcpt/rcpt/internal/service/store"
)

// roleText says what a role may do.
type roleText struct {
	Role store.Role
	Text string
}

// roleTexts are those of all roles, the least first.
var roleTexts = []roleText{
	{store.RoleViewer, "sees lists, results and usage, and changes nothing"},
	{store.RoleMember, "also checks addresses, and has keys and lists"},
	{store.RoleAdmin, "also people, and the keys and lists of others"},
}

// roleChoice is the part of a form that chooses a role.
type roleChoice struct {
	Roles  []roleText
	Chosen store.Role
}

// personRow is an account among others.
type personRow struct {
	store.Account
	Keys int // that can be used
	You  bool
}

// pendingRow is an invitation that was not accepted yet.
type pendingRow struct {
	store.Invitation
	By string // the login of who gave it; empty: it was made at the command line
}

// teamView is the page of all people.
type teamView struct {
	People  []personRow
	Pending []pendingRow
	Days    []choice
	Invited store.Invitation // as it was typed
}

func (d *Dashboard) showTeam(v *visit) error {
	p, query := page{}, v.r.URL.Query()
	switch {
	case query.Has("removed"):
		p.Notice = "The account is removed, and its sessions have ended."
	case query.Has("changed"):
		p.Notice = "The role is changed. It holds from now on, also in running sessions."
	case query.Has("revoked"):
		p.Notice = "The invitation is revoked. Its link does not work any more."
	}
	return d.teamPage(v, p, teamView{Invited: store.Invitation{Role: store.RoleMember}}, InviteDays)
}

// teamPage shows the page, with a form for an invitation that works for some
// days.
func (d *Dashboard) teamPage(v *visit, p page, view teamView, days int) error {
	people, err := d.people(v)
	if err != nil {
		return err
	}
	pending, err := d.config.Store.Invitations(v.r.Context())
	if err != nil {
		return err
	}
	logins, err := d.logins(v)
	if err != nil {
		return err
	}
	for _, i := range pending {
		view.Pending = append(view.Pending, pendingRow{i, logins[i.Account]})
	}
	for _, n := range inviteDays {
		view.Days = append(view.Days, choice{Value: strconv.Itoa(n), Name: plural(int64(n), "day"), Chosen: n == days})
	}
	view.People = people
	p.Title, p.Nav, p.Body = "Team", "/team", view
	return d.render(v, "team", p)
}

// people are all accounts, the oldest first.
func (d *Dashboard) people(v *visit) ([]personRow, error) {
	accounts, err := d.config.Store.Accounts(v.r.Context())
	if err != nil {
		return nil, err
	}
	keys, err := d.config.Store.Keys(v.r.Context())
	if err != nil {
		return nil, err
	}
	usable := map[string]int{}
	for _, key := range keys {
		if key.Usable(d.config.Now()) {
			usable[key.Account]++
		}
	}
	var rows []personRow
	for _, a := range accounts {
		rows = append(rows, personRow{a, usable[a.ID], a.ID == v.account.ID})
	}
	return rows, nil
}

// logins are those of all accounts by their IDs, for pages that say whose
// something is; none while there is only one.
func (d *Dashboard) logins(v *visit) (map[string]string, error) {
	accounts, err := d.config.Store.Accounts(v.r.Context())
	if err != nil || len(accounts) == 1 {
		return nil, err
	}
	all := map[string]string{}
	for _, a := range accounts {
		all[a.ID] = a.Login
	}
	return all, nil
}

// personView is the page of one account.
type personView struct {
	personRow
	Admins []personRow // who may get its keys
	Text   string      // the new password; empty: none was made
}

func (d *Dashboard) showPerson(v *visit) error { return d.personPage(v, page{}, "") }

func (d *Dashboard) personPage(v *visit, p page, password string) error {
	people, err := d.people(v)
	if err != nil {
		return err
	}
	view := personView{Text: password}
	for _, one := range people {
		switch {
		case one.ID == v.r.PathValue("id"):
			view.personRow = one
		case one.Role == store.RoleAdmin:
			view.Admins = append(view.Admins, one)
		}
	}
	if view.ID == "" {
		return errNoPage
	}
	p.Title, p.Nav, p.Body = view.Login, "/team", view
	return d.render(v, "person", p)
}

// changeRole gives an account another role.
func (d *Dashboard) changeRole(v *visit) error {
	id, role := v.r.PathValue("id"), store.Role(v.form("role"))
	err := d.config.Store.SetRole(v.r.Context(), v.actor(), id, role)
	if errors.Is(err, store.ErrInvalid) {
		return d.refusePerson(v, formFaults{{"role-viewer", "Choose a role."}})
	}
	if err != nil {
		return err
	}
	d.config.Log.InfoContext(v.r.Context(), "dashboard: a role was changed", "of", id, "role", string(role), "account", v.account.ID)
	if id == v.account.ID && role != store.RoleAdmin {
		return v.redirect(home)
	}
	return v.redirect("/team?changed")
}

func (d *Dashboard) refusePerson(v *visit, faults formFaults) error {
	var p page
	p.refuse(faults)
	v.status = http.StatusUnprocessableEntity
	return d.personPage(v, p, "")
}

// resetPassword answers with a new password itself, as createKey does. One's
// own is changed on the page Account, which asks for the old one.
func (d *Dashboard) resetPassword(v *visit) error {
	ctx, id := v.r.Context(), v.r.PathValue("id")
	if id == v.account.ID {
		return v.redirect("/account")
	}
	password := randomPassword()
	hash, err := d.passwords.hash(ctx, password)
	if err != nil {
		return err
	}
	if err := d.config.Store.SetPassword(ctx, v.actor(), id, hash); err != nil {
		return err
	}
	d.config.Log.InfoContext(ctx, "dashboard: a password was reset", "of", id, "account", v.account.ID)
	return d.personPage(v, page{}, password)
}

// revokeKeys is the choice that the keys of a removed account are revoked.
const revokeKeys = "revoke"

// removePerson removes an account. What becomes of its keys must be said.
func (d *Dashboard) removePerson(v *visit) error {
	id, heir := v.r.PathValue("id"), v.form("keys")
	people, err := d.people(v)
	if err != nil {
		return err
	}
	hasKeys := slices.ContainsFunc(people, func(one personRow) bool { return one.ID == id && one.Keys > 0 })
	if hasKeys && heir == "" {
		return d.refusePerson(v, formFaults{{"keys", "Choose what becomes of the keys."}})
	}
	if heir == revokeKeys {
		heir = ""
	}
	err = d.config.Store.RemoveAccount(v.r.Context(), v.actor(), id, heir)
	if errors.Is(err, store.ErrInvalid) {
		return d.refusePerson(v, formFaults{{"keys", "Keys go to an admin. Choose another one."}})
	}
	if err != nil {
		return err
	}
	d.config.Log.InfoContext(v.r.Context(), "dashboard: an account was removed", "of", id, "keys to", heir, "account", v.account.ID)
	return v.redirect("/team?removed")
}
