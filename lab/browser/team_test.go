//go:build browser

package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard/dashboardtest"
)

// TestTeam: two people work at the same time, each in a browser. One invites
// the other, who joins; changes the role while the other fills in a form; and
// removes the other, whose next click leads to the page for signing in.
func TestTeam(t *testing.T) {
	s := newSite(t, nil)
	ada, ben := newBrowser(t), newBrowser(t)
	s.enter(t, ada)
	do(t, ada, click(`nav a[href="/team"]`), typed("#login", "ben@acme.example"), click(".form .primary"), shown("#link"))
	link := read(t, ada, "#link")
	if path := eval[string](t, ada, `location.pathname`); path != "/team" {
		t.Errorf("to load the page again would send the form again: at %s", path)
	}
	do(t, ben, chromedp.Navigate(link), typed("#password", dashboardtest.Password), typed("#repeated", dashboardtest.Password), click(".door .primary"), shown(".bar"))
	if offered := eval[bool](t, ben, `document.querySelector('nav a[href="/team"]') !== null`); offered {
		t.Error("a member is offered the page Team")
	}
	do(t, ben, click(`nav a[href="/keys"]`), click(".empty .button"), typed("#name", "Newsletter"))

	role := func(name string) {
		t.Helper()
		do(t, ada, click(`nav a[href="/team"]`), click(`[aria-label="Change ben@acme.example"]`), click("#role-"+name), click(".form .primary"), shown(".note.good"))
	}
	role("viewer")
	do(t, ben, click(".form .primary"), shown(".code"))
	if text := read(t, ben, "main"); !strings.Contains(text, "Your role does not allow this") {
		t.Errorf("a viewer has made a key:\n%s", text)
	}
	role("member")
	do(t, ben, chromedp.Navigate(s.URL+"/keys/new"), typed("#name", "Newsletter"), click(".form .primary"), shown("#key"))

	do(t, ada, click(`nav a[href="/team"]`), click(`[aria-label="Change ben@acme.example"]`), click("details:last-of-type summary"), shown("#keys"))
	do(t, ada, click(".danger"), shown("#keys-fault"))
	do(t, ada, chromedp.SetValue(chromedp.CSS("#keys"), eval[string](t, ada, `document.querySelector("#keys option:last-of-type").value`)), click(".danger"), shown(".note.good"))
	do(t, ben, click(`nav a[href="/usage"]`), shown("#password"))
	do(t, ben, chromedp.Navigate(link), shown(".door"))
	if text := read(t, ben, "main"); !strings.Contains(text, "This link does not work") {
		t.Errorf("the link works twice:\n%s", text)
	}
	keys, err := s.store.Keys(t.Context())
	if err != nil || len(keys) != 1 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	if owner, err := s.store.AccountByLogin(t.Context(), dashboardtest.Login); err != nil || keys[0].Account != owner.ID || !keys[0].Revoked.IsZero() {
		t.Errorf("the key of the one who left: %+v, %v", keys[0], err)
	}
}

// addTeam gives the pages some people to show: a member with a key, a viewer,
// and somebody who is invited.
func (s *site) addTeam(t *testing.T) {
	t.Helper()
	by, err := store.ByCommand("test"), error(nil)
	account := func(login string, role store.Role) (a store.Account) {
		if err == nil {
			a, err = s.store.CreateAccount(t.Context(), by, store.Account{Login: login, Role: role, Password: "x"})
		}
		return a
	}
	ben := account("ben@acme.example", store.RoleMember)
	account("grace", store.RoleViewer)
	if err == nil {
		_, err = s.store.CreateKey(t.Context(), by, store.Key{Name: "Landing page", Hash: store.HashOf("of ben"), Account: ben.ID, Scopes: []store.Scope{store.ScopeVerify}})
	}
	if err == nil {
		_, err = s.store.Invite(t.Context(), by, store.Invitation{Login: "hugo@acme.example", Role: store.RoleMember, Hash: store.HashOf("of hugo"), Expires: time.Now().AddDate(0, 0, 7)})
	}
	if err != nil {
		t.Fatal(err)
	}
}
