package dashboard

import (
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard/dashboardtest"
)

var (
	secretText = regexp.MustCompile(`<div class="secret"><code[^>]*>([^<]+)<`)
	personPath = regexp.MustCompile(`href="(/team/acc_[a-z0-9]+)">([^<]+)<`)
)

// invited makes an invitation as an admin, and returns the path of its link.
func (w *world) invited(t *testing.T, login string, role store.Role) string {
	t.Helper()
	got := w.post(t, "/team", "/team/invitations", "login", login, "role", string(role), "days", "7")
	link := secretText.FindStringSubmatch(got.body)
	if link == nil {
		t.Fatalf("no link: %d\n%s", got.StatusCode, got.body)
	}
	return strings.TrimPrefix(html.UnescapeString(link[1]), w.server.URL)
}

func (w *world) joinWith(t *testing.T, link, login string) answer {
	t.Helper()
	return w.post(t, link, "/join", "link", strings.TrimPrefix(link, "/join?token="),
		"login", login, "password", testPassword, "repeated", testPassword)
}

// personAt is the path of the page of an account.
func (w *world) personAt(t *testing.T, login string) string {
	t.Helper()
	for _, found := range personPath.FindAllStringSubmatch(w.get(t, "/team").body, -1) {
		if found[2] == login {
			return found[1]
		}
	}
	t.Fatalf("%s is not on the page", login)
	return ""
}

// TestTeam: an admin invites somebody who joins, gets another role, a new
// password, and is removed, each of which holds for the session that runs.
func TestTeam(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	ada, ben := w.client, w.browser()
	as := func(client *http.Client) *world { w.client = client; return w }
	link := as(ada).invited(t, "ben@acme.example", store.RoleMember)
	page := w.get(t, "/team").body
	if !strings.Contains(page, "Pending invitations") || !strings.Contains(page, "by you") || strings.Contains(page, "token=") {
		t.Errorf("pending:\n%s", page)
	}
	if got := w.post(t, "/team", "/team/invitations", "login", testLogin, "role", "owner", "days", "900"); got.StatusCode != 422 || !strings.Contains(got.body, `id="days-fault"`) || strings.Join(wrongFields(t, got.body), " ") != "role-viewer*" {
		t.Errorf("a wrong invitation: %d %q", got.StatusCode, wrongFields(t, got.body))
	}
	if got := w.post(t, "/team", "/team/invitations", "login", testLogin, "role", "admin", "days", "7"); got.StatusCode != 422 || !strings.Contains(got.body, "an account with this login already") {
		t.Errorf("somebody is invited twice: %d\n%s", got.StatusCode, got.body)
	}
	if got := as(ben).get(t, link); got.StatusCode != http.StatusOK || !strings.Contains(got.body, `value="ben@acme.example"`) || !strings.Contains(got.body, "as member") {
		t.Errorf("the link: %d\n%s", got.StatusCode, got.body)
	}
	if got := w.joinWith(t, link, testLogin); got.StatusCode != 422 || !strings.Contains(got.body, "has this login already") {
		t.Errorf("joined with the login of another: %d\n%s", got.StatusCode, got.body)
	}
	if got := w.joinWith(t, link, "Ben@acme.example"); got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != home {
		t.Fatalf("join: %d\n%s", got.StatusCode, got.body)
	}
	if got := w.get(t, "/keys/new"); got.StatusCode != http.StatusOK {
		t.Errorf("a member makes no key: %d", got.StatusCode)
	}
	w.post(t, "/keys/new", "/keys", "name", "Ben's", "verify", "1")
	if got := w.get(t, "/team"); got.StatusCode != http.StatusForbidden || strings.Contains(got.body, `href="/team"`) {
		t.Errorf("a member sees the team: %d\n%s", got.StatusCode, got.body)
	}

	at := as(ada).personAt(t, "ben@acme.example")
	if got := w.post(t, at, at+"/role", "role", "viewer"); got.StatusCode != http.StatusSeeOther {
		t.Errorf("role: %d\n%s", got.StatusCode, got.body)
	}
	if got := as(ben).get(t, "/keys/new"); got.StatusCode != http.StatusForbidden {
		t.Errorf("a viewer makes a key: %d", got.StatusCode)
	}
	if got := w.get(t, "/keys"); strings.Contains(got.body, "/edit") || strings.Contains(got.body, "/keys/new") {
		t.Errorf("a viewer is offered what is refused:\n%s", got.body)
	}
	reset := secretText.FindStringSubmatch(as(ada).post(t, at, at+"/password").body)
	if got := as(ben).get(t, "/"); reset == nil || got.Header.Get("Location") != "/sign-in" {
		t.Fatalf("the session outlives the password: %d, %v", got.StatusCode, reset)
	}
	if got := w.signInAs(t, "ben@acme.example", reset[1]); got.Header.Get("Location") != home {
		t.Errorf("the new password: %d\n%s", got.StatusCode, got.body)
	}

	if got := as(ada).post(t, at, at+"/remove"); got.StatusCode != 422 || !strings.Contains(got.body, `id="keys-fault"`) {
		t.Errorf("removed without a choice about the key: %d\n%s", got.StatusCode, got.body)
	}
	me := w.personAt(t, testLogin)
	if got := w.post(t, at, at+"/remove", "keys", strings.TrimPrefix(at, "/team/")); got.StatusCode != 422 {
		t.Errorf("the keys go to the one who is removed: %d", got.StatusCode)
	}
	if got := w.post(t, at, at+"/remove", "keys", strings.TrimPrefix(me, "/team/")); got.Header.Get("Location") != "/team?removed" {
		t.Errorf("remove: %d\n%s", got.StatusCode, got.body)
	}
	if got := as(ben).get(t, "/"); got.Header.Get("Location") != "/sign-in" {
		t.Errorf("somebody who was removed is still there: %d", got.StatusCode)
	}
	keys, err := w.store.Keys(t.Context())
	if err != nil || len(keys) != 1 || "/team/"+keys[0].Account != me || !keys[0].Revoked.IsZero() {
		t.Errorf("the key that was handed over: %+v, %v", keys, err)
	}
	for _, path := range []string{"/remove", "/role"} {
		if got := as(ada).post(t, me, me+path, "role", "viewer"); got.StatusCode != 422 && got.StatusCode != http.StatusConflict {
			t.Errorf("the last admin, %s: %d\n%s", path, got.StatusCode, got.body)
		}
	}
	if got := w.post(t, me, me+"/password"); got.Header.Get("Location") != "/account" {
		t.Errorf("the own password, without the old one: %d", got.StatusCode)
	}
}

// TestLinksTellNothing: a link that was never made is answered like one that
// was used, revoked or has expired, and whoever tries many has to wait.
func TestLinksTellNothing(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	ada := w.client
	used, revoked, expired := w.invited(t, "used", store.RoleViewer), w.invited(t, "revoked", store.RoleViewer), w.invited(t, "expired", store.RoleViewer)
	waiting, err := w.store.Invitations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range waiting {
		if i.Login == "revoked" {
			w.post(t, "/team", "/team/invitations/"+i.ID+"/revoke")
		}
	}
	w.client = w.browser()
	w.joinWith(t, used, "used")
	w.clock.Advance(8 * 24 * time.Hour)
	bodies := map[string]bool{}
	for _, link := range []string{used, revoked, expired, "/join?token=unknown", "/join"} {
		w.client = w.browser()
		w.clock.Advance(forgetAfter + 1) // of the tries before
		got := w.get(t, link)
		if got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", link, got.StatusCode)
		}
		_, text, _ := strings.Cut(got.body, "<main")
		bodies[tokenField.ReplaceAllString(text, "")] = true
		before := w.hashes.Load()
		if got := w.joinWith(t, link, "eve"); got.StatusCode != http.StatusNotFound || w.hashes.Load() != before {
			t.Errorf("joined with %s: %d", link, got.StatusCode)
		}
	}
	if len(bodies) != 1 {
		t.Errorf("%d different answers", len(bodies))
	}
	w.client = ada
	w.signInAs(t, testLogin, testPassword)
	good := w.invited(t, "late", store.RoleViewer)
	w.client = w.browser()
	last := 0
	for range triesFree + 2 {
		last = w.get(t, "/join?token="+secret()).StatusCode
	}
	if got := w.get(t, good); last != http.StatusTooManyRequests || got.StatusCode != http.StatusTooManyRequests {
		t.Errorf("many tries: %d, then %d", last, got.StatusCode)
	}
	w.clock.Advance(time.Hour)
	if got := w.get(t, good); got.StatusCode != http.StatusOK {
		t.Errorf("an hour later: %d", got.StatusCode)
	}
}

// TestLookAlikes: nobody joins with a login that looks like that of another.
func TestLookAlikes(t *testing.T) {
	for _, login := range []string{
		"ada@acme.example", "иван", "иван@acme.example", "josé", "jose\u0301", "o'brien+x", "ελένη", "山田", "राम", "r2-d2_x.y",
	} {
		if fault := LoginFault(login); fault != "" {
			t.Errorf("%q: %s", login, fault)
		}
	}
	for _, login := range []string{
		"", "a b", "a\tb", "ada\u200b", "\u202eada", "ada\u00ad", "a\u0430a", "ad\u03b1", "\uff41da", "ada\u3164", "ada\u115f",
		"ada\u2800", "ada\ufe0f", "ada\u00a0", "ada@acme\u3002example", "ada\xff", "ada\u034f", "\U0001d41ada",
	} {
		if LoginFault(login) == "" {
			t.Errorf("%q is taken", login)
		}
	}
}

// TestRolesOnEveryNode: a role that was changed at one server holds at another
// for the next request of a session that runs there.
func TestRolesOnEveryNode(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	w.addAccount(t, "ben@acme.example", store.RoleMember)
	at := w.personAt(t, "ben@acme.example")
	config := w.config
	config.Keys = dashboardtest.Keys{Store: w.store}
	second, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	second.passwords.derive = w.passwords.derive
	other := &world{Dashboard: second, store: w.store, clock: w.clock, server: httptest.NewServer(second.Handler())}
	defer other.server.Close()
	other.client = other.browser()
	other.signInAs(t, "ben@acme.example", testPassword)
	for _, step := range []struct {
		path, role string
		want       int
	}{{"/role", "member", 200}, {"/role", "viewer", 403}, {"/role", "admin", 200}, {"/remove", "", 303}} {
		w.post(t, at, at+step.path, "role", step.role)
		if got := other.get(t, "/keys/new"); got.StatusCode != step.want {
			t.Errorf("%s %s: the other server answers %d, want %d", step.path, step.role, got.StatusCode, step.want)
		}
	}
}
