package dashboard

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// allowed says of every route what becomes of the request of a visitor that is
// not signed in, a viewer, a member and an admin:
//
//	yes   the route is carried out
//	no    a visitor has to sign in; the role of others does not allow it
//	own   yes for what belongs to the account; what belongs to others stays
//	mine  the same, and what belongs to others does not exist
var allowed = map[string]string{
	"GET /{$}":                              "no yes yes yes",
	"GET /about-verification":               "yes yes yes yes",
	"GET /setup":                            "yes yes yes yes",
	"POST /setup":                           "yes yes yes yes",
	"GET /sign-in":                          "yes yes yes yes",
	"POST /sign-in":                         "yes yes yes yes",
	"POST /sign-out":                        "no yes yes yes",
	"POST /theme":                           "yes yes yes yes",
	"GET /keys":                             "no yes yes yes",
	"POST /keys":                            "no no yes yes",
	"GET /keys/new":                         "no no yes yes",
	"GET /keys/{id}/edit":                   "no no own yes",
	"POST /keys/{id}/edit":                  "no no own yes",
	"GET /keys/{id}/rotate":                 "no no own yes",
	"POST /keys/{id}/rotate":                "no no own yes",
	"GET /keys/{id}/revoke":                 "no no own yes",
	"POST /keys/{id}/revoke":                "no no own yes",
	"GET /webhooks":                         "no yes yes yes",
	"GET /webhooks/{id}":                    "no yes yes yes",
	"GET /webhooks/receivers":               "no no yes yes",
	"POST /webhooks/receivers/{key}/test":   "no no own yes",
	"POST /webhooks/receivers/{key}/secret": "no no own yes",
	"POST /webhooks/{id}/resend":            "no no own yes",
	"GET /check":                            "no no yes yes",
	"POST /check":                           "no no yes yes",
	"GET /usage":                            "no yes yes yes",
	"GET /usage.csv":                        "no yes yes yes",
	"GET /health":                           "no yes yes yes",
	"GET /team":                             "no no no yes",
	"GET /team/{id}":                        "no no no yes",
	"POST /team/{id}/role":                  "no no no yes",
	"POST /team/{id}/password":              "no no no yes",
	"POST /team/{id}/remove":                "no no no yes",
	"POST /team/invitations":                "no no no yes",
	"POST /team/invitations/{id}/revoke":    "no no no yes",
	"GET /join":                             "yes yes yes yes",
	"POST /join":                            "yes yes yes yes",
	"GET /events":                           "no no no yes",
	"GET /events.csv":                       "no no no yes",
	"GET /account":                          "no yes yes yes",
	"POST /account/password":                "no yes yes yes",
	"GET /lists":                            "no yes yes yes",
	"POST /lists":                           "no no yes yes",
	"GET /new-list/{id}":                    "no no mine mine",
	"POST /new-list/{id}":                   "no no mine mine",
	"POST /new-list/{id}/read":              "no no mine mine",
	"POST /new-list/{id}/drop":              "no no mine mine",
	"GET /lists/{id}":                       "no yes yes yes",
	"GET /lists/{id}/events":                "no yes yes yes",
	"GET /lists/{id}/rows/{file}":           "no yes yes yes",
	"POST /lists/{id}/pause":                "no no own yes",
	"POST /lists/{id}/resume":               "no no own yes",
	"POST /lists/{id}/cancel":               "no no own yes",
	"POST /lists/{id}/again":                "no no own yes",
	"POST /lists/{id}/delete":               "no no own yes",
}

// TestEveryRouteForEveryRole asks for every route as everybody, for things of
// the account itself and of another, and compares what becomes of it. What is
// refused must not have changed anything.
func TestEveryRouteForEveryRole(t *testing.T) {
	w, release := newListWorld(t, jobs.Limits{})
	release()
	crowd := newCrowd(t, w)
	for _, route := range w.routes() {
		want := strings.Fields(allowed[route.pattern])
		if len(want) != len(crowd.people) {
			t.Errorf("%s: what may become of it is not in the table", route.pattern)
			continue
		}
		for i, who := range crowd.people {
			for _, whose := range []string{"own", "other"} {
				owner := who
				if whose == "other" {
					owner = crowd.other
				}
				if got := crowd.outcome(t, route.pattern, who, owner); got != outcomeOf(want[i], whose, who.ID == "") {
					t.Errorf("%s as %q, %s: %s; the table has %q", route.pattern, who.Role, whose, got, want[i])
				}
			}
		}
	}
	if len(allowed) != len(w.routes()) {
		t.Errorf("%d rows for %d routes", len(allowed), len(w.routes()))
	}
}

// outcomeOf reads a cell of the table.
func outcomeOf(cell, whose string, visitor bool) string {
	switch {
	case cell == "no" && visitor:
		return "sign in"
	case cell == "no":
		return "role"
	case cell == "own" && whose == "other":
		return "others"
	case cell == "mine" && whose == "other":
		return "absent"
	}
	return "done"
}

// crowd is a world with somebody of every role.
type crowd struct {
	*world
	people []store.Account // a visitor first
	other  store.Account   // of a thing that is nobody's of these
	made   int
}

func newCrowd(t *testing.T, w *world) *crowd {
	t.Helper()
	c := &crowd{world: w, people: []store.Account{{}}}
	for _, role := range store.Roles() {
		c.people = append(c.people, w.addAccount(t, string(role)+"@acme.example", role))
	}
	c.other = w.addAccount(t, "other@acme.example", store.RoleMember)
	return c
}

// addAccount makes an account with the password of the tests.
func (w *world) addAccount(t *testing.T, login string, role store.Role) store.Account {
	t.Helper()
	hash, err := w.passwords.hash(t.Context(), testPassword)
	if err != nil {
		t.Fatal(err)
	}
	account, err := w.store.CreateAccount(t.Context(), store.ByCommand("test"), store.Account{Login: login, Role: role, Password: hash})
	if err != nil {
		t.Fatal(err)
	}
	return account
}

// outcome is what becomes of the request for a thing of the owner.
func (c *crowd) outcome(t *testing.T, pattern string, who, owner store.Account) string {
	t.Helper()
	if !owner.Role.Includes(store.RoleMember) { // it has no things
		owner = c.other
	}
	method, path, _ := strings.Cut(pattern, " ")
	path = c.thing(t, path, owner)
	before := c.state(t)
	got := c.ask(t, who, method, path)
	to := got.Header.Get("Location")
	switch {
	case got.StatusCode == http.StatusSeeOther && strings.HasPrefix(to, "/sign-in") && to != "/sign-in?bye":
		c.unchanged(t, pattern, before)
		return "sign in"
	case got.StatusCode == http.StatusForbidden && strings.Contains(got.body, "Your role does not allow this"):
		c.unchanged(t, pattern, before)
		return "role"
	case got.StatusCode == http.StatusForbidden && strings.Contains(got.body, "This belongs to somebody else"):
		c.unchanged(t, pattern, before)
		return "others"
	case strings.HasPrefix(path, "/new-list/") && owner.ID == c.other.ID: // it is said in several ways
		c.unchanged(t, pattern, before)
		return "absent"
	case got.StatusCode == http.StatusNotFound && !strings.HasSuffix(pattern, "/setup") && !strings.HasSuffix(pattern, "/join") || got.StatusCode >= 500,
		strings.Contains(got.body, "This form is no longer valid"):
		return fmt.Sprintf("%d\n%s", got.StatusCode, got.body)
	}
	return "done"
}

// ask sends a request in a session of its own, with the token of its forms.
func (c *crowd) ask(t *testing.T, who store.Account, method, path string) answer {
	t.Helper()
	c.client = c.browser()
	at, _ := url.Parse(c.server.URL)
	text, name := secret(), formCookie
	if who.ID != "" {
		name = sessionCookie
		if err := c.store.CreateSession(t.Context(), store.ByCommand("test"), store.Session{Hash: store.HashOf(text), Account: who.ID, Expires: c.clock.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	c.client.Jar.SetCookies(at, []*http.Cookie{{Name: name, Value: text}})
	switch {
	case method == http.MethodGet:
		return c.get(t, path)
	case path == "/lists":
		return c.sendFile(t, tokenOf(text), "list.csv", fewRows)
	}
	return c.send(t, path, url.Values{"token": {tokenOf(text)}, "name": {"changed"}, "verify": {"on"}, "overlap": {defaultOverlap},
		"url": {"https://receiver.example/hook"}, "email": {"ada@acme.example"}})
}

// thing makes what a path names, for its owner.
func (c *crowd) thing(t *testing.T, path string, owner store.Account) string {
	t.Helper()
	id := ""
	var err error
	switch {
	case !strings.Contains(path, "{id}") && !strings.Contains(path, "{key}"):
	case strings.HasPrefix(path, "/keys/"), strings.Contains(path, "{key}"):
		id = c.key(t, owner).ID
	case strings.HasPrefix(path, "/webhooks/"):
		var hook store.Webhook
		hook, err = c.store.AddWebhook(t.Context(), store.ByCommand("test"), store.Webhook{
			Key: c.key(t, owner).ID, Event: "job.completed", URL: "https://receiver.example/hook", Body: json.RawMessage(`{}`)})
		id = hook.ID
	case strings.HasPrefix(path, "/new-list/"):
		c.clock.Advance(time.Millisecond) // the older ones make room
		id = strings.TrimPrefix(c.ask(t, owner, http.MethodPost, "/lists").Header.Get("Location"), "/new-list/")
	case strings.Contains(path, "{file}"), strings.HasSuffix(path, "/again"): // a whole list
		id = strings.TrimPrefix(c.ask(t, owner, http.MethodPost, c.thing(t, "/new-list/{id}", owner)).Header.Get("Location"), "/lists/")
	case strings.HasPrefix(path, "/team/inv"):
		var made store.Invitation
		made, err = c.store.Invite(t.Context(), store.ByVisitor(), store.Invitation{
			Hash: store.HashOf(secret()), Login: "ben", Role: store.RoleAdmin, Expires: c.clock.Now().Add(time.Hour)})
		id = made.ID
	case strings.HasPrefix(path, "/team/"):
		c.made++
		id = c.addAccount(t, fmt.Sprint("person", c.made), store.RoleAdmin).ID
	case strings.HasPrefix(path, "/lists/"):
		id = c.list(t, owner)
	default:
		t.Fatalf("nothing is known that %s could name", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("{$}", "", "{id}", id, "{key}", id, "{file}", "all.csv").Replace(path)
}

func (c *crowd) key(t *testing.T, owner store.Account) store.Key {
	t.Helper()
	c.made++
	key, err := c.store.CreateKey(t.Context(), store.ByVisitor(), store.Key{
		Hash: store.HashOf(fmt.Sprint("key", c.made)), Name: "key", Account: owner.ID, Scopes: []store.Scope{store.ScopeBulk}})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// list makes a list that has ended, every second one with a key.
func (c *crowd) list(t *testing.T, owner store.Account) string {
	t.Helper()
	sent := store.Job{Owner: owner.ID, Key: KeyID, Name: "list", Format: "csv"}
	if c.made%2 == 0 {
		sent.Key = c.key(t, owner).ID
	}
	c.made++
	j, err := c.store.BeginJob(t.Context(), "node", sent, 0, nil)
	if err == nil {
		_, err = c.store.StartJob(t.Context(), store.ByCommand("test"), j.ID, store.JobTotals{Rows: 0, Addresses: 0}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return j.ID
}

// state is all that requests may change.
func (c *crowd) state(t *testing.T) []any {
	t.Helper()
	keys, err1 := c.store.Keys(t.Context())
	people, err2 := c.store.Accounts(t.Context())
	lists, err3 := c.store.Jobs(t.Context(), store.JobQuery{Limit: 1000})
	hooks, err4 := c.store.Webhooks(t.Context(), store.WebhookQuery{Limit: 1000})
	drafts, err5 := c.store.Drafts(t.Context(), c.other.ID)
	invited, err6 := c.store.Invitations(t.Context())
	for _, err := range []error{err1, err2, err3, err4, err5, err6} {
		if err != nil {
			t.Fatal(err)
		}
	}
	stopped := map[string]bool{} // they go on by themselves meanwhile
	for _, j := range lists {
		stopped[j.ID] = j.State == store.JobPaused || j.State == store.JobCancelled
	}
	return []any{keys, people, stopped, hooks, drafts, invited}
}

func (c *crowd) unchanged(t *testing.T, pattern string, before []any) {
	t.Helper()
	if diff := cmp.Diff(before, c.state(t)); diff != "" {
		t.Errorf("%s was refused, and yet something has changed:\n%s", pattern, diff)
	}
}

// TestOffers: what pages offer to those who may is in the table of routes.
func TestOffers(t *testing.T) {
	files, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d templates, %v", len(files), err)
	}
	for _, file := range append(files, "templates/layout/layout.html") {
		text, err := templateFiles.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, asked := range regexp.MustCompile(`\.May "([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
			if allowed[asked[1]] == "" {
				t.Errorf("%s asks about %q, which is no route", file, asked[1])
			}
		}
	}
}

// documented are the rows of the table of roles in docs/dashboard.md, with the
// routes that each is about. Those that are open to everybody, or show a form
// for another one, are in none.
var documented = map[string][]string{
	"see lists and their rows, download results": {
		"GET /{$}", "GET /lists", "GET /lists/{id}", "GET /lists/{id}/events", "GET /lists/{id}/rows/{file}"},
	"see usage, health, keys and webhooks": {
		"GET /usage", "GET /usage.csv", "GET /health", "GET /keys", "GET /webhooks", "GET /webhooks/{id}"},
	"change the own password, sign out": {"GET /account", "POST /account/password", "POST /sign-out"},
	"check an address":                  {"GET /check", "POST /check"},
	"upload a list and start it":        {"POST /lists"},
	"pause, resume, cancel, delete a list, verify again": {
		"POST /lists/{id}/pause", "POST /lists/{id}/resume", "POST /lists/{id}/cancel", "POST /lists/{id}/delete", "POST /lists/{id}/again"},
	"create a key": {"GET /keys/new", "POST /keys"},
	"edit, rotate, revoke a key": {"GET /keys/{id}/edit", "POST /keys/{id}/edit", "GET /keys/{id}/rotate", "POST /keys/{id}/rotate",
		"GET /keys/{id}/revoke", "POST /keys/{id}/revoke"},
	"test a receiver, make a secret for webhooks": {"POST /webhooks/receivers/{key}/test", "POST /webhooks/receivers/{key}/secret"},
	"send a webhook again":                        {"POST /webhooks/{id}/resend"},
	"invite people, change roles, reset passwords, remove people": {
		"GET /team", "GET /team/{id}", "POST /team/{id}/role", "POST /team/{id}/password", "POST /team/{id}/remove",
		"POST /team/invitations", "POST /team/invitations/{id}/revoke"},
	"see who did what": {"GET /events", "GET /events.csv"},
}

// TestRolesInDocs: the table in the documentation says what the routes do, of
// all of them.
func TestRolesInDocs(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/dashboard.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| | viewer | member | admin |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	covered := map[string]bool{}
	for _, line := range strings.Split(table, "\n")[1:] {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if documented[cells[0]] == nil {
			t.Errorf("no routes are known of %q", cells[0])
		}
		for _, pattern := range documented[cells[0]] {
			covered[pattern] = true
			if want := "no " + strings.Join(cells[1:], " "); allowed[pattern] != want {
				t.Errorf("%s: %q; the documentation has %q for %q", pattern, allowed[pattern], want, cells[0])
			}
		}
	}
	for pattern, who := range allowed {
		if !covered[pattern] && !strings.HasPrefix(who, "yes") && !strings.Contains(pattern, " /new-list/") && pattern != "GET /webhooks/receivers" {
			t.Errorf("%s is not in the documentation", pattern)
		}
	}
}

// TestReceiversOfOthers: of a receiver only the host is shown to those who may
// not change what is sent there.
func TestReceiversOfOthers(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	c := newCrowd(t, w)
	hook, err := c.store.AddWebhook(t.Context(), store.ByVisitor(), store.Webhook{
		Key: c.key(t, c.other).ID, Event: "job.completed", URL: "https://receiver.example/T0/secret", Body: json.RawMessage(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	j, err := c.store.BeginJob(t.Context(), "node", store.Job{Owner: c.other.ID, Key: KeyID, Name: "list", Format: "csv", Webhook: hook.URL}, 0, nil)
	if err == nil {
		_, err = c.store.StartJob(t.Context(), store.ByVisitor(), j.ID, store.JobTotals{}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range append(c.people[1:], c.other) {
		for _, path := range []string{"/webhooks", "/webhooks/" + hook.ID, "/lists/" + j.ID} {
			got := c.ask(t, who, http.MethodGet, path)
			whole := strings.Contains(got.body, "T0/secret")
			if want := who.ID == c.other.ID || who.Role == store.RoleAdmin; whole != want || !strings.Contains(got.body, "https://receiver.example/") {
				t.Errorf("%s as %s: the path is shown: %v\n%s", path, who.Login, whole, got.body)
			}
		}
	}
}
