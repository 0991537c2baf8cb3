package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/store"
)

// post sends a body to /api/v1/verify with the key in a header.
func post(handler http.Handler, query, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, "/api/v1/verify"+query, strings.NewReader(body))
	request.Header.Set("X-API-Key", key)
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	return ask(handler, request)
}

func TestPost(t *testing.T) {
	handler := newServer(t, api.Config{}).Handler()
	other := strings.Replace(record, "alice@", "bob@", 1)
	for _, c := range []struct{ query, body, want string }{
		{"", `{"email":"alice@acme.example"}`, record + "}"},
		{"", ` {"email" : "alice\u0040acme.example", "details": true} `, record + details + "}"},
		{"?details=1", `{"email":"alice@acme.example"}`, record + details + "}"},
		{"", `{"details":1,"timeout":2.5,"email":"alice@acme.example"}`, record + details + "}"},
		{"?timeout=3", `{"email":"alice@acme.example","fresh":false,"clean":false,"transcript":0}`, record + "}"},
		{"", `{"emails":["alice@acme.example"]}`, `{"results":[` + record + "}]}"},
		{"", `{"emails":["alice@acme.example","bob@acme.example","alice@acme.example"]}`, `{"results":[` + record + "}," + other + "}," + record + "}]}"},
		{"?details=true", `{"emails":["alice@acme.example"]}`, `{"results":[` + record + details + "}]}"},
	} {
		if r := post(handler, c.query, c.body); r.Code != http.StatusOK || r.Body.String() != c.want+"\n" {
			t.Errorf("%s %s: status %d, body %s", c.query, c.body, r.Code, r.Body)
		}
	}
}

// TestPostMistakes: what is wrong is told with its place, and nobody verifies
// anything.
func TestPostMistakes(t *testing.T) {
	handler := newServer(t, api.Config{Verifier: verifierFunc(func(ctx context.Context, address string) (rcpt.Result, error) {
		t.Errorf("verified %q", address)
		return accepts(ctx, address)
	})}).Handler()
	many := `"a@b.example"` + strings.Repeat(`,"a@b.example"`, 100)
	for _, c := range []struct{ query, body, code, says string }{
		{"", ``, "invalid_body", "line 1, column 1: it is no JSON: unexpected end"},
		{"", `email=a@b.example`, "invalid_body", "line 1, column 1: it is no JSON"},
		{"", "{\n  \"email\": \"a@b.example\",\n}", "invalid_body", "line 3, column 1: it is no JSON"},
		{"", `{"email":"a@b.example"} {}`, "invalid_body", "line 1, column 25: it is no JSON"},
		{"", "{\"email\":\"a\xff@b.example\"}", "invalid_body", "line 1, column 12: it is not UTF-8"},
		{"", ` ["a@b.example"]`, "invalid_body", "line 1, column 2: it must be an object"},
		{"", `{}`, "invalid_body", `line 1, column 1: give either "email"`},
		{"", `{"details":true}`, "invalid_body", `give either "email"`},
		{"", `{"email":"a@b.example","emails":["a@b.example"]}`, "invalid_body", `give either "email"`},
		{"", `{"email":"a@b.example","email":"c@d.example"}`, "invalid_body", `column 24: the member "email" is there twice`},
		{"", `{"email":null}`, "invalid_body", "column 10: email must be a string"},
		{"", `{"email":["a@b.example"]}`, "invalid_body", "column 10: email must be a string"},
		{"", `{"email":""}`, "no_address", "column 10: email: The text contains no address"},
		{"", `{"emails":"a@b.example"}`, "invalid_body", `"emails" must be an array`},
		{"", `{"emails":[]}`, "no_address", `"emails" has no address`},
		{"", `{"emails":["a@b.example",7]}`, "invalid_body", "column 26: emails[1] must be a string"},
		{"", `{"emails":["a@b.example","  "]}`, "no_address", "column 26: emails[1]: The text contains no address"},
		{"", `{"emails":[` + many + `]}`, "too_many_addresses", "more than 100 addresses"},
		{"", `{"mail":"a@b.example"}`, "invalid_body", `column 2: there is no member "mail"`},
		{"", `{"email":"a@b.example","details":"yes"}`, "invalid_body", `"details" must be true or false`},
		{"", `{"email":"a@b.example","details":2}`, "invalid_body", `"details" must be 1 or 0`},
		{"", `{"email":"a@b.example","timeout":0}`, "invalid_body", `"timeout" must be a number of seconds`},
		{"", `{"email":"a@b.example","timeout":{}}`, "invalid_body", `"timeout" must be`},
		{"?details=1", `{"email":"a@b.example","details":true}`, "invalid_body", `"details" is in the query, too`},
		{"?details=x", `{"email":"a@b.example"}`, "invalid_parameter", `The parameter "details"`},
		{"", `{"emails":["a@b.example","a@b.example, c@d.example"],"clean":true}`, "several_addresses", "emails[1]: The text contains several addresses"},
		{"?clean=1", `{"email":"N/A"}`, "no_address", "email: The text contains no address"},
	} {
		r := post(handler, c.query, c.body)
		var told struct{ Message, Code string }
		if err := json.Unmarshal(r.Body.Bytes(), &told); r.Code != http.StatusBadRequest || err != nil || told.Code != c.code || !strings.Contains(told.Message, c.says) {
			t.Errorf("%s %.80s: status %d, body %s, want %s: … %s …", c.query, c.body, r.Code, r.Body, c.code, c.says)
		}
	}
}

// unreadable is a body that nobody may read.
type unreadable struct{ t *testing.T }

func (u unreadable) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// TestBodyIsLeft: a body is not read without a good key, nor when it cannot be
// one of ours.
func TestBodyIsLeft(t *testing.T) {
	handler := newServer(t, api.Config{}).Handler()
	for _, c := range []struct {
		key, mediaType, encoding string
		length                   int64
		status                   int
	}{
		{"", "application/json", "", 10, 401},
		{"wrong", "application/json", "", 10, 401},
		{key, "", "", 10, 415},
		{key, "text/plain", "", 10, 415},
		{key, "application/x-www-form-urlencoded", "", 10, 415},
		{key, "application/jsonl", "", 10, 415},
		{key, "application/json", "gzip", 10, 415},
		{key, "application/json", "", 300 << 10, 413},
	} {
		request := httptest.NewRequest(http.MethodPost, "/api/v1/verify", unreadable{t})
		request.ContentLength = c.length
		request.Header.Set("X-API-Key", c.key)
		request.Header.Set("Content-Type", c.mediaType)
		if c.encoding != "" {
			request.Header.Set("Content-Encoding", c.encoding)
		}
		if r := ask(handler, request); r.Code != c.status || r.Header().Get("Connection") != "close" {
			t.Errorf("%+v: status %d, header %v", c, r.Code, r.Header())
		}
	}
	long := httptest.NewRequest(http.MethodPost, "/api/v1/verify", strings.NewReader(`{"email":"`+strings.Repeat("a", 300<<10)+`"}`))
	long.ContentLength = -1
	long.Header.Set("X-API-Key", key)
	long.Header.Set("Content-Type", "application/json")
	if r := ask(handler, long); r.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a long body of unknown length: status %d", r.Code)
	}
}

// grouping notes which addresses were verified together.
type grouping struct {
	verifierFunc
	mu     sync.Mutex
	groups []string
	fresh  []bool // whether a remembered result would not have done
}

func (g *grouping) VerifyGroup(
	ctx context.Context, addresses []string, o engine.GroupOptions, done func(int, rcpt.Result, error),
) {
	g.mu.Lock()
	g.groups = append(g.groups, strings.Join(addresses, " "))
	g.fresh = append(g.fresh, o.Fresh)
	g.mu.Unlock()
	for i, address := range slices.Backward(addresses) {
		result, err := g.verifierFunc(ctx, address)
		done(i, result, err)
	}
}

// TestPostTogether: addresses of a domain are verified together, and the
// records come in the order of the request.
func TestPostTogether(t *testing.T) {
	g := &grouping{verifierFunc: accepts}
	handler := newServer(t, api.Config{Verifier: g}).Handler()
	asked := []string{"a@one.example", "a@two.example", "b@ONE.example", "c@one.example", "a@one.example", "x"}
	body, _ := json.Marshal(map[string]any{"emails": asked})
	var got struct{ Results []struct{ Email string } }
	if r := post(handler, "", string(body)); json.Unmarshal(r.Body.Bytes(), &got) != nil || len(got.Results) != len(asked) {
		t.Fatalf("status %d, body %s", r.Code, r.Body)
	}
	for i, result := range got.Results {
		if result.Email != asked[i] {
			t.Errorf("%d: %s, want %s", i, result.Email, asked[i])
		}
	}
	if want := []string{"a@one.example b@ONE.example c@one.example", "a@two.example", "x"}; !slices.Equal(slices.Sorted(slices.Values(g.groups)), want) {
		t.Errorf("together %q, want %q", g.groups, want)
	}
	if slices.Contains(g.fresh, true) {
		t.Error("a remembered result would not have done")
	}
	g.fresh = nil
	if post(handler, "", `{"emails":["a@one.example","b@one.example"],"fresh":true}`); len(g.fresh) != 1 || !g.fresh[0] {
		t.Errorf("fresh: %v", g.fresh)
	}
}

// TestPostCosts: one for each address, of the rate and of the quota, and
// nothing where the answer is a mistake or none.
func TestPostCosts(t *testing.T) {
	var uses int
	k := newKeyed(t, api.Config{
		Record: func(store.Use) { uses++ },
		Verifier: verifierFunc(func(ctx context.Context, address string) (rcpt.Result, error) {
			if strings.HasPrefix(address, "busy@") {
				return rcpt.Result{Email: address, Verdict: rcpt.VerdictUnknown, Message: "No."}, engine.ErrBusy
			}
			return accepts(ctx, address)
		}),
	})
	text, _, err := k.keys.Create(t.Context(), store.ByCommand("test"), store.Key{Scopes: []store.Scope{store.ScopeVerify}, RatePerSecond: 0.0001, Burst: 20, MonthlyQuota: 9})
	if err != nil {
		t.Fatal(err)
	}
	addresses := func(users ...string) string {
		return `{"emails":["` + strings.Join(users, `@acme.example","`) + `@acme.example"]}`
	}
	for _, step := range []struct {
		name, body string
		status     int
		remaining  string
		uses       int
	}{
		{"five", addresses("a", "b", "c", "d", "e"), 200, "15", 5},
		{"a mistake", `{"emails":["a@acme.example",1]}`, 400, "15", 5},
		{"three, of which one has no answer", addresses("a", "busy", "c"), 200, "12", 7},
		{"three, where two are left", addresses("a", "b", "c"), 402, "", 7},
		{"two", addresses("a", "b"), 200, "10", 9},
		{"more than fit at once", addresses(strings.Fields(strings.Repeat("a ", 21))...), 402, "", 9},
	} {
		request := httptest.NewRequest(http.MethodPost, "/api/v1/verify", strings.NewReader(step.body))
		request.Header.Set("X-API-Key", text)
		request.Header.Set("Content-Type", "application/json")
		r := ask(k, request)
		if r.Code != step.status || r.Header().Get("RateLimit-Remaining") != step.remaining || uses != step.uses {
			t.Errorf("%s: status %d, %s remain, %d recorded: %s", step.name, r.Code, r.Header().Get("RateLimit-Remaining"), uses, r.Body)
		}
	}
}

// TestPostBeyondRate: more addresses than a key can ever have at once are a
// mistake, and more than it has now are too early.
func TestPostBeyondRate(t *testing.T) {
	k := newKeyed(t, api.Config{})
	text, _, err := k.keys.Create(t.Context(), store.ByCommand("test"), store.Key{Scopes: []store.Scope{store.ScopeVerify}, RatePerSecond: 0.0001, Burst: 3})
	if err != nil {
		t.Fatal(err)
	}
	send := func(n int) *httptest.ResponseRecorder {
		body := `{"emails":["a@b.example"` + strings.Repeat(`,"a@b.example"`, n-1) + `]}`
		request := httptest.NewRequest(http.MethodPost, "/api/v1/verify", strings.NewReader(body))
		request.Header.Set("X-API-Key", text)
		request.Header.Set("Content-Type", "application/json")
		return ask(k, request)
	}
	for _, step := range []struct {
		n, status int
		says      string
	}{
		{4, 400, `allows 3 addresses at once: send no more in a request.","success":false,"code":"too_many_addresses"`},
		{2, 200, `"results"`},
		{2, 429, `"code":"rate_reached"`},
		{1, 200, `"results"`},
	} {
		if r := send(step.n); r.Code != step.status || !strings.Contains(r.Body.String(), step.says) || (r.Code == 429) != (r.Header().Get("Retry-After") != "") {
			t.Errorf("%d addresses: status %d, body %s", step.n, r.Code, r.Body)
		}
	}
}

// TestPostPanic: a bug while several are verified is answered with 500, and
// frees what it took.
func TestPostPanic(t *testing.T) {
	s := newServer(t, api.Config{Verifier: verifierFunc(func(context.Context, string) (rcpt.Result, error) { panic("bug") })})
	if r := post(s.Handler(), "", `{"emails":["a@a.example","b@b.example","c@c.example"]}`); r.Code != http.StatusInternalServerError {
		t.Errorf("status %d, body %s", r.Code, r.Body)
	}
	if load := s.Load(); load.Running != 0 {
		t.Errorf("%d are running", load.Running)
	}
}

// TestPostFewSlots: where few verifications may run, several addresses take no
// more than that, and all get their answer.
func TestPostFewSlots(t *testing.T) {
	var mu sync.Mutex
	running, most := 0, 0
	handler := newServer(t, api.Config{Concurrency: 2, Verifier: verifierFunc(func(ctx context.Context, address string) (rcpt.Result, error) {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		defer func() {
			mu.Lock()
			running--
			mu.Unlock()
		}()
		return accepts(ctx, address)
	})}).Handler()
	var all []string
	for i := range 100 {
		all = append(all, fmt.Sprintf(`"a@%d.example"`, i))
	}
	r := post(handler, "", `{"emails":[`+strings.Join(all, ",")+`]}`)
	if r.Code != http.StatusOK || strings.Count(r.Body.String(), `"result":"deliverable"`) != 100 || most > 2 {
		t.Errorf("status %d, %d at a time", r.Code, most)
	}
}

// TestPostCancelled checks that a client that has gone gets nothing, and pays
// nothing.
func TestPostCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	handler := newServer(t, api.Config{Verifier: verifierFunc(func(ctx context.Context, address string) (rcpt.Result, error) {
		cancel()
		return rcpt.Result{Email: address, Verdict: rcpt.VerdictUnknown, Message: "No."}, errors.New("cancelled")
	})}).Handler()
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/v1/verify", strings.NewReader(`{"emails":["a@b.example"]}`))
	request.Header.Set("X-API-Key", key)
	request.Header.Set("Content-Type", "application/json")
	if r := ask(handler, request); r.Code != http.StatusServiceUnavailable || !strings.Contains(r.Body.String(), `"shutting_down"`) {
		t.Errorf("status %d, body %s", r.Code, r.Body)
	}
}
