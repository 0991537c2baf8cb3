package dashboard

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
)

// signInForm is the page to sign in.
type signInForm struct {
	Login string
	Next  string // the page to go to
	First bool   // there is no account yet
	About string // the page for postmasters; empty: there is none

	Proxy   bool   // a reverse proxy signs people in
	Bye     bool   // somebody has signed out
	SignOut string // where to sign out of the proxy; empty: nobody knows
}

func (d *Dashboard) showSignIn(v *visit) error {
	next := ownPage(v.r.URL.Query().Get("next"))
	if v.account != nil {
		return v.redirect(home)
	}
	if d.config.Proxy != nil {
		return d.render(v, "signin", page{Title: "Sign in", Body: signInForm{Proxy: true, About: d.about()}})
	}
	accounts, err := d.config.Store.Accounts(v.r.Context())
	if err != nil {
		return err
	}
	p := page{Title: "Sign in", Focus: "login", Body: signInForm{Next: next, First: len(accounts) == 0, About: d.about()}}
	if v.r.URL.Query().Has("bye") {
		p.Notice = "You are signed out."
	}
	return d.render(v, "signin", p)
}

func (d *Dashboard) signIn(v *visit) error {
	form := signInForm{Login: v.form("login"), Next: ownPage(v.form("next")), About: d.about()}
	client := d.config.Client(v.r)
	if err := d.recall(v, form.Login, client); err != nil {
		return err
	}
	if wait := d.throttle.begin(d.config.Now(), form.Login, client); wait > 0 {
		return d.refuseSignIn(v, form, v.tooOften(wait), http.StatusTooManyRequests)
	}
	account, ok, err := d.authenticate(v, form.Login, v.form("password"))
	if err != nil {
		return err
	}
	if !ok {
		d.config.Log.WarnContext(v.r.Context(), "dashboard: a sign-in failed")
		if err := d.config.Store.SignInFailed(v.r.Context(), v.actor(), account); err != nil {
			return err
		}
		return d.refuseSignIn(v, form, "The login or the password is wrong.", http.StatusForbidden)
	}
	d.throttle.forgive(form.Login, client)
	if err := d.begin(v, account); err != nil {
		return err
	}
	d.config.Log.InfoContext(v.r.Context(), "dashboard: signed in", "account", account.ID)
	return v.redirect(form.Next)
}

// recall lets the throttle know whether the account was signed in to from the
// client's network, before a restart or at another node.
func (d *Dashboard) recall(v *visit, login string, client netip.Addr) error {
	if d.throttle.knows(login, client) {
		return nil
	}
	known, err := d.config.Store.KnowsNetwork(v.r.Context(), login, networkOf(client).String())
	if known {
		d.throttle.welcome(login, client)
	}
	return err
}

// authenticate returns the account if the password is right. For a login that
// does not exist it does the same work.
func (d *Dashboard) authenticate(v *visit, login, password string) (store.Account, bool, error) {
	account, err := d.config.Store.AccountByLogin(v.r.Context(), login)
	unknown := errors.Is(err, store.ErrNotFound)
	if unknown {
		account.Password = d.decoy
	} else if err != nil {
		return account, false, err
	}
	ok, err := d.passwords.matches(v.r.Context(), account.Password, password)
	return account, ok && !unknown, err
}

func (d *Dashboard) refuseSignIn(v *visit, form signInForm, fault string, status int) error {
	v.status = status
	// Which of the two is wrong is not said, but it is the password that has to
	// be typed again.
	return d.render(v, "signin", page{Title: "Sign in", Faults: formFaults{{"password", fault}}, Body: form})
}

// tooOften says how long to wait.
func (v *visit) tooOften(wait time.Duration) string {
	seconds := int((wait + time.Second - 1) / time.Second)
	v.w.Header().Set("Retry-After", strconv.Itoa(seconds))
	if seconds == 1 {
		return "Too many tries. Wait a second before the next one."
	}
	return fmt.Sprintf("Too many tries. Wait %d seconds before the next one.", seconds)
}

func (d *Dashboard) signOut(v *visit) error {
	if err := d.config.Store.EndSession(v.r.Context(), v.actor(), v.session.Hash); err != nil {
		return err
	}
	v.dropCookie(sessionCookie)
	if d.config.Proxy != nil {
		return d.signedOut(v)
	}
	return v.redirect("/sign-in?bye")
}
