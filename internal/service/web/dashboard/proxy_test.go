package dashboard

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/service/store"
)

const userHeader, groupsHeader = "X-Forwarded-User", "X-Forwarded-Groups"

// behindProxy is a world whose people a proxy at the address of the tests signs
// in; change may be nil.
func behindProxy(t *testing.T, change func(*SignInProxy)) *world {
	t.Helper()
	p := &SignInProxy{
		Trusted: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Header: userHeader,
		Role: store.RoleViewer, SignOut: "/oauth2/sign_out",
	}
	if change != nil {
		change(p)
	}
	return newWorld(t, func(c *Config) { c.Proxy = p })
}

// ask sends a request with header fields, given as names and values.
func (w *world) ask(t *testing.T, method, path string, form url.Values, fields ...string) answer {
	t.Helper()
	request, err := http.NewRequest(method, w.server.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", w.server.URL)
	}
	for i := 0; i < len(fields); i += 2 {
		request.Header.Add(fields[i], fields[i+1])
	}
	return w.do(t, w.client, request)
}

func (w *world) roleOf(t *testing.T, login string) store.Role {
	t.Helper()
	account, err := w.store.AccountByLogin(t.Context(), login)
	if err != nil {
		t.Fatal(err)
	}
	return account.Role
}

// TestProxySignsIn: whom the proxy names is signed in, with an account that is
// made at first sight; who is named no more, or somebody else, is not.
func TestProxySignsIn(t *testing.T) {
	w := behindProxy(t, nil)
	if link, err := w.SetupURL(t.Context(), ""); link != "" || err != nil {
		t.Errorf("there is a link for an account with a password: %q, %v", link, err)
	}
	if got := w.ask(t, "GET", "/account", nil); got.StatusCode != http.StatusSeeOther {
		t.Errorf("nobody is named: %d", got.StatusCode)
	}
	if page := w.ask(t, "GET", "/sign-in", nil).body; !strings.Contains(page, "Not signed in") || strings.Contains(page, `name="password"`) {
		t.Error("the page does not say how people sign in")
	}
	page := w.ask(t, "GET", "/account", nil, userHeader, "Ann@acme.example").body
	if !strings.Contains(page, "<strong>ann@acme.example</strong>, viewer") || strings.Contains(page, `action="/account/password"`) {
		t.Error("the page is not that of somebody without a password")
	}
	session := w.sessionText(t)
	if session == "" || w.roleOf(t, "ann@acme.example") != store.RoleViewer {
		t.Errorf("the session is %q", session)
	}
	w.ask(t, "GET", "/usage", nil, userHeader, "ann@acme.example")
	if again := w.sessionText(t); again != session {
		t.Error("a page has begun another session")
	}
	if got := w.ask(t, "GET", "/account", nil); got.StatusCode != http.StatusSeeOther {
		t.Errorf("a session without a name: %d", got.StatusCode)
	}
	if page := w.ask(t, "GET", "/account", nil, userHeader, "bob").body; !strings.Contains(page, "<strong>bob</strong>") {
		t.Error("the session of one person is shown to another")
	}
	if _, _, err := w.store.Session(t.Context(), store.HashOf(session)); err == nil {
		t.Error("the session of the person before goes on")
	}
	var got []string
	events, err := w.store.Events(t.Context(), store.EventQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		got = append(got, string(e.By.From)+" "+string(e.What))
	}
	slices.Sort(got)
	want := "page sign_in,page sign_in,page sign_out,proxy account.created,proxy account.created"
	if strings.Join(got, ",") != want {
		t.Errorf("the events are %v", got)
	}
}

// TestProxyIsNotBelieved: a header counts once, from the other end of the
// connection, and with a name in it.
func TestProxyIsNotBelieved(t *testing.T) {
	elsewhere := func(p *SignInProxy) { p.Trusted = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} }
	for _, c := range []struct {
		about  string
		change func(*SignInProxy)
		fields []string
		want   int
	}{
		{"another peer", elsewhere, []string{userHeader, "ann"}, 303},
		{"another peer that claims the address of the proxy", elsewhere,
			[]string{userHeader, "ann", "X-Forwarded-For", "192.0.2.1", "X-Real-Ip", "192.0.2.1", "Forwarded", "for=192.0.2.1"}, 303},
		{"an empty name", nil, []string{userHeader, " "}, 303},
		{"another header", nil, []string{"X_Forwarded_User", "ann", "Remote-User", "ann"}, 303},
		{"two names", nil, []string{userHeader, "ann", userHeader, "bob"}, 403},
		{"a name and an empty one", nil, []string{userHeader, "", userHeader, "ann"}, 403},
		{"a name with a space", nil, []string{userHeader, "ann, bob"}, 403},
		{"a name that is no text", nil, []string{userHeader, "ann\xff"}, 403},
		{"a variable that the proxy has not replaced", nil, []string{userHeader, "{http.reverse_proxy.header.X-Auth-Request-User}"}, 403},
		{"two names in one line", nil, []string{userHeader, "ann,bob"}, 403},
		{"two names in one line, as in a chain", nil, []string{userHeader, "ann;bob"}, 403},
		{"a long name", nil, []string{userHeader, strings.Repeat("a", 300)}, 403},
		{"two lines of groups", withGroups, []string{userHeader, "ann", groupsHeader, "dev", groupsHeader, "ops"}, 403},
	} {
		w := behindProxy(t, c.change)
		got := w.ask(t, "GET", "/account", nil, c.fields...)
		accounts, err := w.store.Accounts(t.Context())
		if got.StatusCode != c.want || len(accounts) > 0 || w.sessionText(t) != "" || err != nil {
			t.Errorf("%s: %d, %d accounts, %v", c.about, got.StatusCode, len(accounts), err)
		}
	}
}

func withGroups(p *SignInProxy) {
	p.GroupsHeader = groupsHeader
	p.Roles = map[string]store.Role{"ops": store.RoleAdmin, "mail": store.RoleMember}
}

// TestProxyGroups: groups decide the role with each request, also against the
// page Team; the last admin stays one in the store, and is none without the
// group.
func TestProxyGroups(t *testing.T) {
	w := behindProxy(t, withGroups)
	team := func(who, groups string) int {
		return w.ask(t, "GET", "/team", nil, userHeader, who, groupsHeader, groups).StatusCode
	}
	for _, c := range []struct {
		who, groups string
		want        int
		role        store.Role
	}{
		{"ann", "dev", 403, store.RoleViewer},
		{"ann", "dev, mail", 403, store.RoleMember},
		{"bob", "mail|ops|dev", 200, store.RoleAdmin},
		{"ann", "mail,ops", 200, store.RoleAdmin},
		{"ann", "", 403, store.RoleViewer},
		{"ann", "opsx,OPS", 403, store.RoleViewer},
		{"bob", "", 403, store.RoleAdmin},
		{"bob", "ops", 200, store.RoleAdmin},
	} {
		if got := team(c.who, c.groups); got != c.want || w.roleOf(t, c.who) != c.role {
			t.Errorf("%s in %q: %d, %s; want %d, %s", c.who, c.groups, got, w.roleOf(t, c.who), c.want, c.role)
		}
	}
}

// TestProxyForms: the proxy vouches for a person and not for a form: without a
// session and its token nothing is changed. Nobody signs in with a password.
func TestProxyForms(t *testing.T) {
	w := behindProxy(t, func(p *SignInProxy) { p.Role = store.RoleAdmin })
	named := []string{userHeader, "ann"}
	keys := func() int {
		all, err := w.store.Keys(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	form := url.Values{"name": {"shop"}, "verify": {"1"}}
	if got := w.ask(t, "POST", "/keys", form, named...); got.StatusCode != http.StatusForbidden || keys() > 0 {
		t.Errorf("without a session: %d", got.StatusCode)
	}
	if got := w.ask(t, "HEAD", "/keys", nil, named...); got.StatusCode != http.StatusOK {
		t.Errorf("HEAD without a session: %d", got.StatusCode)
	}
	page := w.ask(t, "GET", "/keys/new", nil, named...).body
	if got := w.ask(t, "POST", "/keys", form, named...); got.StatusCode != http.StatusForbidden || keys() > 0 {
		t.Errorf("without a token: %d", got.StatusCode)
	}
	form.Set("token", tokenField.FindStringSubmatch(page)[1])
	if got := w.ask(t, "POST", "/keys", form, append(named, "Sec-Fetch-Site", "cross-site")...); got.StatusCode != http.StatusForbidden || keys() > 0 {
		t.Errorf("from another site: %d", got.StatusCode)
	}
	if got := w.ask(t, "POST", "/keys", form, userHeader, "bob"); keys() > 0 {
		t.Errorf("with the session of another: %d", got.StatusCode)
	}
	if got := w.ask(t, "POST", "/keys", form, named...); keys() != 1 {
		t.Errorf("as it should be: %d", got.StatusCode)
	}
	for _, pattern := range passwordRoutes {
		method, path, _ := strings.Cut(pattern, " ")
		got := w.ask(t, method, strings.ReplaceAll(path, "{id}", "x"), form, named...)
		if _, found := w.needs[pattern]; !found || got.StatusCode != http.StatusForbidden {
			t.Errorf("%s: there %t, %d", pattern, found, got.StatusCode)
		}
	}
	w.addAccount(t, "old@acme.example", store.RoleAdmin)
	before := w.client
	w.client = w.browser()
	if got := w.signInAs(t, "old@acme.example", testPassword); got.Header.Get("Location") == "/" || w.sessionText(t) != "" {
		t.Error("somebody signs in with a password")
	}
	w.client = before
	form = url.Values{"token": {tokenField.FindStringSubmatch(w.ask(t, "GET", "/account", nil, named...).body)[1]}}
	session := w.sessionText(t)
	out := w.ask(t, "POST", "/sign-out", form, named...)
	if _, _, err := w.store.Session(t.Context(), store.HashOf(session)); err == nil || !strings.Contains(out.body, `href="/oauth2/sign_out"`) {
		t.Errorf("after the sign-out: %v, %d", err, out.StatusCode)
	}
}
