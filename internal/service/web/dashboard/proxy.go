package dashboard

import (
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/internal/service/store"
)

// SignInProxy says how a reverse proxy signs people in: it asks them who they
// are, and names them in a header of each request. Passwords are off then.
type SignInProxy struct {
	// Trusted are the networks from which the proxy connects. The header of
	// another peer is ignored, whatever else it claims.
	Trusted []netip.Prefix
	// Header has the login. An account is made for one that has none.
	Header string
	// Role is that of a new account.
	Role store.Role
	// GroupsHeader has the groups of a person, with "," or "|" between them. If
	// it is named, it decides the role with each request: the highest of those
	// that Roles has for the groups, or else Role.
	GroupsHeader string
	Roles        map[string]store.Role
	// SignOut is where people sign out of the proxy; empty: nobody knows.
	SignOut string
}

// passwordRoutes are those that a proxy which signs people in leaves no use
// for: nobody may use them.
var passwordRoutes = []string{
	"GET /setup", "POST /setup", "POST /sign-in", "GET /join", "POST /join", "POST /account/password",
	"POST /team/{id}/password", "POST /team/invitations", "POST /team/invitations/{id}/revoke",
}

var errAsserted = errors.New("the header of the proxy is there twice, or names nobody who could sign in")

// asserted returns the login and the role that the proxy gives for a request.
// The login is empty if the request is not the proxy's, or if nobody is signed
// in there.
func (p *SignInProxy) asserted(r *http.Request) (login string, role store.Role, err error) {
	from := peer(r).WithZone("")
	if !slices.ContainsFunc(p.Trusted, func(network netip.Prefix) bool { return network.Contains(from) }) {
		return "", "", nil
	}
	login, once := onlyValue(r.Header, p.Header)
	groups, onceToo := onlyValue(r.Header, p.GroupsHeader)
	switch {
	case !once || !onceToo || login != "" && LoginFault(login) != "", strings.ContainsAny(login, "{},;"):
		// A comma or semicolon stands between two values in one line (RFC
		// 9110 §5.3): that of a stranger and that of the proxy, perhaps.
		// Caddy before 2.10 sends the name of its variable where there is
		// no value (github.com/caddyserver/caddy/pull/6608).
		return "", "", errAsserted
	case login == "":
		return "", "", nil
	}
	return login, p.roleOf(groups), nil
}

// onlyValue returns the value of a header, and whether there is at most one.
func onlyValue(header http.Header, name string) (string, bool) {
	values := header.Values(name)
	return strings.TrimSpace(strings.Join(values, "")), len(values) <= 1
}

// roleOf is the highest role that one of the groups has.
func (p *SignInProxy) roleOf(groups string) store.Role {
	highest := store.Role("")
	for group := range strings.FieldsFuncSeq(groups, func(c rune) bool { return c == ',' || c == '|' }) {
		if role, known := p.Roles[strings.TrimSpace(group)]; known && !highest.Includes(role) {
			highest = role
		}
	}
	if highest == "" {
		return p.Role
	}
	return highest
}

// recogniseByProxy finds the account that the proxy names. A session alone does
// not count, and one of somebody else ends. A form without a session is not
// ours.
func (d *Dashboard) recogniseByProxy(v *visit) error {
	v.cookie = v.cookieText(formCookie)
	login, role, err := d.config.Proxy.asserted(v.r)
	if err != nil {
		d.config.Log.WarnContext(v.r.Context(), "dashboard: "+err.Error())
		return errAsserted
	}
	if login == "" {
		return nil
	}
	account, err := d.accountOfProxy(v, login, role)
	if err != nil {
		return err
	}
	text := v.cookieText(sessionCookie)
	session, of, err := d.config.Store.Session(v.r.Context(), store.HashOf(text))
	if err == nil && of.ID == account.ID {
		v.cookie, v.session, v.account = text, session, &account
		return d.extend(v.r.Context(), session)
	}
	switch {
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return err
	case v.r.Method == http.MethodPost:
		return errForged
	}
	if err := d.begin(v, account); err != nil {
		return err
	}
	d.config.Log.InfoContext(v.r.Context(), "dashboard: signed in by the proxy", "account", account.ID)
	v.account = &account
	return nil
}

// accountOfProxy returns the account of a login with the role that it has for
// this request.
func (d *Dashboard) accountOfProxy(v *visit, login string, role store.Role) (store.Account, error) {
	ctx, by := v.r.Context(), store.ByProxy(login)
	account, err := d.config.Store.AccountByLogin(ctx, login)
	if errors.Is(err, store.ErrNotFound) {
		account, err = d.config.Store.CreateAccount(ctx, by,
			store.Account{Login: login, Role: role, Password: d.passwords.unguessable()})
		if errors.Is(err, store.ErrExists) { // another request was faster
			account, err = d.config.Store.AccountByLogin(ctx, login)
		}
	}
	if err != nil || d.config.Proxy.GroupsHeader == "" || account.Role == role {
		return account, err
	}
	account.Role = role
	err = d.config.Store.SetRole(ctx, by, account.ID, role)
	if errors.Is(err, store.ErrLastAdmin) { // the account stays one; the visitor is none
		d.config.Log.WarnContext(ctx, "dashboard: the proxy takes the role from the last admin", "account", account.ID)
		err = nil
	}
	return account, err
}

// signedOut is the page after a sign-out while a proxy signs people in: it
// would sign them in again.
func (d *Dashboard) signedOut(v *visit) error {
	v.account, v.cookie = nil, ""
	return d.render(v, "signin", page{Title: "Signed out", Body: signInForm{Proxy: true, Bye: true, SignOut: d.config.Proxy.SignOut}})
}
