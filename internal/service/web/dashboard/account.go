package dashboard

import (
	"fmt"
	"net/http"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
)

// accountView is the Account page.
type accountView struct {
	Role     store.Role
	Since    time.Time // the account was made
	SignedIn time.Time
	Ends     time.Time // end of the session at the latest
	Minimum  int
}

func (d *Dashboard) showAccount(v *visit) error {
	p := page{}
	if v.r.URL.Query().Has("changed") {
		p.Notice = "The password is changed. Every other session has ended."
	}
	return d.accountPage(v, p)
}

func (d *Dashboard) accountPage(v *visit, p page) error {
	p.Title, p.Nav = "Account", "/account"
	p.Body = accountView{
		Role: v.account.Role, Since: v.account.Created, SignedIn: v.session.Created,
		Ends: v.session.Created.Add(absoluteTimeout), Minimum: minPassword,
	}
	return d.render(v, "account", p)
}

// changePassword requires the old password, so that a person who finds an open
// browser cannot take over the account.
func (d *Dashboard) changePassword(v *visit) error {
	ctx, client := v.r.Context(), d.config.Client(v.r)
	// Tries are counted by session: strangers who guess at the sign-in do not
	// keep the owner from changing the password.
	session := fmt.Sprintf("session %x", v.session.Hash)
	if wait := d.throttle.begin(d.config.Now(), session, client); wait > 0 {
		return d.refusePassword(v, formFaults{{"current", v.tooOften(wait)}}, http.StatusTooManyRequests)
	}
	ok, err := d.passwords.matches(ctx, v.account.Password, v.form("current"))
	if err != nil {
		return err
	}
	var faults formFaults
	status := http.StatusUnprocessableEntity
	if ok {
		d.throttle.forgive(session, client)
	} else {
		faults.add("current", "This is not the current password.")
		status = http.StatusForbidden
	}
	faults.addPasswordFaults(v.account.Login, v.form("password"), v.form("repeated"))
	if len(faults) > 0 {
		return d.refusePassword(v, faults, status)
	}
	hash, err := d.passwords.hash(ctx, v.form("password"))
	if err != nil {
		return err
	}
	if err := d.config.Store.SetPassword(ctx, v.actor(), v.account.ID, hash); err != nil { // ends all sessions
		return err
	}
	v.account.Password = hash
	if err := d.begin(v, *v.account); err != nil {
		return err
	}
	d.config.Log.InfoContext(ctx, "dashboard: a password was changed", "account", v.account.ID)
	return v.redirect("/account?changed")
}

func (d *Dashboard) refusePassword(v *visit, faults formFaults, status int) error {
	p := page{}
	p.refuse(faults)
	v.status = status
	return d.accountPage(v, p)
}
