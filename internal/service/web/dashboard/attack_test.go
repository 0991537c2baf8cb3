package dashboard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
)

// TestLockOut checks that tries from everywhere, for this login and for made-up
// ones, do not keep out a person that has signed in from here before.
func TestLockOut(t *testing.T) {
	throttle, now := newThrottle(), newClock().Now()
	here := netip.MustParseAddr("2001:db8::1")
	throttle.welcome("Ada", here)
	for i := range 4 * throttleSlots {
		login := "ada"
		if i%2 == 0 {
			login = fmt.Sprint("login ", i)
		}
		throttle.begin(now, login, netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}))
	}
	if wait := throttle.begin(now, "ada", netip.MustParseAddr("192.0.2.1")); wait == 0 {
		t.Error("from elsewhere there is no wait")
	}
	for i := range triesFree {
		if wait := throttle.begin(now, " ADA", netip.MustParseAddr("2001:db8::2")); wait != 0 {
			t.Fatalf("try %d from where the account was signed in to has to wait for %v", i, wait)
		}
	}
	if wait := throttle.begin(now, "ada", here); wait != firstWait {
		t.Errorf("who guesses from there waits %v, want %v", wait, firstWait)
	}
	throttle.welcome("ada", here)
	if wait := throttle.begin(now, "ada", here); wait != 0 {
		t.Errorf("after the right password the wait is %v", wait)
	}
	for i := range 2 * maxFamiliar {
		throttle.welcome(fmt.Sprint("login ", i), here)
	}
	if n := len(throttle.familiar); n != maxFamiliar {
		t.Errorf("%d networks are remembered, want %d", n, maxFamiliar)
	}
}

// TestOwnerUnderAttack: a thousand tries of a stranger leave the owner both
// ways in, and the change of the password.
func TestOwnerUnderAttack(t *testing.T) {
	client := netip.MustParseAddr("192.0.2.1")
	w := newWorld(t, func(c *Config) { c.Client = func(*http.Request) netip.Addr { return client } })
	w.setUp(t)
	owner := w.client
	attack := func() {
		for i := range 1000 {
			wait := w.throttle.begin(w.clock.Now(), testLogin, netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}))
			w.clock.Advance(wait / 100)
		}
	}
	attack()
	w.client = w.browser()
	if got := w.signInAs(t, testLogin, testPassword); got.StatusCode != http.StatusSeeOther {
		t.Errorf("the owner is kept out: %d", got.StatusCode)
	}
	w.throttle = newThrottle() // as after a restart
	attack()
	w.client = w.browser()
	if got := w.signInAs(t, testLogin, testPassword); got.StatusCode != http.StatusSeeOther {
		t.Errorf("the owner is kept out after a restart: %d", got.StatusCode)
	}
	attack()
	w.client, client = owner, netip.MustParseAddr("198.51.100.1") // on the way, with a session
	const better = "a better one, I think"
	got := w.post(t, "/account", "/account/password", "current", testPassword, "password", better, "repeated", better)
	if got.StatusCode != http.StatusSeeOther {
		t.Errorf("the owner cannot change the password: %d", got.StatusCode)
	}
}

// TestOpenBrowser: who finds a browser that is signed in cannot try out
// passwords on the form that changes them.
func TestOpenBrowser(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	const mine = "mine, from now on"
	guess := func(current string) int {
		return w.post(t, "/account", "/account/password", "current", current, "password", mine, "repeated", mine).StatusCode
	}
	for i := range triesFree {
		if status := guess(fmt.Sprint("guess ", i)); status != http.StatusForbidden {
			t.Fatalf("guess %d: %d", i, status)
		}
	}
	if status := guess(testPassword); status != http.StatusTooManyRequests {
		t.Errorf("one more: %d", status)
	}
	w.clock.Advance(firstWait)
	if status := guess(testPassword); status != http.StatusSeeOther {
		t.Errorf("the right one, after a while: %d", status)
	}
}

// TestPasswordChangedMeanwhile: a sign-in with a password that is changed while
// it is looked at begins no session.
func TestPasswordChangedMeanwhile(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	account, err := w.store.AccountByLogin(t.Context(), testLogin)
	if err != nil {
		t.Fatal(err)
	}
	derive := w.passwords.derive
	w.passwords.derive = func(password, salt []byte) []byte {
		if err := w.store.SetPassword(t.Context(), store.ByCommand("test"), account.ID, w.passwords.unguessable()); err != nil {
			t.Error(err)
		}
		return derive(password, salt)
	}
	w.client = w.browser()
	if got := w.signInAs(t, testLogin, testPassword); got.StatusCode != http.StatusForbidden {
		t.Errorf("status %d", got.StatusCode)
	}
	if text := w.sessionText(t); text != "" {
		t.Error("there is a session")
	}
	if got := w.get(t, "/keys"); got.StatusCode != http.StatusSeeOther {
		t.Errorf("the keys: %d", got.StatusCode)
	}
}

// TestOvertakenLink: a link that was made when there was no account is worth
// nothing when there is one.
func TestOvertakenLink(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	if err := w.store.CreateSetupToken(t.Context(), store.HashOf("late"), w.clock.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	w.client = w.browser()
	got := w.post(t, "/sign-in", "/setup", "link", "late", "login", "eve", "password", testPassword, "repeated", testPassword)
	if got.StatusCode != http.StatusNotFound || w.sessionText(t) != "" {
		t.Errorf("status %d, session %q", got.StatusCode, w.sessionText(t))
	}
}

// TestHostInPrograms: what somebody may have chosen to call the server does not
// get into the programs to copy where it could do something.
func TestHostInPrograms(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	for host, want := range map[string]string{
		"rcpt.example:8080": "http://rcpt.example:8080/api", "[2001:db8::1]:80": "http://[2001:db8::1]:80/api",
		"$(id).example": "http://YOUR-SERVER/api", "a';id;'": "http://YOUR-SERVER/api", "a&b": "http://YOUR-SERVER/api", "": "http://YOUR-SERVER/api",
	} {
		request := httptest.NewRequest(http.MethodGet, "/keys", nil)
		request.Host = host
		request.AddCookie(&http.Cookie{Name: sessionCookie, Value: w.sessionText(t)})
		recorder := httptest.NewRecorder()
		w.Handler().ServeHTTP(recorder, request)
		if body := recorder.Body.String(); !strings.Contains(body, want) || strings.Contains(body, "id;") {
			t.Errorf("%q: no %s in the page", host, want)
		}
	}
}

// TestHugeForms: a body without an end is read up to a bound, and no further
// where nobody is signed in.
func TestHugeForms(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	body := strings.Repeat("a", 10*maxForm)
	for _, path := range []string{"/keys", "/check", "/account/password", "/theme", "/sign-out"} {
		if got := w.send(t, path, url.Values{"x": {body}}); got.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
	w.client = w.browser()
	w.get(t, "/sign-in") // for the cookie of the form
	for path, want := range map[string]int{"/sign-in": http.StatusBadRequest, "/setup": http.StatusBadRequest, "/keys": http.StatusSeeOther} {
		if got := w.send(t, path, url.Values{"x": {body}}); got.StatusCode != want {
			t.Errorf("%s, signed out: %d, want %d", path, got.StatusCode, want)
		}
	}
}
