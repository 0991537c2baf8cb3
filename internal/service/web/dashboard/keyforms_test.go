package dashboard

import (
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rcpt/rcpt/internal/service/store"
)

var wrongField = regexp.MustCompile(`<(?:input|textarea)[^>]* id="([a-z0-9-]+)"[^>]* aria-describedby="([^"]*)" aria-invalid="true"( autofocus)?>`)

// wrongFields are the fields that a page marks as wrong, the one where it
// begins with a star.
func wrongFields(t *testing.T, page string) (fields []string) {
	t.Helper()
	for _, match := range wrongField.FindAllStringSubmatch(page, -1) {
		if !strings.Contains(match[2], match[1]+"-fault") || strings.Count(page, `id="`+match[1]+`-fault"`) != 1 {
			t.Errorf("nothing says what is wrong with %s", match[1])
		}
		if match[3] != "" {
			match[1] += "*"
		}
		fields = append(fields, match[1])
	}
	if strings.Count(page, "autofocus") > 1 {
		t.Error("the page begins at several fields")
	}
	return fields
}

// TestFaultsAtFields: all that is wrong is said at once, each at its field; the
// page begins at the first, and keeps what was typed.
func TestFaultsAtFields(t *testing.T) {
	w := newWorld(t, nil)
	link, err := w.SetupURL(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimPrefix(link, "/setup?token=")
	got := w.post(t, link, "/setup", "link", token, "login", "a b", "password", "short", "repeated", "other")
	if fields := wrongFields(t, got.body); !slices.Equal(fields, []string{"login*", "password", "repeated"}) || !strings.Contains(got.body, `value="a b"`) {
		t.Errorf("set-up: %v\n%s", fields, got.body)
	}
	if got := w.post(t, link, "/setup", "link", token, "login", "ada", "password", testPassword, "repeated", "other"); !slices.Equal(wrongFields(t, got.body), []string{"repeated*"}) {
		t.Errorf("set-up:\n%s", got.body)
	}
	if strings.Contains(got.body, "short") {
		t.Error("a password is sent back")
	}
	w.setUp(t)
	got = w.post(t, "/keys/new", "/keys", "name", " ", "rate", "fast", "burst", "5", "quota", "-1", "concurrency", "0", "expires", "2020-01-01", "networks", "192.0.2.1\n<b>")
	want := []string{"name*", "verify", "quota", "concurrency", "rate", "expires", "networks"}
	if fields := wrongFields(t, got.body); got.StatusCode != 422 || !slices.Equal(fields, want) {
		t.Errorf("%d: wrong are %v, want %v\n%s", got.StatusCode, fields, want, got.body)
	}
	for _, kept := range []string{`value="fast"`, `value="5"`, `value="-1"`, `value="0"`, `value="2020-01-01"`, "192.0.2.1\n&lt;b&gt;</textarea>", "7 fields need another look"} {
		if !strings.Contains(got.body, kept) {
			t.Errorf("%s is lost", kept)
		}
	}
	got = w.post(t, "/account", "/account/password", "current", "wrong", "password", "short", "repeated", "")
	if fields := wrongFields(t, got.body); got.StatusCode != 403 || !slices.Equal(fields, []string{"current*", "password", "repeated"}) {
		t.Errorf("password: %d %v", got.StatusCode, fields)
	}
	got = w.post(t, "/check", "/check", "email", " ")
	if fields := wrongFields(t, got.body); got.StatusCode != 422 || !slices.Equal(fields, []string{"email*"}) {
		t.Errorf("check: %d %v", got.StatusCode, fields)
	}
	w.client = w.browser()
	got = w.signInAs(t, testLogin, "wrong")
	if fields := wrongFields(t, got.body); !slices.Equal(fields, []string{"password*"}) || !strings.Contains(got.body, `value="`+testLogin+`"`) {
		t.Errorf("sign-in: %v", fields)
	}
}

// aKey is one with everything that a form can set, and an end that is not that
// of a day.
func aKey(w *world) store.Key {
	return store.Key{
		Name: "Sign-up", Hash: store.HashOf("k"), Scopes: []store.Scope{store.ScopeVerify, store.ScopeBulk}, RatePerSecond: 100.0 / 3600, Burst: 20, Concurrency: 4,
		MonthlyQuota: 10000, Networks: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, Expires: w.clock.Now().Add(30 * time.Hour),
	}
}

var (
	inputField = regexp.MustCompile(`<input [^>]*name="([a-z]+)"[^>]* value="([^"]*)"`)
	checkedBox = regexp.MustCompile(`type="checkbox"[^>]* name="([a-z]+)" value="1" checked`)
	textArea   = regexp.MustCompile(`(?s)<textarea [^>]*name="([a-z]+)"[^>]*>(.*?)</textarea>`)
)

// filledIn are the fields of the form on a page, as a browser would send them.
func filledIn(page string) (pairs []string) {
	for _, field := range inputField.FindAllStringSubmatch(page, -1) {
		if field[1] != "theme" && field[1] != "back" && field[1] != "verify" && field[1] != "bulk" && field[1] != "usage" && field[1] != "test" {
			pairs = append(pairs, field[1], field[2])
		}
	}
	for _, box := range checkedBox.FindAllStringSubmatch(page, -1) {
		pairs = append(pairs, box[1], "1")
	}
	for _, area := range textArea.FindAllStringSubmatch(page, -1) {
		pairs = append(pairs, area[1], area[2])
	}
	return pairs
}

// TestEditKey: a form that is sent as it was given changes nothing, and one
// that was changed just that.
func TestEditKey(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	before, err := w.store.CreateKey(t.Context(), store.ByCommand("test"), aKey(w))
	if err != nil {
		t.Fatal(err)
	}
	page := "/keys/" + before.ID + "/edit"
	pairs := filledIn(w.get(t, page).body)
	if got := w.post(t, page, page, pairs...); got.Header.Get("Location") != "/keys?changed" {
		t.Fatalf("%d\n%s", got.StatusCode, got.body)
	}
	after := func() store.Key {
		t.Helper()
		key, err := w.store.Key(t.Context(), before.ID)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	same := []cmp.Option{cmpopts.EquateComparable(netip.Prefix{}), cmpopts.EquateApprox(1e-9, 0)}
	if diff := cmp.Diff(before, after(), same...); diff != "" {
		t.Error("nothing was changed:", diff)
	}
	fields := fieldsOf(pairs)
	change := func(changes ...string) answer {
		t.Helper()
		var sent []string
		for name, value := range fieldsOf(changes) {
			fields[name] = value
		}
		for name := range fields {
			sent = append(sent, name, fields.Get(name))
		}
		return w.post(t, page, page, sent...)
	}
	if got := change("quota", "many"); got.StatusCode != 422 || !slices.Equal(wrongFields(t, got.body), []string{"quota*"}) || !strings.Contains(got.body, `action="`+page+`"`) {
		t.Errorf("a wrong quota: %d\n%s", got.StatusCode, got.body)
	}
	if diff := cmp.Diff(before, after(), same...); diff != "" {
		t.Error("refused:", diff)
	}
	change("name", "Shop", "quota", "500", "rate", "", "burst", "", "expires", "2027-01-31", "networks", "", "bulk", "", "usage", "1")
	want := before
	want.Name, want.MonthlyQuota, want.RatePerSecond, want.Burst, want.Networks = "Shop", 500, 0, 0, nil
	want.Expires, want.Scopes = time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC), []store.Scope{store.ScopeVerify, store.ScopeUsage}
	if diff := cmp.Diff(want, after(), same...); diff != "" {
		t.Error("changed:", diff)
	}
	if got := w.get(t, page).body; !strings.Contains(got, `name="bulk"`) {
		t.Error("the scope for lists is not offered")
	}
	if err := w.store.RevokeKey(t.Context(), store.ByCommand("test"), before.ID); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"edit", "rotate"} {
		if got := w.get(t, "/keys/"+before.ID+"/"+path); got.StatusCode != http.StatusConflict {
			t.Errorf("%s of a revoked key: %d", path, got.StatusCode)
		}
		if got := w.get(t, "/keys/nobody/"+path); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s of no key: %d", path, got.StatusCode)
		}
	}
}

// TestTestKeyForm: the box makes a test key, which has no quota and is shown as
// what it is; the form of a key makes no other kind of it.
func TestTestKeyForm(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	if got := w.post(t, "/keys/new", "/keys", "name", "CI", "verify", "1", "test", "1", "quota", "10"); !slices.Equal(wrongFields(t, got.body), []string{"quota*"}) || !strings.Contains(got.body, `name="test" value="1" checked`) {
		t.Errorf("with a quota: %d\n%s", got.StatusCode, got.body)
	}
	if got := w.post(t, "/keys/new", "/keys", "name", "CI", "verify", "1", "test", "1"); !strings.Contains(got.body, "It is a test key") {
		t.Errorf("created: %d\n%s", got.StatusCode, got.body)
	}
	w.post(t, "/keys/new", "/keys", "name", "Shop", "verify", "1")
	keys, err := w.store.Keys(t.Context())
	if err != nil || len(keys) != 2 || keys[0].Test == keys[1].Test {
		t.Fatalf("%+v, %v", keys, err)
	}
	if got := w.get(t, "/keys").body; strings.Count(got, `<span class="pill calm">Test</span>`) != 1 || !strings.Contains(got, "Not counted") {
		t.Errorf("the list:\n%s", got)
	}
	for _, key := range keys {
		page := "/keys/" + key.ID + "/edit"
		form := w.get(t, page).body
		if strings.Contains(form, `name="test"`) || strings.Contains(form, "stays one") != key.Test {
			t.Errorf("%s:\n%s", page, form)
		}
		w.post(t, page, page, append(filledIn(form), "test", "1")...)
		if after, err := w.store.Key(t.Context(), key.ID); err != nil || after.Test != key.Test {
			t.Errorf("%s became %+v, %v", key.ID, after, err)
		}
	}
}

// TestRotateKey: the page says what will happen, the new key is shown once,
// both work until the time that was chosen, and stand together.
func TestRotateKey(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	old, err := w.store.CreateKey(t.Context(), store.ByCommand("test"), aKey(w))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.CreateKey(t.Context(), store.ByCommand("test"), store.Key{Name: "Another", Hash: store.HashOf("a")}); err != nil {
		t.Fatal(err)
	}
	page := "/keys/" + old.ID + "/rotate"
	if got := w.get(t, page).body; !strings.Contains(got, "What will happen") || !strings.Contains(got, "until 22 Nov 2026, 11:00 UTC") ||
		strings.Count(got, "until 23 Nov 2026, 16:00 UTC") != 1 { // it would end before the seven days have passed
		t.Errorf("%s", got)
	}
	if got := w.post(t, page, page, "overlap", "100d"); got.StatusCode != 422 || len(wrongFields(t, got.body)) != 1 {
		t.Errorf("an overlap that is not offered: %d", got.StatusCode)
	}
	got := w.post(t, page, page, "overlap", "1h")
	keys, err := w.store.Keys(t.Context())
	if err != nil || len(keys) != 3 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	fresh := keys[slices.IndexFunc(keys, func(k store.Key) bool { return k.ID == successors(keys)[old.ID] })]
	text := got.body[strings.Index(got.body, `id="key" tabindex="0">`)+len(`id="key" tabindex="0">`):]
	text = text[:strings.Index(text, "<")]
	if store.HashOf(text) != fresh.Hash || fresh.Replaces != old.ID || !strings.Contains(got.body, "works until 22 Nov 2026, 11:00 UTC") {
		t.Errorf("%+v\n%s", fresh, got.body)
	}
	list := w.get(t, "/keys").body
	first, second, third := strings.Index(list, `<tr id="`+fresh.ID), strings.Index(list, `<tr id="`+old.ID+`" class="below"`), strings.Index(list, "Another")
	if first < 0 || second < first || strings.Contains(list, text) || first < third && third < second {
		t.Errorf("the two do not stand together: %d, %d, %d", first, second, third)
	}
	for _, fact := range []string{"Ends in 1 h", "Replaced by the key above", "Replaces <span", "/keys/" + fresh.ID + "/rotate"} {
		if !strings.Contains(list, fact) {
			t.Errorf("no %q in the list", fact)
		}
	}
	if strings.Contains(list, page) {
		t.Error("a key can be rotated twice")
	}
	for _, again := range []answer{w.get(t, page), w.post(t, "/keys", page, "overlap", "1h")} {
		if again.StatusCode != http.StatusConflict {
			t.Errorf("rotated twice: %d", again.StatusCode)
		}
	}
	w.clock.Advance(time.Hour)
	if list := w.get(t, "/keys").body; strings.Contains(list, `<tr id="`+old.ID) || !strings.Contains(list, `<tr id="`+fresh.ID) {
		t.Error("the old key has not ended by itself")
	}
	if ended := w.get(t, "/keys?show=ended").body; !strings.Contains(ended, `<tr id="`+old.ID) || !strings.Contains(ended, fresh.ID) {
		t.Error("the old key does not tell what replaced it")
	}
	page = "/keys/" + fresh.ID + "/rotate"
	if got := w.post(t, page, page, "overlap", "0"); !strings.Contains(got.body, "which has ended") {
		t.Errorf("at once: %d\n%s", got.StatusCode, got.body)
	}
	if key, err := w.store.Key(t.Context(), fresh.ID); err != nil || key.Usable(w.clock.Now()) {
		t.Errorf("%+v, %v", key, err)
	}
}

// TestTogether: chains stay in their order, and what is not listed breaks none.
func TestTogether(t *testing.T) {
	chain := []store.Key{{ID: "other"}, {ID: "c", Replaces: "b"}, {ID: "x", Replaces: "gone"}, {ID: "b", Replaces: "a"}, {ID: "last"}, {ID: "a"}}
	var order string
	for _, key := range together(chain, successors(chain)) {
		order += key.ID + " "
	}
	if order != "other c b a x last " {
		t.Error(order)
	}
}
