package dashboard

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard/dashboardtest"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestForged: a form without the token of this very session, or from another
// site, does nothing.
func TestForged(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	key, err := w.store.CreateKey(t.Context(), store.ByCommand("test"), store.Key{Name: "k", Hash: store.HashOf("k"), Scopes: []store.Scope{store.ScopeVerify}})
	if err != nil {
		t.Fatal(err)
	}
	good := tokenOf(w.sessionText(t))
	forms := map[string]string{
		"/keys": "name=x&verify=1", "/keys/" + key.ID + "/revoke": "", "/webhooks/msg_x/resend": "", "/webhooks/receivers/" + key.ID + "/secret": "", "/webhooks/receivers/" + key.ID + "/test": "url=https://a.example", "/check": "email=a@b.example", "/sign-out": "", "/theme": "theme=dark",
		"/account/password": "current=" + testPassword + "&password=another+long+one&repeated=another+long+one",
		"/sign-in":          "login=" + testLogin + "&password=" + testPassword, "/setup": "link=x&login=y",
	}
	for path, fields := range forms {
		for name, c := range map[string]struct{ token, site, origin string }{
			"no token":               {"", "", w.server.URL},
			"token of nobody":        {tokenOf("x"), "", w.server.URL},
			"token of an empty one":  {tokenOf(""), "", w.server.URL},
			"right token, cross":     {good, "cross-site", ""},
			"right token, same site": {good, "same-site", ""},
			"right token, origin":    {good, "", "https://evil.example"},
			"right token, null":      {good, "", "null"},
		} {
			request, _ := http.NewRequest(http.MethodPost, w.server.URL+path, strings.NewReader(fields+"&token="+c.token))
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if c.site != "" {
				request.Header.Set("Sec-Fetch-Site", c.site)
			}
			if c.origin != "" {
				request.Header.Set("Origin", c.origin)
			}
			if got := w.do(t, w.client, request); got.StatusCode != http.StatusForbidden {
				t.Errorf("%s with %s: %d", path, name, got.StatusCode)
			}
		}
	}
	if got := w.get(t, "/keys"); got.StatusCode != http.StatusOK {
		t.Errorf("the session is gone: %d", got.StatusCode)
	}
	if keys, _ := w.store.Keys(t.Context()); len(keys) != 1 || !keys[0].Revoked.IsZero() {
		t.Errorf("keys were changed: %v", keys)
	}
}

// TestForgedWithoutCookie: without a cookie there is no token that holds, and
// everybody can compute that of an empty one. Otherwise another site could sign
// somebody in to an account of its own.
func TestForgedWithoutCookie(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	w.client = w.browser()
	form := fieldsOf([]string{"login", testLogin, "password", testPassword, "token", tokenOf("")})
	if got := w.send(t, "/sign-in", form); got.StatusCode != http.StatusForbidden || w.sessionText(t) != "" {
		t.Errorf("status %d, session %q", got.StatusCode, w.sessionText(t))
	}
}

// TestFixation: a cookie that somebody planted does not become the session, and
// the one of before ends.
func TestFixation(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	first := w.sessionText(t)
	w.client = w.browser()
	at, _ := url.Parse(w.server.URL)
	w.client.Jar.SetCookies(at, []*http.Cookie{{Name: sessionCookie, Value: "planted", Path: "/"}})
	w.signInAs(t, testLogin, testPassword)
	if got := w.sessionText(t); got == "" || got == "planted" || got == first {
		t.Errorf("session %q", got)
	}
	second := w.sessionText(t)
	// A user that is signed in signs in again, with a form that was still open.
	w.send(t, "/sign-in", url.Values{"login": {testLogin}, "password": {testPassword}, "token": {tokenOf(second)}})
	if third := w.sessionText(t); third == second || third == "" {
		t.Error("the session stayed the same")
	}
	if _, _, err := w.store.Session(t.Context(), store.HashOf(second)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the session of before is there still: %v", err)
	}
}

// TestGuessing: a thousand tries get a handful of looks at passwords, and the
// owner is let in when the wait is over.
func TestGuessing(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	w.client = w.browser()
	token := tokenField.FindStringSubmatch(w.get(t, "/sign-in").body)[1]
	before := w.hashes.Load()
	refused := 0
	for i := range 1000 {
		got := w.send(t, "/sign-in", url.Values{"login": {testLogin}, "password": {fmt.Sprint("guess number ", i)}, "token": {token}})
		switch got.StatusCode {
		case http.StatusForbidden:
		case http.StatusTooManyRequests:
			refused++
			if got.Header.Get("Retry-After") == "" {
				t.Fatal("429 without Retry-After")
			}
		default:
			t.Fatalf("try %d: %d", i, got.StatusCode)
		}
	}
	if looked := w.hashes.Load() - before; looked != triesFree || refused != 1000-triesFree {
		t.Errorf("%d passwords were looked at and %d tries refused, want %d and %d", looked, refused, triesFree, 1000-triesFree)
	}
	right := url.Values{"login": {testLogin}, "password": {testPassword}, "token": {token}}
	if got := w.send(t, "/sign-in", right); got.StatusCode != http.StatusTooManyRequests {
		t.Errorf("the right password gets round the wait: %d", got.StatusCode)
	}
	w.clock.Advance(firstWait)
	if got := w.send(t, "/sign-in", right); got.StatusCode != http.StatusSeeOther {
		t.Errorf("after the wait: %d", got.StatusCode)
	}
}

// TestThrottle is about the waits alone.
func TestThrottle(t *testing.T) {
	now := newClock().Now()
	home, away := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("198.51.100.1")

	account := newThrottle()
	for i := range 20 {
		want := time.Duration(0)
		if i >= triesFree {
			want = min(longestAccount, firstWait<<(i-triesFree))
		}
		from := netip.AddrFrom4([4]byte{10, 0, byte(i), 1}) // somewhere else each time
		if want > 0 {
			if wait := account.begin(now, "ADA ", from); wait != want {
				t.Errorf("try %d has to wait for %v, want %v", i, wait, want)
			}
		}
		now = now.Add(want)
		if wait := account.begin(now, "ada", from); wait != 0 {
			t.Fatalf("try %d has to wait for %v after all", i, wait)
		}
	}

	network := newThrottle()
	for i := range triesFree {
		if wait := network.begin(now, fmt.Sprint("login ", i), home); wait > 0 {
			t.Fatalf("try %d has to wait for %v", i, wait)
		}
	}
	if wait := network.begin(now, "another login", home); wait != firstWait {
		t.Errorf("a network that tries many logins waits %v, want %v", wait, firstWait)
	}
	if wait := network.begin(now, "another login", away); wait != 0 {
		t.Errorf("another network waits %v", wait)
	}
	// An account of one's own does not forgive what else was tried.
	now = now.Add(firstWait)
	network.begin(now, "mine", home)
	network.forgive("mine", home)
	network.begin(now, "a victim", home)
	if wait := network.begin(now, "a victim", home); wait <= firstWait {
		t.Errorf("with an account of one's own the wait is %v", wait)
	}
	network.welcome("mine", home) // from now on counted apart
	now = now.Add(longestNetwork)
	network.begin(now, "a victim", home)
	before := network.begin(now, "a victim", home)
	network.begin(now, "mine", home)
	network.forgive("mine", home)
	if wait := network.begin(now, "another victim", home); wait != before || before == 0 {
		t.Errorf("after the right password of an account that is known to come from here the wait is %v, was %v", wait, before)
	}
	if wait := network.begin(now.Add(longestNetwork+forgetAfter), "a victim", home); wait != 0 {
		t.Errorf("after an hour it waits %v", wait)
	}

	six := newThrottle()
	for i := range triesFree {
		six.begin(now, fmt.Sprint("login ", i), netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i+1)))
	}
	if wait := six.begin(now, "x", netip.MustParseAddr("2001:db8::ffff")); wait == 0 {
		t.Error("another address of the same IPv6 network need not wait")
	}
}

// TestUnknownLogin: nothing tells a login that exists from one that does not.
func TestUnknownLogin(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	w.client = w.browser()
	var bodies [2]string
	for i, login := range []string{testLogin, "eve@acme.example"} {
		before := w.hashes.Load()
		got := w.signInAs(t, login, "not the password")
		if n := w.hashes.Load() - before; n != 1 || got.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d hashes, status %d", login, n, got.StatusCode)
		}
		bodies[i] = strings.ReplaceAll(got.body[strings.Index(got.body, "<!doctype"):], login, "LOGIN")
	}
	if bodies[0] != bodies[1] {
		t.Error("the pages differ")
	}
}

// TestPasswordWork: the real hash has OWASP's parameters, two run at a time,
// and beyond a queue there is no waiting.
func TestPasswordWork(t *testing.T) {
	p := newPasswords()
	text, err := p.hash(t.Context(), testPassword)
	if err != nil || !strings.HasPrefix(text, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("%s, %v", text, err)
	}
	for password, want := range map[string]bool{testPassword: true, testPassword + " ": false, "": false} {
		if got, err := p.matches(t.Context(), text, password); err != nil || got != want {
			t.Errorf("%q matches: %v, %v", password, got, err)
		}
	}
	for _, stored := range []string{"", "x", strings.Replace(text, "t=2", "t=1", 1), text + "x", "$argon2id$v=19$m=19456,t=2,p=1$$"} {
		if ok, err := p.matches(t.Context(), stored, testPassword); ok || err == nil {
			t.Errorf("%q matches: %v, %v", stored, ok, err)
		}
	}

	entered, leave := make(chan struct{}, hashesWaiting), make(chan struct{})
	p.derive = func(_, _ []byte) []byte {
		entered <- struct{}{}
		<-leave
		return make([]byte, hashLength)
	}
	var group sync.WaitGroup
	queued := make(chan struct{})
	for range hashesWaiting {
		group.Go(func() {
			queued <- struct{}{}
			_, _ = p.hash(t.Context(), "x")
		})
		<-queued
	}
	for p.waiting.Load() < hashesWaiting {
	}
	<-entered
	<-entered
	if len(entered) > 0 {
		t.Errorf("%d hashes at a time", hashesAtOnce+len(entered))
	}
	if _, err := p.hash(t.Context(), "x"); !errors.Is(err, errBusy) {
		t.Errorf("beyond the queue: %v", err)
	}
	close(leave)
	group.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.slots <- struct{}{}
	p.slots <- struct{}{}
	if _, err := p.hash(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone is not let go: %v", err)
	}
}

// TestExpiry: a session ends after a time without pages, and after a week
// whatever is done.
func TestExpiry(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	in := func() bool { t.Helper(); return w.get(t, "/check").StatusCode == http.StatusOK }
	w.clock.Advance(idleTimeout - time.Second)
	if !in() {
		t.Error("signed out before the time")
	}
	w.clock.Advance(idleTimeout - time.Second)
	if !in() {
		t.Error("a page did not extend the session")
	}
	w.clock.Advance(idleTimeout)
	if in() {
		t.Error("signed in after half a day without a page")
	}
	if got := w.sessionText(t); got != "" {
		t.Error("the browser keeps the cookie of a session that has ended")
	}

	w.signInAs(t, testLogin, testPassword)
	began := w.clock.Now()
	for w.clock.Now().Sub(began) < absoluteTimeout-6*time.Hour {
		if !in() {
			t.Fatalf("signed out after %v", w.clock.Now().Sub(began))
		}
		w.clock.Advance(6 * time.Hour)
	}
	if !in() {
		t.Error("signed out before the week was over")
	}
	if w.clock.Advance(6 * time.Hour); in() {
		t.Error("signed in for more than a week")
	}
}

// TestEveryEnd: sign-out ends the session in the store, a new password every
// session but the one at hand.
func TestEveryEnd(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	first, old := w.client, w.sessionText(t)
	w.client = w.browser()
	w.signInAs(t, testLogin, testPassword)
	second := w.sessionText(t)

	const other = "a longer and better one"
	if got := w.post(t, "/account", "/account/password", "current", "wrong", "password", other, "repeated", other); got.StatusCode != http.StatusForbidden {
		t.Errorf("with a wrong password: %d", got.StatusCode)
	}
	if got := w.post(t, "/account", "/account/password", "current", testPassword, "password", "short", "repeated", "short"); got.StatusCode != 422 {
		t.Errorf("a short password: %d", got.StatusCode)
	}
	if got := w.post(t, "/account", "/account/password", "current", testPassword, "password", other, "repeated", other); got.StatusCode != 303 {
		t.Fatalf("change: %d\n%s", got.StatusCode, got.body)
	}
	if got := w.get(t, "/account"); got.StatusCode != http.StatusOK || w.sessionText(t) == second {
		t.Errorf("the one who changed it: %d, the session is another: %v", got.StatusCode, w.sessionText(t) != second)
	}
	for _, text := range []string{old, second} {
		if _, _, err := w.store.Session(t.Context(), store.HashOf(text)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a session of before: %v", err)
		}
	}
	last := w.sessionText(t)
	if got := w.post(t, "/account", "/sign-out"); got.StatusCode != http.StatusSeeOther {
		t.Errorf("sign-out: %d", got.StatusCode)
	}
	if _, _, err := w.store.Session(t.Context(), store.HashOf(last)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("after sign-out: %v", err)
	}
	w.client = first
	if got := w.signInAs(t, testLogin, testPassword); got.StatusCode != http.StatusForbidden {
		t.Errorf("the old password: %d", got.StatusCode)
	}
}

// TestRedirects: whatever a request names, it is led to pages of ours.
func TestRedirects(t *testing.T) {
	for _, next := range []string{"https://evil.example", "//evil.example", "/\\evil.example", "/keys/../../evil", "javascript:alert(1)", "/keys\r\nX: y", "/check?x", "%2f%2fevil"} {
		if got := ownPath(next); got != home {
			t.Errorf("%q leads to %q", next, got)
		}
	}
	for next, want := range map[string]string{
		"/usage?days=7&key=key_1": "/usage?days=7&key=key_1", "/keys?page=2&show=ended": "/keys?page=2&show=ended", "/keys?revoked": "/keys", "/check?x": "/check",
		"/usage?days=7&next=//evil.example": "/usage?days=7", "/usage?days=%0d%0aX": "/usage?days=%0D%0AX", "/nowhere?days=7": home, "//evil.example/usage?days=7": home,
		"https://evil.example/usage": home, "/\\evil.example": home, "/keys\r\nX: y": home, "%2f%2fevil": home, "": home,
	} {
		if got := ownPage(next); got != want {
			t.Errorf("%q leads to %q, want %q", next, got, want)
		}
	}
	w := newWorld(t, nil)
	w.setUp(t)
	if got := w.post(t, "/keys", "/theme", "theme", "dark", "back", "//evil.example"); got.Header.Get("Location") != home {
		t.Errorf("theme: %s", got.Header.Get("Location"))
	}
	w.client = w.browser()
	if got := w.get(t, "/usage?days=7"); got.Header.Get("Location") != "/sign-in?next=%2Fusage%3Fdays%3D7" {
		t.Errorf("a member's page: %s", got.Header.Get("Location"))
	}
	for next, want := range map[string]string{"https://evil.example/": home, "/usage": "/usage", "/usage?days=7": "/usage?days=7"} {
		w.client = w.browser()
		if got := w.post(t, "/sign-in?next="+url.QueryEscape(next), "/sign-in", "login", testLogin, "password", testPassword, "next", next); got.Header.Get("Location") != want {
			t.Errorf("sign-in with %s: %s", next, got.Header.Get("Location"))
		}
	}
}

// TestPaths: a path in a form of its own is answered, not redirected, and leads
// nowhere else.
func TestPaths(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	for _, path := range []string{"//evil.example/", "/keys//", "/keys/../usage", "/./keys", "/keys/", "/%2e%2e/%2e%2e/etc/passwd", "/assets/", "/assets/app.css",
		"/assets/../dashboard.go", "/templates/keys.html", "/keys/..%2f..%2fx/revoke", "/keys/nobody/revoke", "/KEYS", "/nowhere"} {
		request := httptest.NewRequest(http.MethodGet, "http://rcpt.example"+path, nil)
		request.AddCookie(&http.Cookie{Name: sessionCookie, Value: w.sessionText(t)})
		recorder := httptest.NewRecorder()
		w.Handler().ServeHTTP(recorder, request)
		if recorder.Code != http.StatusNotFound || recorder.Header().Get("Location") != "" {
			t.Errorf("%s: %d %s", path, recorder.Code, recorder.Header().Get("Location"))
		}
	}
}

// TestScripts: text of strangers stays text.
func TestScripts(t *testing.T) {
	const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>{{.}}`
	w := newWorld(t, func(c *Config) {
		c.Check = func(ctx context.Context, address string) (rcpt.Result, error) {
			result, _ := dashboardtest.Checked(ctx, "nobody@acme.example")
			result.Email, result.Message, result.Suggestion, result.Details.Provider = address, evil, evil, evil
			result.Details.MX[0].Host, result.Details.SMTP.Text, result.Details.SMTP.Host = evil, evil, evil
			result.Details.Transcript = []smtp.Line{{From: evil, Text: evil}}
			return result, nil
		}
		c.Health = func(context.Context) Health {
			return Health{Version: evil, Egresses: []Egress{{Name: evil, HELO: evil, Fault: evil, Said: []Said{{Provider: evil, Reply: evil, Meaning: evil}}}}, Preset: evil, Pace: []Pace{{Provider: evil, Egress: evil, Reason: evil, Harvesting: true}},
				Blocks: []Block{{Provider: evil, Reply: evil}}, Resolvers: []Resolver{{Server: evil, Fault: evil}}}
		}
	})
	w.setUp(t)
	w.store.RecordUse(store.Use{Key: evil, At: w.clock.Now(), Result: evil, Reason: evil})
	if err := w.store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	pages := map[string]answer{
		"created": w.post(t, "/keys/new", "/keys", "name", evil, "verify", "1"),
		"refused": w.post(t, "/keys/new", "/keys", "name", evil, "quota", evil, "networks", evil),
		"check":   w.post(t, "/check", "/check", "email", evil),
		"sign-in": w.post(t, "/account", "/sign-in", "login", evil, "password", "x"),
	}
	for _, path := range []string{"/keys", "/usage", "/health", "/usage?key=" + url.QueryEscape(evil), "/keys?page=" + url.QueryEscape(evil), "/setup?token=" + url.QueryEscape(evil)} {
		pages[path] = w.get(t, path)
	}
	for name, page := range pages {
		if strings.Contains(page.body, "<script>") || strings.Contains(page.body, "<img") {
			t.Errorf("%s: %d has a script of a stranger", name, page.StatusCode)
		}
		if strings.Contains(page.body, "ZgotmplZ") {
			t.Errorf("%s: a template has text where it cannot be", name)
		}
	}
	if !strings.Contains(pages["check"].body, "&lt;script&gt;") || !strings.Contains(pages["created"].body, "&lt;script&gt;") {
		t.Error("the text is not there at all")
	}
}

// TestHeaders: every answer forbids what a page does not need, whatever it is.
func TestHeaders(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	for _, path := range []string{"/keys", "/nowhere", "//x", "/sign-in", "/setup"} {
		h := w.get(t, path).Header
		if h.Get("Content-Security-Policy") != policy || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" ||
			h.Get("Referrer-Policy") == "" || h.Get("X-Frame-Options") != "DENY" || h.Get("Cross-Origin-Opener-Policy") != "same-origin" {
			t.Errorf("%s: %v", path, h)
		}
	}
	for _, rule := range []string{"default-src 'none'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
		if !slices.Contains(strings.Split(policy, "; "), rule) {
			t.Errorf("the policy has no %s: %s", rule, policy)
		}
	}
	page := w.get(t, "/keys").body
	for _, inline := range []string{" style=", "<style", " onclick", " onload", "javascript:", "http://www", "https://"} {
		if strings.Contains(page[strings.Index(page, "<!doctype"):], inline) {
			t.Errorf("a page has %q", inline)
		}
	}
	for name := range w.assets {
		got := w.get(t, name)
		if got.StatusCode != http.StatusOK || !strings.Contains(got.Header.Get("Cache-Control"), "immutable") || !strings.Contains(page+`"icon.svg`, name) {
			t.Errorf("%s: %d %v", name, got.StatusCode, got.Header)
		}
	}
}

// TestCookies: over TLS they are for this host and encrypted connections only,
// and no stranger can claim by a header that the connection is encrypted.
func TestCookies(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		target string
		header string
		tls    bool
		secure bool
	}{
		"plain":                         {target: "http://rcpt.example/sign-in"},
		"TLS":                           {target: "https://rcpt.example/sign-in", tls: true, secure: true},
		"a header that anybody can set": {target: "http://rcpt.example/sign-in", header: "https"},
		"a proxy that is trusted":       {config: Config{TrustForwardedProto: true}, target: "http://rcpt.example/sign-in", header: "https", secure: true},
		"the public host":               {config: Config{PublicURL: "https://rcpt.example"}, target: "http://rcpt.example/sign-in", secure: true},
		"beside the public host":        {config: Config{PublicURL: "https://rcpt.example"}, target: "http://127.0.0.1:8080/sign-in"},
	} {
		w := newWorld(t, func(config *Config) {
			config.PublicURL, config.TrustForwardedProto = c.config.PublicURL, c.config.TrustForwardedProto
		})
		request := httptest.NewRequest(http.MethodGet, c.target, nil)
		if request.TLS = nil; c.tls {
			request.TLS = &tls.ConnectionState{}
		}
		request.Header.Set("X-Forwarded-Proto", c.header)
		recorder := httptest.NewRecorder()
		w.Handler().ServeHTTP(recorder, request)
		cookies := recorder.Result().Cookies()
		if len(cookies) != 1 {
			t.Fatalf("%s: %v", name, cookies)
		}
		got := cookies[0]
		if got.Secure != c.secure || strings.HasPrefix(got.Name, securePrefix) != c.secure || !got.HttpOnly || got.Path != "/" || got.Domain != "" ||
			got.SameSite != http.SameSiteStrictMode {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestSessionCookie: nothing but the hash of a session is in the store, and the
// cookie is for this site's own requests.
func TestSessionCookie(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	w.client = w.browser()
	for _, cookie := range w.signInAs(t, testLogin, testPassword).Cookies() {
		if cookie.Name == sessionCookie && (len(cookie.Value) != 43 || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode) {
			t.Errorf("%v", cookie)
		}
	}
	if _, _, err := w.store.Session(t.Context(), store.HashOf(w.sessionText(t))); err != nil {
		t.Error(err)
	}
}

// TestLogIsDiscreet: the log has neither logins nor addresses, keys, names or
// tokens.
func TestLogIsDiscreet(t *testing.T) {
	var text bytes.Buffer
	w := newWorld(t, func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	w.setUp(t)
	created := w.post(t, "/keys/new", "/keys", "name", "a private name", "verify", "1")
	w.post(t, "/check", "/check", "email", "broken@acme.example")
	w.post(t, "/check", "/check", "email", "ada@acme.example")
	w.signInAs(t, testLogin, "wrong-secret")
	w.get(t, "/nowhere?email=ada@acme.example")
	w.server.Close()
	for _, private := range []string{testLogin, "acme.example", "a private name", "wrong-secret", testPassword, "rcpt_", w.sessionText(t)} {
		if strings.Contains(text.String(), private) {
			t.Errorf("%q is in the log:\n%s", private, text.String())
		}
	}
	if created.StatusCode != http.StatusOK || !strings.Contains(text.String(), "a key was created") {
		t.Errorf("%d, log:\n%s", created.StatusCode, text.String())
	}
}

// TestNewPassword: a password that is made for somebody can be signed in with.
func TestNewPassword(t *testing.T) {
	password, stored, err := NewPassword(t.Context())
	if err != nil || len(password) < 20 {
		t.Fatalf("%q, %v", password, err)
	}
	if ok, err := newPasswords().matches(t.Context(), stored, password); !ok || err != nil {
		t.Errorf("%t, %v", ok, err)
	}
}
