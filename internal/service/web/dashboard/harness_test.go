package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/testkit"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testLogin    = "ada@acme.example"
	testPassword = "correct horse battery"
)

// newClock is some time after midnight, so that a test of an hour stays within
// a day.
func newClock() *testkit.Clock {
	return testkit.NewClock(time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC))
}

// keys are the keys of a store, without what a server has around them.
type keys struct{ store *store.Store }

func (k keys) Create(ctx context.Context, key store.Key) (string, store.Key, error) {
	text := "rcpt_" + strings.NewReplacer("-", "0", "_", "0").Replace(secret()) + "4kQ2xZ"
	key.Hash = store.HashOf(text)
	key, err := k.store.CreateKey(ctx, key)
	return text, key, err
}

func (k keys) Update(ctx context.Context, key store.Key) error { return k.store.UpdateKey(ctx, key) }

func (k keys) Rotate(ctx context.Context, id string, until time.Time) (string, store.Key, error) {
	text := "rcpt_" + strings.NewReplacer("-", "0", "_", "0").Replace(secret()) + "4kQ2xZ"
	key, err := k.store.RotateKey(ctx, id, store.HashOf(text), until)
	return text, key, err
}

func (k keys) Revoke(ctx context.Context, id string) error { return k.store.RevokeKey(ctx, id) }

// world is a dashboard over a store of its own, with passwords that cost
// nothing.
type world struct {
	*Dashboard
	store  *store.Store
	clock  *testkit.Clock
	server *httptest.Server
	hashes atomic.Int64 // passwords that were hashed
	client *http.Client
}

// newWorld makes one; change may be nil.
func newWorld(t *testing.T, change func(*Config)) *world {
	t.Helper()
	w := &world{clock: newClock()}
	w.store = openStore(t, w.clock.Now)
	config := Config{Store: w.store, Keys: keys{w.store}, Check: checked, Now: w.clock.Now}
	if change != nil {
		change(&config)
	}
	var err error
	if w.Dashboard, err = New(config); err != nil {
		t.Fatal(err)
	}
	w.passwords.derive = func(password, salt []byte) []byte {
		w.hashes.Add(1)
		sum := store.HashOf(string(salt) + string(password))
		return sum[:]
	}
	w.server = httptest.NewServer(w.Handler())
	t.Cleanup(w.server.Close)
	w.client = w.browser()
	return w
}

func openStore(t *testing.T, now func() time.Time) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{DataDir: t.TempDir(), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// browser is a client with cookies of its own, which does not follow redirects.
func (w *world) browser() *http.Client {
	jar, _ := cookiejar.New(nil)
	return &http.Client{Jar: jar, Transport: w.server.Client().Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// answer is a response with its body.
type answer struct {
	*http.Response
	body string
}

func (w *world) do(t *testing.T, client *http.Client, request *http.Request) answer {
	t.Helper()
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var body strings.Builder
	if err := response.Write(&body); err != nil {
		t.Fatal(err)
	}
	return answer{response, body.String()}
}

func (w *world) get(t *testing.T, path string) answer {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, w.server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.do(t, w.client, request)
}

var tokenField = regexp.MustCompile(`name="token" value="([^"]+)"`)

// post sends a form of the page from, with its token.
func (w *world) post(t *testing.T, from, to string, fields ...string) answer {
	t.Helper()
	form := fieldsOf(fields)
	if token := tokenField.FindStringSubmatch(w.get(t, from).body); token != nil {
		form.Set("token", token[1])
	}
	return w.send(t, to, form)
}

// fieldsOf makes a form of names and values.
func fieldsOf(pairs []string) url.Values {
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

func (w *world) send(t *testing.T, to string, form url.Values) answer {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, w.server.URL+to, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", w.server.URL)
	return w.do(t, w.client, request)
}

// setUp makes the first account and leaves the client signed in.
func (w *world) setUp(t *testing.T) {
	t.Helper()
	link, err := w.SetupURL(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimPrefix(link, "/setup?token=")
	got := w.post(t, link, "/setup", "link", token, "login", testLogin, "password", testPassword, "repeated", testPassword)
	if got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/keys" {
		t.Fatalf("set-up: %d\n%s", got.StatusCode, got.body)
	}
}

func (w *world) signInAs(t *testing.T, login, password string) answer {
	t.Helper()
	return w.post(t, "/sign-in", "/sign-in", "login", login, "password", password)
}

// sessionText is the client's cookie for the session, or nothing.
func (w *world) sessionText(t *testing.T) string {
	t.Helper()
	at, err := url.Parse(w.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range w.client.Jar.Cookies(at) {
		if cookie.Name == sessionCookie {
			return cookie.Value
		}
	}
	return ""
}

// checked answers by the local-part, as a mail world would.
func checked(_ context.Context, address string) (engine.Result, error) {
	user, domain, _ := strings.Cut(address, "@")
	host := "mx1." + domain
	details := &engine.Details{
		Reason: engine.ReasonRecipientAccepted, CatchAll: engine.CatchAllNo, Duration: 412 * time.Millisecond, CheckedAt: newClock().Now(),
		MX:   []engine.MX{{Host: host, Preference: 10}, {Host: "mx2." + domain, Preference: 20}},
		SMTP: &engine.SMTPAnswer{Host: host, IP: "192.0.2.25", Phase: smtp.PhaseRCPT, Code: 250, Enhanced: "2.1.5", Text: "Ok"},
	}
	result := engine.Result{Email: address, User: user, Domain: domain, Success: true, Verdict: engine.VerdictDeliverable,
		Message: "The mail host takes mail for this mailbox and refuses unknown ones.", Details: details}
	reply := "250 2.1.5 Ok"
	switch user {
	case "nobody":
		result.Verdict, details.Reason = engine.VerdictUndeliverable, engine.ReasonMailboxNotFound
		result.Message = "The mail host says that the mailbox does not exist."
		reply = "550 5.1.1 <" + address + ">: Recipient address rejected: User unknown in local recipient table"
		details.SMTP.Code, details.SMTP.Enhanced, details.SMTP.Rule = 550, "5.1.1", "no-such-user"
		details.SMTP.Text = strings.TrimPrefix(reply, "550 5.1.1 ")
	case "late":
		result.Verdict, details.Reason, details.RetryAfter = engine.VerdictUnknown, engine.ReasonGreylisted, 5*time.Minute
		result.Message = "The mail host asks every new sender to come back later (greylisting); try again."
		reply, details.CatchAll = "450 4.2.0 <"+address+">: Recipient address rejected: Greylisted", engine.CatchAllUnknown
		details.SMTP.Code, details.SMTP.Enhanced, details.SMTP.Rule = 450, "4.2.0", "greylisted"
		details.SMTP.Text = strings.TrimPrefix(reply, "450 4.2.0 ")
	case "broken":
		return result, errors.New("the fault of this test")
	case "busy":
		return result, engine.ErrBusy
	}
	details.Transcript = []smtp.Line{
		{From: "*", Text: "connected to 192.0.2.25, port 25", At: 0},
		{From: "S", Text: "220 " + host + " ESMTP", At: 98 * time.Millisecond},
		{From: "C", Text: "EHLO verify.acme.example", At: 98 * time.Millisecond},
		{From: "S", Text: "250-" + host, At: 197 * time.Millisecond},
		{From: "S", Text: "250-PIPELINING", At: 197 * time.Millisecond},
		{From: "S", Text: "250-STARTTLS", At: 197 * time.Millisecond},
		{From: "S", Text: "250 ENHANCEDSTATUSCODES", At: 197 * time.Millisecond},
		{From: "C", Text: "MAIL FROM:<>", At: 198 * time.Millisecond},
		{From: "C", Text: "RCPT TO:<" + address + ">", At: 198 * time.Millisecond},
		{From: "C", Text: "RCPT TO:<q7hx2mzk4d@" + domain + ">", At: 198 * time.Millisecond},
		{From: "S", Text: "250 2.1.0 Ok", At: 301 * time.Millisecond},
		{From: "S", Text: reply, At: 302 * time.Millisecond},
		{From: "S", Text: "550 5.1.1 <q7hx2mzk4d@" + domain + ">: Recipient address rejected: User unknown", At: 302 * time.Millisecond},
		{From: "C", Text: "RSET", At: 303 * time.Millisecond},
		{From: "S", Text: "250 2.0.0 Ok", At: 401 * time.Millisecond},
	}
	return result, nil
}
