//go:build browser

package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard"
	"github.com/rcpt/rcpt/internal/service/web/dashboard/dashboardtest"
)

// focused is the id of what has the focus.
func focused(t *testing.T, ctx context.Context) string {
	t.Helper()
	return eval[string](t, ctx, `document.activeElement.id`)
}

// set replaces what is in a field.
func set(selector, text string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(%q).value = %q`, selector, text))
}

// TestBrowserForms: what is wrong is shown at its field, which has the focus; a
// key is changed and rotated.
func TestBrowserForms(t *testing.T) {
	s := newSite(t, nil)
	ctx := newBrowser(t)
	link, err := s.dashboard.SetupURL(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.Navigate(link), typed("#login", dashboardtest.Login), typed("#password", "short"), click(".door .primary"), shown("#password-fault"), shown("#repeated-fault"))
	if at, login := focused(t, ctx), eval[string](t, ctx, `document.querySelector("#login").value`); at != "password" || login != dashboardtest.Login {
		t.Errorf("set-up: the focus is at %s, the login is %q", at, login)
	}
	do(t, ctx, typed("#password", dashboardtest.Password), typed("#repeated", dashboardtest.Password), click(".door .primary"), shown(".bar"))

	do(t, ctx, chromedp.Navigate(s.URL+"/keys/new"), typed("#name", "Shop"), typed("#rate", "fast"), typed("#networks", "nowhere"), click(".form .primary"), shown("#networks-fault"))
	if at := focused(t, ctx); at != "rate" {
		t.Errorf("the focus is at %s", at)
	}
	if described := eval[string](t, ctx, `document.activeElement.ariaDescribedByElements.map((e) => e.textContent).join(" ")`); !strings.Contains(described, "10/s, 600/m or 100/h, or nothing") {
		t.Errorf("the field is described by %q", described)
	}
	if pale := eval[int](t, ctx, `[...document.querySelectorAll(".fault path")].filter((e) => getComputedStyle(e).stroke !== getComputedStyle(e.closest(".fault")).color).length`); pale != 0 {
		t.Errorf("signs of faults in another colour than their text: %d", pale)
	}
	do(t, ctx, set("#rate", "10/m"), set("#networks", ""), click(".form .primary"), shown("#key"))
	old := read(t, ctx, "#key")

	do(t, ctx, chromedp.Navigate(s.URL+"/keys"), click(`[aria-label="Edit Shop"]`), shown("#quota"), set("#quota", "1,000"), set("#name", "Till"), click(".form .primary"), shown(".note.good"))
	keys, err := s.store.Keys(t.Context())
	if err != nil || len(keys) != 1 || keys[0].Name != "Till" || keys[0].MonthlyQuota != 1000 || keys[0].Burst != 10 {
		t.Fatalf("%+v, %v", keys, err)
	}
	do(t, ctx, click(`[aria-label="More for Till"]`), click(`[aria-label="Rotate Till"]`), shown("#overlap-7d"), click("#overlap-7d"), click(".form .primary"), shown("#key"))
	fresh := read(t, ctx, "#key")
	for _, key := range []string{old, fresh} {
		if status := s.ask(t, key, "ada@acme.example"); status != 200 {
			t.Errorf("a key of the two: %d", status)
		}
	}
	do(t, ctx, chromedp.Navigate(s.URL+"/keys"), shown(".below"))
	if text := read(t, ctx, ".below"); !strings.Contains(text, "Ends in 7 days") && !strings.Contains(text, "Ends in 168 h") {
		t.Errorf("the old key: %s", text)
	}
	do(t, ctx, click(`[aria-label="Usage of Till"]`), shown(".chart"))
	if text := read(t, ctx, "main"); !strings.Contains(text, "with the key “") || !slices.Contains([]string{"1", "2"}, read(t, ctx, ".tile strong")) {
		t.Errorf("usage of a key: %s", text)
	}
}

// recentAddresses are those of the list of the last checks, as it is shown.
const recentAddresses = `[...document.querySelectorAll("#recent .link")].filter((e) => e.checkVisibility()).map((e) => e.textContent)`

// TestRecentChecks: the last ten are kept by the browser, checked again with a
// click, told to nobody, and forgotten when they are cleared and at the end.
func TestRecentChecks(t *testing.T) {
	s := newSite(t, nil)
	ctx := newBrowser(t)
	s.enter(t, ctx)
	do(t, ctx, chromedp.Navigate(s.URL+"/check"))
	if shown := eval[[]string](t, ctx, recentAddresses); len(shown) > 0 {
		t.Errorf("before any check: %v", shown)
	}
	check := func(address string) {
		t.Helper()
		do(t, ctx, set("#email", address), click(".ask .primary"), chromedp.WaitVisible(chromedp.CSS(fmt.Sprintf(`.verdict[data-email=%q]`, address))))
	}
	for i := range 12 {
		check(fmt.Sprintf("ada%d@acme.example", i))
	}
	check("nobody@acme.example")
	check("ada11@acme.example")
	got := eval[[]string](t, ctx, recentAddresses)
	if len(got) != 10 || got[0] != "ada11@acme.example" || got[1] != "nobody@acme.example" || got[9] != "ada3@acme.example" {
		t.Errorf("%v", got)
	}
	do(t, ctx, chromedp.Navigate(s.URL+"/check"), click(`#recent [value="nobody@acme.example"]`), shown(`.verdict.bad[data-email="nobody@acme.example"]`))
	if asked := eval[string](t, ctx, `document.querySelector("#email").value`); asked != "nobody@acme.example" {
		t.Errorf("the form shows %q", asked)
	}
	if names := eval[[]string](t, ctx, `performance.getEntriesByType("resource").map((e) => e.name).filter((n) => n.includes("ada") || n.includes("%40"))`); len(names) > 0 {
		t.Errorf("requests that name addresses: %v", names)
	}
	do(t, ctx, click("#recent .head button"))
	if left := eval[int](t, ctx, `localStorage.length`); left != 0 || len(eval[[]string](t, ctx, recentAddresses)) != 0 {
		t.Errorf("%d entries are left after they were cleared", left)
	}
	check("late@acme.example")
	do(t, ctx, follow(".bar .plain"), shown("#password"))
	if left := eval[int](t, ctx, `localStorage.length`); left != 0 {
		t.Errorf("%d entries are left after the sign-out", left)
	}
}

// TestRecentChecksOfStrangers: what else is in the storage breaks no page, and
// is text.
func TestRecentChecksOfStrangers(t *testing.T) {
	s := newSite(t, nil)
	ctx := newBrowser(t)
	s.enter(t, ctx)
	for _, stored := range []string{"no JSON", "{}", "null", `[null]`, `[{"email":"<img src=x onerror=alert(1)>","tone":"x onclick","result":5}]`} {
		do(t, ctx, chromedp.Navigate(s.URL+"/check"), chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`localStorage.setItem("rcpt checks", %q)`, stored)),
			chromedp.Navigate(s.URL+"/check"), set("#email", "ada@acme.example"), click(".ask .primary"), shown(".verdict.good"))
		if text := eval[string](t, ctx, `document.querySelector("#recent .link").textContent`); text != "ada@acme.example" {
			t.Errorf("%s: the first is %q", stored, text)
		}
		if n := eval[int](t, ctx, `document.querySelectorAll("#recent img, #recent [onclick]").length`); n > 0 {
			t.Errorf("%s: became a part of the page", stored)
		}
	}
}

// TestBrowserSamples: a sample is checked with a click, in the page and without
// script.
func TestBrowserSamples(t *testing.T) {
	s := newSite(t, nil)
	ctx := newBrowser(t)
	s.enter(t, ctx)
	do(t, ctx, chromedp.Navigate(s.URL+"/check"), click(`[value="late@acme.example"]`), shown(`.verdict[data-email="late@acme.example"]`))
	if path := eval[string](t, ctx, `location.pathname + location.search`); path != "/check" {
		t.Errorf("at %s", path)
	}
	used, err := s.store.Usage(t.Context(), store.UsageQuery{Key: dashboard.KeyID})
	if err != nil || len(used) != 1 {
		t.Errorf("%+v, %v", used, err)
	}
}
