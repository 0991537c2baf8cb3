package dashboard

import (
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard/dashboardtest"
	"github.com/rcpt/rcpt/internal/testkit"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testLogin    = dashboardtest.Login
	testPassword = dashboardtest.Password
)

func newClock() *testkit.Clock { return testkit.NewClock(dashboardtest.Morning) }

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
	w.store = dashboardtest.OpenStore(t, w.clock.Now)
	config := Config{Store: w.store, Keys: dashboardtest.Keys{Store: w.store}, Check: dashboardtest.Checked, Now: w.clock.Now}
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
	if got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/" {
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
