package dashboard

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard/dashboardtest"
)

// TestSetUp: a link works once and for a day, and no link is made once an
// account exists.
func TestSetUp(t *testing.T) {
	w := newWorld(t, nil)
	if got := w.get(t, "/sign-in"); !strings.Contains(got.body, "No account yet") {
		t.Errorf("sign-in before there is an account: %d", got.StatusCode)
	}
	stale, err := w.SetupURL(t.Context(), "http://127.0.0.1:8080/")
	if err != nil || !strings.HasPrefix(stale, "http://127.0.0.1:8080/setup?token=") {
		t.Fatalf("%s, %v", stale, err)
	}
	w.clock.Advance(setupLifetime)
	for _, link := range []string{stale[len("http://127.0.0.1:8080"):], "/setup", "/setup?token=x"} {
		if got := w.get(t, link); got.StatusCode != http.StatusNotFound || strings.Contains(got.body, `name="password"`) {
			t.Errorf("%s: %d", link, got.StatusCode)
		}
	}
	link, _ := w.SetupURL(t.Context(), "")
	text := strings.TrimPrefix(link, "/setup?token=")
	for name, c := range map[string][3]string{
		"short":      {"ada", "elevenchars", "elevenchars"},
		"different":  {"ada", testPassword, testPassword + "x"},
		"login":      {"ada@acme.example", "ada@acme.example", "ada@acme.example"},
		"no login":   {" ", testPassword, testPassword},
		"long login": {strings.Repeat("x", 300), testPassword, testPassword},
		"odd login":  {"a\x00b", testPassword, testPassword},
	} {
		if got := w.post(t, link, "/setup", "link", text, "login", c[0], "password", c[1], "repeated", c[2]); got.StatusCode != 422 || !strings.Contains(got.body, "note bad") {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
	}
	if n := w.hashes.Load(); n != 0 {
		t.Errorf("%d passwords were hashed for nothing", n)
	}
	if got := w.post(t, link, "/setup", "link", text, "login", testLogin, "password", testPassword, "repeated", testPassword); got.StatusCode != 303 {
		t.Fatalf("%d\n%s", got.StatusCode, got.body)
	}
	if got := w.post(t, "/keys", "/setup", "link", text, "login", "eve", "password", testPassword, "repeated", testPassword); got.StatusCode != 404 {
		t.Errorf("a second account by the same link: %d", got.StatusCode)
	}
	if link, err := w.SetupURL(t.Context(), ""); link != "" || err != nil {
		t.Errorf("another link: %q, %v", link, err)
	}
}

// TestKeys: a key is shown once, used, and revoked with a question first.
func TestKeys(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	if got := w.get(t, "/keys"); !strings.Contains(got.body, "No keys yet") {
		t.Errorf("no empty state: %d", got.StatusCode)
	}
	got := w.post(t, "/keys/new", "/keys", "name", "Sign-up", "verify", "1", "usage", "1", "rate", "2.5", "burst", "10", "concurrency", "4", "quota", "10,000",
		"expires", "2027-01-31", "networks", "192.0.2.17, 2001:db8::1/32")
	all, err := w.store.Keys(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	key := all[0]
	if key.Name != "Sign-up" || len(key.Scopes) != 2 || key.RatePerSecond != 2.5 || key.Burst != 10 || key.Concurrency != 4 || key.MonthlyQuota != 10000 ||
		!key.Expires.Equal(time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC)) || len(key.Networks) != 2 || key.Networks[1].String() != "2001:db8::/32" || key.Account == "" {
		t.Errorf("%+v", key)
	}
	text := got.body[strings.Index(got.body, `id="key" tabindex="0">`)+len(`id="key" tabindex="0">`):]
	text = text[:strings.Index(text, "<")]
	if store.HashOf(text) != key.Hash || strings.Count(got.body, text) != 5 {
		t.Errorf("%q is not the key, or not in all four programs", text)
	}
	if got := w.get(t, "/keys"); strings.Contains(got.body, text) || !strings.Contains(got.body, "$RCPT_API_KEY") || !strings.Contains(got.body, "of 10,000") {
		t.Error("the list is wrong")
	}
	page := "/keys/" + key.ID + "/revoke"
	if got := w.get(t, page); got.StatusCode != http.StatusOK {
		t.Errorf("question: %d", got.StatusCode)
	}
	if key, _ := w.store.Key(t.Context(), key.ID); !key.Revoked.IsZero() {
		t.Error("the question alone revoked the key")
	}
	if got := w.post(t, page, page); got.StatusCode != http.StatusSeeOther {
		t.Errorf("revoke: %d", got.StatusCode)
	}
	if key, _ := w.store.Key(t.Context(), key.ID); key.Revoked.IsZero() {
		t.Error("the key is not revoked")
	}
	if got := w.get(t, "/keys?show=ended"); !strings.Contains(got.body, "Sign-up") || strings.Contains(got.body, page) {
		t.Error("the revoked key is not in its list, or can be revoked again")
	}
}

// TestManyKeys: the list is cut into pages, the latest first.
func TestManyKeys(t *testing.T) {
	var keys []store.Key
	for range 2*keysPerPage + 1 {
		keys = append(keys, store.Key{})
	}
	for number, want := range map[int]int{-1: keysPerPage, 0: keysPerPage, 1: keysPerPage, 2: keysPerPage, 3: 1, 99: 1} {
		var view keysView
		if got := view.turnTo(number, keys); len(got) != want || view.Pages != 3 {
			t.Errorf("page %d of %d has %d keys, want %d", number, view.Pages, len(got), want)
		}
	}
	var none keysView
	if got := none.turnTo(2, nil); len(got) != 0 || none.Pages != 1 {
		t.Errorf("%+v", none)
	}
}

// TestKeyForm: what cannot be meant is refused.
func TestKeyForm(t *testing.T) {
	now := newClock().Now()
	good := keyForm{Name: "x", Verify: true}
	if _, faults := good.key(now); len(faults) > 0 {
		t.Error(faults)
	}
	for name, c := range map[string]struct {
		field  string
		change func(*keyForm)
	}{
		"no name":            {"name", func(f *keyForm) { f.Name = "" }},
		"long name":          {"name", func(f *keyForm) { f.Name = strings.Repeat("x", 101) }},
		"control characters": {"name", func(f *keyForm) { f.Name = "a\nb" }},
		"not UTF-8":          {"name", func(f *keyForm) { f.Name = "a\xff" }},
		"no scope":           {"verify", func(f *keyForm) { f.Verify = false }},
		"rate zero":          {"rate", func(f *keyForm) { f.Rate = "0" }},
		"rate below":         {"rate", func(f *keyForm) { f.Rate = "-1" }},
		"rate NaN":           {"rate", func(f *keyForm) { f.Rate = "NaN" }},
		"rate infinite":      {"rate", func(f *keyForm) { f.Rate = "Inf" }},
		"rate in words":      {"rate", func(f *keyForm) { f.Rate = "ten" }},
		"burst alone":        {"burst", func(f *keyForm) { f.Burst = "5" }},
		"quota zero":         {"quota", func(f *keyForm) { f.Quota = "0" }},
		"quota below":        {"quota", func(f *keyForm) { f.Quota = "-5" }},
		"quota too large":    {"quota", func(f *keyForm) { f.Quota = "99999999999999999999" }},
		"half a request":     {"concurrency", func(f *keyForm) { f.Concurrency = "0.5" }},
		"yesterday":          {"expires", func(f *keyForm) { f.Expires = "2026-11-21" }},
		"no date":            {"expires", func(f *keyForm) { f.Expires = "tomorrow" }},
		"no network":         {"networks", func(f *keyForm) { f.Net = "acme.example" }},
		"many networks":      {"networks", func(f *keyForm) { f.Net = strings.Repeat("192.0.2.1 ", 65) }},
		"address with zone":  {"networks", func(f *keyForm) { f.Net = "fe80::1%eth0" }},
	} {
		form := good
		c.change(&form)
		if _, faults := form.key(now); len(faults) != 1 || faults[0].Field != c.field {
			t.Errorf("%s: %v, want a fault of %s", name, faults, c.field)
		}
	}
	form := good
	form.Expires = "2026-11-22"
	if key, faults := form.key(now); len(faults) > 0 || !key.Usable(now) {
		t.Errorf("until today: %v, %v", key.Expires, faults)
	}
	form.Rate = "1,200/h"
	if key, faults := form.key(now); len(faults) > 0 || key.RatePerSecond != 1200.0/3600 {
		t.Errorf("%v, %v", key.RatePerSecond, faults)
	}
}

// TestCheck: the page has all that was found out, and script gets the outcome
// alone.
func TestCheck(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	got := w.post(t, "/check", "/check", "email", " nobody@acme.example ")
	for _, fact := range []string{"undeliverable", "mailbox_not_found", "does not exist", "mx2.acme.example", "192.0.2.25", "EHLO verify.acme.example",
		"550 5.1.1", "no-such-user", "Mailbox does not exist", "Remove it: mail to it bounces.", "412 ms"} {
		if !strings.Contains(got.body, strings.ReplaceAll(fact, "'", "&#39;")) {
			t.Errorf("%q is not on the page", fact)
		}
	}
	for address, status := range map[string]int{"": 422, strings.Repeat("x", 1001): 422, "broken@acme.example": 503, "busy@acme.example": 503, "late@acme.example": 200} {
		if got := w.post(t, "/check", "/check", "email", address); got.StatusCode != status || strings.Contains(got.body, "the fault of this test") {
			t.Errorf("%.30q: %d, want %d", address, got.StatusCode, status)
		}
	}
	form := url.Values{"email": {"ada@acme.example"}, "token": {tokenOf(w.sessionText(t))}}
	request, _ := http.NewRequest(http.MethodPost, w.server.URL+"/check", strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("X-Part", "outcome")
	if part := w.do(t, w.client, request); part.Header.Get("X-Part") != "outcome" || strings.Contains(part.body, "<html") || !strings.Contains(part.body, "deliverable") {
		t.Errorf("part: %d\n%s", part.StatusCode, part.body)
	}
}

// TestSamples: an empty page offers them, each sent as the address that is
// typed would be; a page with an outcome does not.
func TestSamples(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Samples = []Sample{{Address: "late@acme.example", About: "a greylisting host"}} })
	w.setUp(t)
	if got := w.get(t, "/check").body; !strings.Contains(got, `name="email" value="late@acme.example">late@acme.example</button>`) || !strings.Contains(got, "a greylisting host") {
		t.Errorf("no sample:\n%s", got)
	}
	if got := w.post(t, "/check", "/check", "email", "late@acme.example").body; !strings.Contains(got, "greylisted") || strings.Contains(got, "Addresses to try") {
		t.Errorf("outcome:\n%s", got)
	}
}

// TestPath: a way ends where something was proven, and a host that refuses us
// is no bad news about the mailbox.
func TestPath(t *testing.T) {
	tones := func(r rcpt.Result) (text string) {
		for _, s := range pathOf(r) {
			text += s.Tone + " "
		}
		return strings.TrimSpace(text)
	}
	at := func(reason rcpt.Reason, code int) rcpt.Result {
		r, _ := dashboardtest.Checked(t.Context(), "ada@acme.example")
		r.Reason, r.Details.SMTP.Code = reason, code
		return r
	}
	syntax := rcpt.Result{Reason: rcpt.ReasonInvalidSyntax, Details: &rcpt.Details{}}
	gone := rcpt.Result{Reason: rcpt.ReasonDomainNotFound, Details: &rcpt.Details{}}
	skipped := rcpt.Result{Reason: rcpt.ReasonLevelReached, Details: &rcpt.Details{}}
	for want, r := range map[string]rcpt.Result{
		"good good good good good": at(rcpt.ReasonRecipientAccepted, 250),
		"good good good bad good":  at(rcpt.ReasonMailboxNotFound, 550),
		"good good good calm good": at(rcpt.ReasonBlocked, 554),
		"bad idle idle idle idle":  syntax,
		"good good bad idle idle":  gone,
		"good good idle idle idle": skipped,
	} {
		if got := tones(r); got != want {
			t.Errorf("%s: %s, want %s", r.Reason, got, want)
		}
	}
	loopback := rcpt.Result{Verdict: rcpt.VerdictUndeliverable, Reason: rcpt.ReasonMXReservedAddress, Details: &rcpt.Details{MX: []rcpt.MX{{Host: "mx.acme.example"}}}}
	if got := tones(loopback); got != "good good bad idle idle" {
		t.Errorf("a proven fault of the DNS: %s", got)
	}
}

// TestUsage: the figures of the page are those of the store, by key where one
// is chosen.
func TestUsage(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	if got := w.get(t, "/usage"); !strings.Contains(got.body, "No checks in this period") {
		t.Error("no empty state")
	}
	key, err := w.store.CreateKey(t.Context(), store.ByCommand("test"), store.Key{Name: "Sign-up", Hash: store.HashOf("k"), MonthlyQuota: 100})
	if err != nil {
		t.Fatal(err)
	}
	now := w.clock.Now()
	for range 3 {
		w.store.RecordUse(store.Use{Key: key.ID, At: now, Result: "deliverable", Reason: "recipient_accepted", Duration: 200 * time.Millisecond})
	}
	w.store.RecordUse(store.Use{Key: KeyID, At: now.AddDate(0, 0, -2), Result: "undeliverable", Reason: "mailbox_not_found", Cached: true})
	w.store.RecordUse(store.Use{Key: KeyID, At: now.AddDate(0, 0, -20), Result: "unknown", Reason: "blocked"})
	if err := w.store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.ReserveQuota(t.Context(), key.ID, now, 3, 100); err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string][]string{
		"/usage":                          {">5</strong>", "20% remembered", "mailbox_not_found", "blocked", "Dashboard", "97 left"},
		"/usage?days=7":                   {">4</strong>", "Dashboard"},
		"/usage?key=" + key.ID:            {">3</strong>", "Sign-up", `<option value="` + KeyID + `">`},
		"/usage?days=x&key=no-such":       {">5</strong>"},
		"/usage?days=90&key=" + KeyID:     {">2</strong>"},
		"/usage?days=7&key=" + FixedKeyID: {"No checks in this period"},
	} {
		got := w.get(t, target)
		for _, fact := range want {
			if !strings.Contains(got.body, fact) {
				t.Errorf("%s: no %s", target, fact)
			}
		}
	}
}

// TestPercentiles compares with what the buckets allow to know.
func TestPercentiles(t *testing.T) {
	var l latency
	if l.text(0.5) != "–" {
		t.Errorf("of nothing: %s", l.text(0.5))
	}
	l[4] = 100 // 100 to 250 ms
	if d, _ := l.percentile(0.5); d != 175*time.Millisecond {
		t.Errorf("the middle of a bucket: %v", d)
	}
	l[0] = 100 // below 1 ms
	if d, _ := l.percentile(0.5); d != time.Millisecond {
		t.Errorf("the end of the first bucket: %v", d)
	}
	l[len(l)-1] = 100
	if text := l.text(0.99); text != "> 30 s" {
		t.Errorf("the last bucket: %s", text)
	}
}

// TestChart: bars stand on the ground, within the drawing, and on their days.
func TestChart(t *testing.T) {
	first := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	c := chartOf([]store.Usage{
		{Day: first, Result: "deliverable", Count: 30}, {Day: first, Result: "unknown", Count: 10},
		{Day: first.AddDate(0, 0, 6), Result: "undeliverable", Count: 1}, {Day: first.AddDate(0, 0, 7), Result: "unknown", Count: 999},
		{Day: first.AddDate(0, 0, -1), Result: "unknown", Count: 999}, {Day: first, Result: "nonsense", Count: 999},
	}, first, 7)
	if c.Highest != 40 || !c.Busiest.Equal(first) || c.Ticks[0] != "40" || c.Ticks[4] != "0" {
		t.Errorf("%+v", c)
	}
	day := c.Bars[0]
	if len(day.Parts) != 2 || day.Parts[0].Y+day.Parts[0].H != chartHeight || day.Parts[1].Y != 0 || day.Parts[1].Y+day.Parts[1].H != day.Parts[0].Y {
		t.Errorf("%+v", day)
	}
	if c.Bars[6].Total != 1 || c.Bars[3].Total != 0 || day.Tip != "16 Nov 2026: 40 checks\n30 deliverable\n10 unknown" {
		t.Errorf("%+v", c.Bars)
	}
	for highest, want := range map[int64]int64{0: 4, 4: 4, 5: 8, 13: 16, 240: 240, 241: 320, 1_000_001: 1_200_000} {
		if got := roundTop(highest); got != want {
			t.Errorf("the top above %d is %d, want %d", highest, got, want)
		}
	}
}

// TestFormats are how figures are written.
func TestFormats(t *testing.T) {
	for got, want := range map[string]string{
		groupedCount(0): "0", groupedCount(999): "999", groupedCount(1000): "1,000", groupedCount(-1234567): "−1,234,567",
		percent(0, 0): "0%", percent(1, 1000): "<1%", percent(999, 1000): ">99%", percent(1, 2): "50%", percent(7, 7): "100%",
		took(0): "< 1 ms", took(854 * time.Millisecond): "854 ms", took(2340 * time.Millisecond): "2.3 s", took(42 * time.Second): "42 s",
		took(5 * time.Minute): "5 min", took(47 * time.Hour): "47 h", took(72 * time.Hour): "3 days",
		lastDay(newClock().Now().Truncate(24 * time.Hour)): "21 Nov 2026", lastDay(newClock().Now()): "22 Nov 2026, 10:00 UTC",
		briefCount(9_999_999): "9,999,999", briefCount(12_340_000): "12.3M", briefCount(1_500_000_000): "1,500M",
		shortCount(9999): "9,999", shortCount(12500): "12.5k", shortCount(40_000_000): "40M",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestHealth: faults are counted and named, and what is not known is said to
// be.
func TestHealth(t *testing.T) {
	var health Health
	w := newWorld(t, func(c *Config) { c.Health = func(context.Context) Health { return health } })
	w.setUp(t)
	shows := func(what string, facts ...string) {
		t.Helper()
		got := w.get(t, "/health")
		for _, fact := range facts {
			if !strings.Contains(got.body, fact) {
				t.Errorf("%s: %d without %q", what, got.StatusCode, fact)
			}
		}
		if !strings.Contains(strings.Join(facts, ""), "Everything works") && strings.Contains(got.body, "Everything works") {
			t.Errorf("%s: everything works", what)
		}
	}
	shows("nothing is known", "Not tested yet", "SQLite")
	now := w.clock.Now()
	health = Health{Checks: []NetworkCheck{{Name: "DNS resolver"}, {Name: "Port 25"}}, Resolvers: []Resolver{{Server: "192.0.2.53"}}, Hour: &Hour{}}
	shows("nothing was asked", "Not tested yet: <a href=\"/check\">check an address", "nothing checked yet", "None yet")
	health.Checks[0] = NetworkCheck{Name: "DNS resolver", Tested: true, Since: now.Add(-2 * time.Hour), Checked: now.Add(-time.Minute)}
	health.Hour = &Hour{Checked: 1200, Unknown: 60, Mostly: rcpt.ReasonGreylisted}
	shows("the resolver works", "Everything works", ">Working<", "1 min ago", "5%", ">of 1,200<")
	health.Checks[1] = NetworkCheck{Name: "Port 25", Tested: true, Fault: "no mail host can be reached", Advice: "Ask your hoster.", Since: now.Add(-3 * time.Hour), Checked: now}
	health.Hour = &Hour{Checked: 100, Unknown: 96, Mostly: rcpt.ReasonPortBlocked}
	shows("port 25 is closed", "2 things need your attention", "<strong>Port 25</strong>: no mail host can be reached. Ask your hoster.", ">for 3 h<",
		"<strong>Results</strong>: 96% of the addresses checked in the last hour are “unknown”, most often for the reason “Port 25 is closed here”")
	health = Health{Hour: &Hour{Checked: 19, Unknown: 19, Mostly: rcpt.ReasonPortBlocked}, Egresses: []Egress{{Name: "direct", LastReply: now}}}
	shows("some unknown are no sign", "Everything works", "100%")
	health = Health{
		Egresses: []Egress{{Name: "192.0.2.8", Fault: "port 25 is closed"}, {Name: "192.0.2.9"}, {Name: "192.0.2.10", LastReply: now,
			Said: []Said{{Provider: "google", Reply: "550 5.1.1", Meaning: "no such user", At: now.Add(-time.Minute)}}}, {Name: "old", Leaving: true, Sessions: 3}},
		Preset: "careful",
		Pace: []Pace{{Provider: "big.example", Until: now.Add(5 * time.Minute), Waiting: 1, Sessions: 0, Allowed: 5}, {Provider: "small.example", Slowed: true, Sessions: 1, Allowed: -1},
			{Provider: "google", Slowed: true, Harvesting: true, Reason: "74% of its mailboxes do not exist", Sessions: 2, Allowed: 2, Waiting: 12345}, {Provider: "calm.example", Sessions: 3, Allowed: -1}},
		Resolvers: []Resolver{{Server: "192.0.2.53", LastAnswer: now.Add(-time.Hour)}}, Queue: &Queue{Running: 1234}, Cache: &Cache{Entries: 9, Asked: 4, Found: 2},
	}
	healthy := health
	health = Health{
		Examination: &Examination{At: now.Add(-time.Hour), Passed: 12, Findings: []Finding{
			{Fault: true, Where: "PTR record 192.0.2.8, direct", Found: "no PTR record", Why: "Many refuse.", Do: "Ask your hoster."}, {Where: "clock", Found: "it is behind"}}},
		Blocks: []Block{{Provider: "t_online", Count: 3, Last: now, Reply: "554", Cause: "It knows us not.", Do: "Write to it."}},
	}
	shows("an examination", "1 thing needs your attention", "<strong>PTR record 192.0.2.8, direct</strong>: no PTR record. Ask your hoster.", "12 checks passed",
		"Many refuse.", ">Warning<", "it is behind", "It knows us not.", "Write to it.")
	health = healthy
	got := w.get(t, "/health")
	for _, fact := range []string{"3 things need your attention", "<strong>Egress 192.0.2.8</strong>: port 25 is closed", "Not tested yet", ">Working<", "google: no such user (550 5.1.1)", ">Being removed<", ">open sessions: 3<", "<strong>Provider big.example</strong>: paused for 5 min", ">Slowed<",
		"<strong>Provider google</strong>: 74% of its mailboxes do not exist, which looks like address harvesting", ">careful<", ">0 of 5 sessions, 1 address waits<", ">1 session<",
		">2 of 2 sessions, 12,345 addresses wait<", ">3 sessions<", ">As allowed<", "1 h ago", "1,234", ">9</strong>", "50% of requests since the start"} {
		if !strings.Contains(got.body, fact) {
			t.Errorf("no %q", fact)
		}
	}
}

// TestTheme: the choice is in the page and stays.
func TestTheme(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	for _, c := range []struct{ choice, want string }{{"dark", "dark"}, {"light", "light"}, {"auto", "auto"}, {`x" onload="`, "auto"}} {
		if got := w.post(t, "/usage", "/theme", "theme", c.choice, "back", "/usage"); got.Header.Get("Location") != "/usage" {
			t.Errorf("%s: back to %s", c.choice, got.Header.Get("Location"))
		}
		if !strings.Contains(w.get(t, "/usage").body, `data-theme="`+c.want+`"`) {
			t.Errorf("%s is not in the page", c.choice)
		}
	}
}

// TestStoreLost: without the database the pages say so, and that it may pass.
func TestStoreLost(t *testing.T) {
	var lost *store.Store
	w := newWorld(t, func(c *Config) {
		var err error
		if lost, err = store.Open(t.Context(), store.Options{DataDir: t.TempDir(), Now: c.Now}); err != nil {
			t.Fatal(err)
		}
		c.Store = lost
	})
	w.setUp(t)
	if err := lost.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/keys", "/usage", "/check", "/health"} {
		if got := w.get(t, path); got.StatusCode < 500 || strings.Contains(got.body, "sql") {
			t.Errorf("%s: %d\n%s", path, got.StatusCode, got.body)
		}
	}
}

// TestConfig: what cannot work is refused at once.
func TestConfig(t *testing.T) {
	s := dashboardtest.OpenStore(t, nil)
	for name, c := range map[string]Config{
		"nothing":         {},
		"no check":        {Store: s, Keys: dashboardtest.Keys{Store: s}},
		"URL with a path": {Store: s, Keys: dashboardtest.Keys{Store: s}, Check: dashboardtest.Checked, PublicURL: "https://rcpt.example/app"},
		"URL of a file":   {Store: s, Keys: dashboardtest.Keys{Store: s}, Check: dashboardtest.Checked, PublicURL: "file:///etc"},
		"no URL":          {Store: s, Keys: dashboardtest.Keys{Store: s}, Check: dashboardtest.Checked, PublicURL: "rcpt.example"},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	d, err := New(Config{Store: s, Keys: dashboardtest.Keys{Store: s}, Check: dashboardtest.Checked, PublicURL: "https://rcpt.example/"})
	if err != nil || d.base(nil) != "https://rcpt.example" {
		t.Error(err)
	}
}
