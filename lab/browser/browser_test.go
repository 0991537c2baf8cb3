//go:build browser

package browser

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"go.uber.org/goleak"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard"
	"github.com/rcpt/rcpt/internal/service/web/dashboard/dashboardtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var images = flag.String("images", "", "`folder` to keep pictures of the pages in")

// site is a server as the pages find it: the dashboard, and the API beside it.
type site struct {
	*httptest.Server
	dashboard *dashboard.Dashboard
	release   func() // addresses that begin with "slow"
	store     *store.Store
	uploads   chan struct{} // nil: a list is read as it arrives; otherwise when it is closed
	offline   atomic.Bool   // the server's own network does not work
}

func newSite(t *testing.T, health func(context.Context) dashboard.Health) *site {
	t.Helper()
	s := &site{store: dashboardtest.OpenStore(t, nil)}
	var err error
	lists, release := dashboardtest.NewListsIn(t, s.store, jobs.Limits{}, func() headway.Fault {
		if s.offline.Load() {
			return headway.NoResolver
		}
		return ""
	})
	s.release = release
	s.dashboard, err = dashboard.New(dashboard.Config{Store: s.store, Lists: lists, Keys: dashboardtest.Keys{Store: s.store}, Health: health, Samples: []dashboard.Sample{
		{Address: "ada@acme.example", About: "an existing mailbox"}, {Address: "nobody@acme.example", About: "a mailbox that does not exist"},
		{Address: "late@acme.example", About: "a host that defers strangers"}},
		Check: func(ctx context.Context, address string) (rcpt.Result, error) {
			result, err := dashboardtest.Checked(ctx, address)
			s.count(ctx, dashboard.KeyID, result)
			return result, err
		}})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/verify", s.verify)
	mux.HandleFunc("POST /lists", func(w http.ResponseWriter, r *http.Request) {
		if s.uploads != nil {
			select {
			case <-s.uploads:
			case <-r.Context().Done():
			}
		}
		s.dashboard.Handler().ServeHTTP(w, r)
	})
	mux.Handle("/", s.dashboard.Handler())
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// verify is the API, as far as these tests need it.
func (s *site) verify(w http.ResponseWriter, r *http.Request) {
	all, err := s.store.Keys(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for _, key := range all {
		if key.Hash == store.HashOf(r.Header.Get("X-API-Key")) && key.Usable(time.Now()) {
			result, _ := dashboardtest.Checked(r.Context(), r.URL.Query().Get("email"))
			s.count(r.Context(), key.ID, result)
			_ = json.NewEncoder(w).Encode(result)
			return
		}
	}
	http.Error(w, `{"message":"Unauthorized"}`, http.StatusUnauthorized)
}

func (s *site) count(ctx context.Context, key string, result rcpt.Result) {
	s.store.RecordUse(store.Use{Key: key, At: time.Now(), Result: string(result.Verdict), Reason: string(result.Reason), Duration: 80 * time.Millisecond})
	s.store.TouchKey(key, time.Now())
	_ = s.store.Flush(ctx)
}

// browserStarts is how often Chromium is started before that counts as a
// failure: on a busy machine it crashes now and then before it has begun.
const browserStarts = 3

// newBrowser starts Chromium, or skips the test where there is none.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, candidate := range []string{"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"} {
		if _, err := os.Stat(candidate); err == nil && path == "" {
			path = candidate
		}
	}
	if path == "" {
		t.Skip("there is no Chromium: apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("force-prefers-reduced-motion", true)) // no colour half way to another
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // the sandbox does not work for root
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	var err error
	for range browserStarts {
		exec, cancelExec := chromedp.NewExecAllocator(ctx, options...)
		t.Cleanup(cancelExec)
		tab, cancelTab := chromedp.NewContext(exec)
		t.Cleanup(cancelTab)
		if err = chromedp.Do(tab); err == nil {
			return tab
		}
		t.Logf("Chromium did not start: %v", err)
	}
	t.Fatal(err)
	return nil
}

// enter makes the first account in the browser.
func (s *site) enter(t *testing.T, ctx context.Context) {
	t.Helper()
	link, err := s.dashboard.SetupURL(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.Navigate(link), typed("#login", dashboardtest.Login), typed("#password", dashboardtest.Password), typed("#repeated", dashboardtest.Password),
		click(".door .primary"), shown(".bar"))
}

// TestBrowser goes the way of somebody who installs the server: set-up,
// sign-out and sign-in, a key, a check, usage, revocation.
func TestBrowser(t *testing.T) {
	s := newSite(t, nil)
	ctx := newBrowser(t)
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		if _, err := chromedp.CallBrowser(ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted, Origin: s.URL}); err != nil {
			t.Fatal(err)
		}
	}
	s.enter(t, ctx)
	do(t, ctx, click(`nav a[href="/keys"]`), shown(".empty"))
	if text := read(t, ctx, "main"); !strings.Contains(text, "No keys yet") {
		t.Errorf("no empty state:\n%s", text)
	}
	do(t, ctx, click(".plain"), shown("#password"), typed("#login", dashboardtest.Login), typed("#password", dashboardtest.Password), click(".door .primary"), shown(".bar"))

	do(t, ctx, click(`nav a[href="/keys"]`), click(".empty .button"), typed("#name", "Sign-up form"), typed("#quota", "100"), click(".form .primary"), shown("#key"))
	key := read(t, ctx, "#key")
	do(t, ctx, click(".secret .copy"))
	do(t, ctx, chromedp.WaitVisible(chromedp.Search(`//button/span[text()="Copied"]`)))
	if copied := eval[string](t, ctx, `navigator.clipboard.readText()`); copied != key {
		t.Errorf("copied %q, want the key", copied)
	}
	if path := eval[string](t, ctx, `location.pathname`); path != "/keys" {
		t.Errorf("to load the page again would send the form again: at %s", path)
	}
	if status := s.ask(t, key, "ada@acme.example"); status != http.StatusOK {
		t.Errorf("with the key: %d", status)
	}

	do(t, ctx, click(`nav a[href="/check"]`), typed("#email", "nobody@acme.example"), click(".ask .primary"), shown(".verdict.bad"))
	if text := read(t, ctx, "#answer"); !strings.Contains(text, "mailbox_not_found") || !strings.Contains(text, "550 5.1.1") {
		t.Errorf("outcome:\n%s", text)
	}
	if live := eval[bool](t, ctx, `document.querySelector("#email").value === "nobody@acme.example" && performance.getEntriesByType("navigation")[0].type === "navigate"`); !live {
		t.Error("the check loaded a new page")
	}

	do(t, ctx, click(`nav a[href="/usage"]`), shown(".chart"))
	if text := read(t, ctx, "main"); !strings.Contains(text, "Sign-up form") || !strings.Contains(text, "Dashboard") {
		t.Errorf("usage:\n%s", text)
	}
	if total := read(t, ctx, ".tile strong"); total != "2" {
		t.Errorf("%s checks counted, want 2", total)
	}

	do(t, ctx, click(`nav a[href="/keys"]`), click(".dots summary"), click(".act .danger"), click(".form .primary"), shown(".note.good"))
	if status := s.ask(t, key, "ada@acme.example"); status != http.StatusUnauthorized {
		t.Errorf("with the revoked key: %d", status)
	}
	if faults := eval[[]string](t, ctx, `performance.getEntriesByType("resource").map(e => e.name).filter(n => !n.startsWith(location.origin))`); len(faults) > 0 {
		t.Errorf("fetched from elsewhere: %v", faults)
	}
}

func (s *site) ask(t *testing.T, key, address string) int {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, s.URL+"/api/v1/verify?email="+address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", key)
	response, err := s.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// TestPictures looks at every page in both themes and four widths: nothing may
// stick out. With -images it keeps pictures.
func TestPictures(t *testing.T) {
	s := newSite(t, exampleHealth)
	ctx := newBrowser(t)
	link, err := s.dashboard.SetupURL(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	album{"setup", link, nil}.take(t, ctx)
	album{"setup-faults", link, []chromedp.Action[chromedp.Void]{typed("#password", "short"), click(".door .primary"), shown("#repeated-fault")}}.take(t, ctx)
	s.enter(t, ctx)
	album{"keys-empty", s.URL + "/keys", nil}.take(t, ctx)
	album{"usage-empty", s.URL + "/usage", nil}.take(t, ctx)
	s.fill(t)
	s.addTeam(t)
	check := func(address string) []chromedp.Action[chromedp.Void] {
		return []chromedp.Action[chromedp.Void]{typed("#email", address), click(".ask .primary"), shown(".verdict")}
	}
	for _, a := range []album{
		{"start", s.URL + "/", nil},
		{"keys", s.URL + "/keys", nil},
		{"key-new", s.URL + "/keys/new", nil},
		{"key-edit", s.URL + "/keys", []chromedp.Action[chromedp.Void]{click(`[aria-label="Edit Checkout"]`), shown("#name")}},
		{"key-faults", s.URL + "/keys/new", []chromedp.Action[chromedp.Void]{typed("#rate", "fast"), typed("#quota", "-1"), typed("#networks", "acme.example"),
			click(".form .primary"), shown("#networks-fault")}},
		{"key-rotate", s.URL + "/keys", []chromedp.Action[chromedp.Void]{click(`[aria-label="More for Checkout"]`), click(`[aria-label="Rotate Checkout"]`), shown(".plan")}},
		{"check-empty", s.URL + "/check", nil},
		{"check", s.URL + "/check", check("nobody@acme.example")},
		{"check-deliverable", s.URL + "/check", check("ada.lovelace@acme.example")},
		{"check-greylisted", s.URL + "/check", check("late@acme.example")},
		{"check-cleaned", s.URL + "/check", append(check("Ada Lovelace <ada.lovelace@acme.example>"), click("#answer details:last-of-type summary"))},
		{"check-faults", s.URL + "/check", []chromedp.Action[chromedp.Void]{chromedp.Evaluate[chromedp.Void](`document.querySelector(".ask").submit()`), shown("#email-fault")}},
		{"usage", s.URL + "/usage", nil},
		{"health", s.URL + "/health", nil},
		{"team", s.URL + "/team", nil},
		{"team-person", s.URL + "/team", []chromedp.Action[chromedp.Void]{click(`[aria-label="Change ben@acme.example"]`), click("details:last-of-type summary"), shown("#keys")}},
		{"team-invited", s.URL + "/team", []chromedp.Action[chromedp.Void]{typed("#login", "eve@acme.example"), click(".form .primary"), shown("#link")}},
		{"team-faults", s.URL + "/team", []chromedp.Action[chromedp.Void]{typed("#login", "grace"), click(".form .primary"), shown("#login-fault")}},
		{"events", s.URL + "/events", nil},
		{"account", s.URL + "/account", nil},
		{"account-faults", s.URL + "/account", []chromedp.Action[chromedp.Void]{typed("#password", "short"), click(".card .primary"), shown("#repeated-fault")}},
		{"not-found", s.URL + "/nowhere", nil},
		{"key-created", s.URL + "/keys/new", []chromedp.Action[chromedp.Void]{typed("#name", "Newsletter"), click(".form .primary"), shown("#key")}},
	} {
		a.take(t, ctx)
	}
	do(t, ctx, chromedp.Navigate(s.URL+"/keys"), click(".dots summary"), click(".act .danger"), shown(".form"))
	album{name: "key-revoke"}.take(t, ctx)
	do(t, ctx, click(".form .primary"), shown(".note"))
	album{"keys-ended", s.URL + "/keys?show=ended", nil}.take(t, ctx)
	do(t, ctx, chromedp.Navigate(s.URL+"/account"), follow(`main form[action="/sign-out"] button`), shown("#password"))
	album{name: "sign-in"}.take(t, ctx)
	do(t, ctx, typed("#login", dashboardtest.Login), typed("#password", "wrong"), click(".door .primary"), shown("#password-fault"), click("summary"))
	album{name: "sign-in-faults"}.take(t, ctx)
}

// TestLongValues: what people and strangers can make long bends the pages and
// does not break them.
func TestLongValues(t *testing.T) {
	unbroken := strings.Repeat("Wm", 50)
	host := strings.Repeat("m", 60) + "." + strings.Repeat("x", 60) + ".example"
	now := time.Now()
	s := newSite(t, func(context.Context) dashboard.Health {
		return dashboard.Health{
			Version:   "v1.4.1-0.20261122034831-c62b5637f9d2+dirty",
			Egresses:  []dashboard.Egress{{Name: "proxy " + host + ":1080", HELO: host, LastReply: now, Fault: "the proxy or the source address does not work"}},
			Resolvers: []dashboard.Resolver{{Server: "[2001:db8:1234:5678:9abc:def0:1234:5678]:53", LastAnswer: now, Fault: "did not answer the last question"}},
			Preset:    "normal",
			Pace:      []dashboard.Pace{{Provider: host, Egress: host, Until: now.Add(26 * time.Hour), Reason: "it has blocked this server", Sessions: 20, Allowed: 1000, Waiting: 1_000_000}},
			Blocks:    []dashboard.Block{{Provider: host, Count: 1_000_000, Last: now.AddDate(0, 0, -40), Reply: "550 5.7.1"}},
			Cache:     &dashboard.Cache{Entries: 1_000_000, Asked: 9e9, Found: 1}, Queue: &dashboard.Queue{Running: 1_000_000, Waiting: 1_000_000, Shed: 1_000_000_000},
		}
	})
	ctx := newBrowser(t)
	s.enter(t, ctx)
	key, err := s.store.CreateKey(t.Context(), store.ByCommand("test"), store.Key{Name: unbroken, Hash: store.HashOf(unbroken), Scopes: []store.Scope{store.ScopeVerify, store.ScopeBulk, store.ScopeUsage},
		RatePerSecond: 1e6, Burst: 1_000_000_000, Concurrency: 1_000_000_000, MonthlyQuota: 2_000_000_000, Expires: now.AddDate(9, 0, 0).Add(time.Hour),
		Networks: []netip.Prefix{netip.MustParsePrefix("2001:db8::/32")}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.store.ReserveQuota(t.Context(), key.ID, now, 1_999_999_999, 2_000_000_000); err != nil {
		t.Fatal(err)
	}
	s.use(key.ID, 1, now)
	if err := s.store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	address := "nobody" + strings.Repeat("y", 58) + "@" + strings.Repeat("m", 60) + "." + strings.Repeat("x", 60) + "." + strings.Repeat("y", 58) + ".example"
	for _, a := range []album{
		{"long-keys", s.URL + "/keys", nil}, {"long-revoke", s.URL + "/keys/" + key.ID + "/revoke", nil}, {"long-usage", s.URL + "/usage", nil},
		{"long-health", s.URL + "/health", nil},
		{"long-check", s.URL + "/check", []chromedp.Action[chromedp.Void]{typed("#email", address), click(".ask .primary"), shown(".verdict")}},
	} {
		a.take(t, ctx)
	}
}

// TestKeyboard: what is done with a mouse can be done with the keys, and one
// sees where one is.
func TestKeyboard(t *testing.T) {
	s := newSite(t, exampleHealth)
	s.fill(t)
	ctx := newBrowser(t)
	s.enter(t, ctx)
	s.release()
	do(t, ctx, chromedp.Navigate(s.URL+"/lists"), choose(t, "List.csv", exampleList(30)), shown("#first"), click(".head .primary"), listEnded)
	list := eval[string](t, ctx, `location.pathname`)
	do(t, ctx, chromedp.Navigate(s.URL+"/lists"), choose(t, "New.csv", exampleList(30)), shown("#first"))
	newList := eval[string](t, ctx, `location.pathname`)
	for _, path := range []string{"/keys", "/keys/new", "/check", "/lists", newList, list, "/webhooks/receivers", "/usage", "/health", "/events", "/account"} {
		do(t, ctx, chromedp.Navigate(s.URL+path), chromedp.Evaluate[chromedp.Void](`document.activeElement?.blur()`))
		want := eval[[]string](t, ctx, `[...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
			.filter((e) => e.checkVisibility() && e.tabIndex >= 0 && e.type !== "hidden" && (e.type !== "radio" || e.checked)).map((e) => (e.id || e.textContent.trim() || e.name).slice(0, 30))`)
		seen := map[string]bool{}
		for range len(want) + 12 { // what scrolls can be reached, too
			do(t, ctx, chromedp.KeyEvent(kb.Tab))
			seen[eval[string](t, ctx, `(document.activeElement.id || document.activeElement.textContent.trim() || document.activeElement.name || "").slice(0, 30)`)] = true
			if hidden := eval[bool](t, ctx, `(() => { const e = document.activeElement; if (e === document.body) return false;
				const s = getComputedStyle(e.matches(".tabs > input") ? e.nextElementSibling : e); return s.outlineStyle === "none" || parseFloat(s.outlineWidth) < 2; })()`); hidden {
				t.Errorf("%s: nothing shows that %s has the focus", path, eval[string](t, ctx, `document.activeElement.outerHTML.slice(0, 80)`))
			}
		}
		for _, name := range want {
			if !seen[name] {
				t.Errorf("%s: Tab does not lead to %q", path, name)
			}
		}
	}
}

// album are the pictures of one page.
type album struct {
	name, url string
	before    []chromedp.Action[chromedp.Void]
}

func (a album) take(t *testing.T, ctx context.Context) {
	t.Helper()
	if a.url != "" {
		do(t, ctx, chromedp.EmulateViewport(1280, 800), chromedp.Navigate(a.url))
		do(t, ctx, a.before...)
	}
	for _, width := range []int64{1280, 768, 390, 360} {
		for _, theme := range []string{"light", "dark"} {
			do(t, ctx, chromedp.EmulateViewport(width, 800), chromedp.Evaluate[chromedp.Void](`
				document.activeElement?.blur();
				scrollTo(0, 0);
				document.documentElement.dataset.theme = "`+theme+`";
				document.querySelectorAll(".themes button").forEach((b) => b.setAttribute("aria-pressed", b.value === "`+theme+`"))`))
			a.measure(t, ctx, width)
			if width != 1280 && width != 390 {
				continue
			}
			a.judge(t, ctx, width)
			if *images != "" {
				a.keep(t, ctx, fmt.Sprintf("%s-%s-%d.png", a.name, theme, width))
			}
		}
	}
}

// measure finds what is wider than the page or sticks out of its card, and
// words that cannot be read well on what is behind them (WCAG 2.2, 1.4.3: 4.5
// to 1).
func (a album) measure(t *testing.T, ctx context.Context, width int64) {
	t.Helper()
	if over := eval[int64](t, ctx, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		t.Errorf("%s: at %d px the page is %d px too wide", a.name, width, over)
	}
	for _, fault := range eval[[]string](t, ctx, overflowScript) {
		t.Errorf("%s at %d px: %s", a.name, width, fault)
	}
	for _, fault := range eval[[]string](t, ctx, contrastScript) {
		t.Errorf("%s at %d px: %s", a.name, width, fault)
	}
}

const contrastScript = `(() => {
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const rgb = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return canvas.getImageData(0, 0, 1, 1).data; };
	const light = (c) => [...c].slice(0, 3).map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
	const behind = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; } return [255, 255, 255]; };
	const faults = [];
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement;
		if (!walk.currentNode.data.trim() || !e.checkVisibility() || e.closest(".hidden, option, svg, .skip, .tip, [disabled]")) continue;
		const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
		const ratio = (a + .05) / (b + .05);
		if (ratio < 4.5) faults.push(walk.currentNode.data.trim().slice(0, 40) + ": contrast " + ratio.toFixed(2));
	}
	return faults;
})()`

// overflowScript leaves out what scrolls, and what is cut off with its whole
// text in a title.
const overflowScript = `(() => {
	const faults = [];
	for (const card of document.querySelectorAll(".card, .tile, .note, .bar")) {
		const edge = card.getBoundingClientRect().right;
		for (const e of card.querySelectorAll("*")) {
			if (!e.checkVisibility() || e.closest(".hidden, pre, .scroll, .dialogue, svg, .login, input, select, textarea, .bar nav")) continue;
			const over = Math.round(e.getBoundingClientRect().right - edge);
			if (over > 0) faults.push(e.tagName + " " + e.textContent.trim().slice(0, 30) + ": sticks out by " + over + " px");
		}
	}
	return faults;
})()`

func (a album) keep(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	const best = 100 // PNG
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(best))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*images, name), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

// fill puts a month of work of a company into the store.
func (s *site) fill(t *testing.T) {
	t.Helper()
	now := time.Now()
	for i, k := range []store.Key{
		{Name: "CRM import, nightly", Scopes: []store.Scope{store.ScopeBulk, store.ScopeUsage}, MonthlyQuota: 250000, Concurrency: 50},
		{Name: "Checkout", Scopes: []store.Scope{store.ScopeVerify}, RatePerSecond: 25, Burst: 100, MonthlyQuota: 20000},
		{Name: "Sign-up form", Scopes: []store.Scope{store.ScopeVerify}, RatePerSecond: 10, Expires: now.UTC().Truncate(24*time.Hour).AddDate(0, 6, 1)},
	} {
		k.Hash = store.HashOf(k.Name)
		key, err := s.store.CreateKey(t.Context(), store.ByCommand("test"), k)
		if err != nil {
			t.Fatal(err)
		}
		if k.MonthlyQuota > 0 {
			if _, err := s.store.ReserveQuota(t.Context(), key.ID, now, []int64{61240, 17310}[i], k.MonthlyQuota); err != nil {
				t.Fatal(err)
			}
		}
		s.store.TouchKey(key.ID, now.Add(-time.Duration(i*i*37+2)*time.Minute))
		s.use(key.ID, i, now)
		if k.Name == "Sign-up form" {
			if _, err := s.store.RotateKey(t.Context(), store.ByCommand("test"), key.ID, store.HashOf("its successor"), now.Add(21*time.Hour+time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// use records what the key with the number was used for: less at weekends, and
// never the same.
func (s *site) use(key string, number int, now time.Time) {
	mix := []struct {
		result rcpt.Verdict
		reason rcpt.Reason
		share  int
	}{
		{rcpt.VerdictDeliverable, rcpt.ReasonRecipientAccepted, 61}, {rcpt.VerdictAcceptAll, rcpt.ReasonCatchAll, 17}, {rcpt.VerdictUnknown, rcpt.ReasonGreylisted, 6},
		{rcpt.VerdictUnknown, rcpt.ReasonConnectionTimeout, 2}, {rcpt.VerdictUnknown, rcpt.ReasonBlocked, 1}, {rcpt.VerdictUndeliverable, rcpt.ReasonMailboxNotFound, 9},
		{rcpt.VerdictUndeliverable, rcpt.ReasonDomainNotFound, 3}, {rcpt.VerdictUndeliverable, rcpt.ReasonInvalidSyntax, 1},
	}
	for back := range 30 {
		at := now.AddDate(0, 0, -back)
		amount := 5 + (back*back*7+number*13)%9
		if weekday := at.UTC().Weekday(); weekday == time.Saturday || weekday == time.Sunday {
			amount /= 3
		}
		for i, m := range mix {
			for n := range amount * m.share / 12 {
				took := time.Duration(60+(n*n*97+i*211)%1900) * time.Millisecond
				cached := n%3 == 0
				if cached {
					took = time.Duration(n%4) * time.Millisecond
				}
				s.store.RecordUse(store.Use{Key: key, At: at, Result: string(m.result), Reason: string(m.reason), Cached: cached, Duration: took})
			}
		}
	}
}

func exampleHealth(context.Context) dashboard.Health {
	now := time.Now()
	return dashboard.Health{
		Version: "1.4.0",
		Checks: []dashboard.NetworkCheck{{Name: "DNS resolver", Tested: true, Since: now.Add(-26 * time.Hour), Checked: now.Add(-40 * time.Second)},
			{Name: "Port 25", Tested: true, Since: now.Add(-3 * time.Hour), Checked: now.Add(-20 * time.Second),
				Fault:  "no mail host can be reached at port 25, not even that of gmail.com, outlook.com, yahoo.com: this network seems to block outgoing SMTP connections",
				Advice: "Ask your hoster to open outgoing TCP port 25, or send through --proxy. Until then mailboxes cannot be checked."}},
		Hour: &dashboard.Hour{Checked: 1840, Unknown: 1210, Mostly: rcpt.ReasonPortBlocked},
		Egresses: []dashboard.Egress{{Name: "192.0.2.10", HELO: "verify.acme.example", LastReply: now.Add(-3 * time.Second)},
			{Name: "192.0.2.11", HELO: "verify2.acme.example", LastReply: now.Add(-26 * time.Minute), Fault: "the last 10 mail hosts could not be reached: is port 25 open to the outside?"}},
		Preset: "normal",
		Pace: []dashboard.Pace{{Provider: "microsoft", Egress: "192.0.2.10", Until: now.Add(12 * time.Minute), Reason: "it has blocked this server", Allowed: 5},
			{Provider: "google", Egress: "192.0.2.10", Slowed: true, Harvesting: true, Reason: "74% of the mailboxes that it was asked about do not exist", Sessions: 2, Allowed: 2, Waiting: 512},
			{Provider: "hoster.example", Egress: "192.0.2.10", Sessions: 10, Allowed: 10, Waiting: 44}, {Provider: "192.0.2.0/24", Egress: "192.0.2.11", Sessions: 1, Allowed: 10}},
		Blocks:    []dashboard.Block{{Provider: "outlook", Count: 5, Last: now.Add(-4 * time.Minute), Reply: "550 5.7.1"}, {Provider: "mx.acme.example", Count: 1, Last: now.Add(-3 * time.Hour), Reply: "554 5.7.1"}},
		Resolvers: []dashboard.Resolver{{Server: "192.0.2.53:53", LastAnswer: now.Add(-2 * time.Second)}, {Server: "[2001:db8::53]:53", LastAnswer: now.Add(-9 * time.Second)}},
		Cache:     &dashboard.Cache{Entries: 84213, Asked: 225170, Found: 84210},
		Queue:     &dashboard.Queue{Running: 38, Waiting: 4},
	}
}
