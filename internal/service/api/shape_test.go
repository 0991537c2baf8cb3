package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// TestRequestsOfClients is the table of requests as programs send them that
// speak this HTTP shape, and of the answers that they understand. KEY stands
// for the key. A want that begins with "{" is the whole body.
func TestRequestsOfClients(t *testing.T) {
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax})
	if err != nil {
		t.Fatal(err)
	}
	defer verifier.Close()
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Set-Cookie", "visit=1")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<html>"))
	})
	handler := newServer(t, api.Config{Verifier: verifier, Pages: page}).Handler()
	const (
		verify  = "GET /api/v1/verify?apikey=KEY&email="
		passed  = "All checks passed; the mail host was not contacted."
		missing = `{"message":"The parameter \"email\" is missing: the address to verify, percent-encoded.","success":false,"code":"missing_parameter"}`
		unknown = `{"message":"This path does not exist. The API is described at /docs and, for programs, in /openapi.json.","success":false,"code":"not_found"}`
		front   = `{"message":"The parameter \"email\" begins with \"+\", which is a blank or a part of the address: write %20 or %2B.","success":false,"code":"invalid_query"}`
		two     = `{"message":"The parameter \"email\" is given with two values.","success":false,"code":"invalid_parameter"}`
		denied  = `{"message":"Unauthorized"}`
		tooLong = `{"message":"This request takes no body.","success":false,"code":"body_not_taken"}`
		of      = `{"email":"%s","user":"%s","domain":"%s","accept_all":0,"role":0,"free_email":0,"disposable":0,"spamtrap":0,"success":true,"result":"%s","message":"%s"}`
	)
	alice := fmt.Sprintf(of, "alice@acme.example", "alice", "acme.example", "unknown", passed)
	news := fmt.Sprintf(of, "alice+news@acme.example", "alice+news", "acme.example", "unknown", passed)
	invalid := func(email, message string) string { return fmt.Sprintf(of, email, "", "", "undeliverable", message) }
	for _, c := range []struct {
		name, request string // method, target
		fields        string // of the header, by "|"
		body          string
		status        int
		want          string
	}{
		{"a slash behind the path", "GET /api/v1/verify/?apikey=KEY&email=alice%40acme.example", "", "", 200, alice},
		{"a slash, and POST", "POST /api/v1/verify/?apikey=KEY", "Content-Type: application/json", `{"email":"alice@acme.example"}`, 200, alice},
		{"a slash, and no address", "GET /api/v1/verify/?apikey=KEY", "", "", 400, missing},
		{"a slash, and a method", "DELETE /api/v1/verify/?apikey=KEY", "", "", 405, "method_not_allowed"},
		{"a slash, and no key", "GET /api/v1/verify/?email=alice%40acme.example", "", "", 401, denied},
		{"two slashes", "GET /api/v1/verify//?apikey=KEY&email=alice%40acme.example", "", "", 404, unknown},

		{"a key under both names", "GET /api/v1/verify?apikey=KEY&api_key=KEY&email=alice@acme.example", "", "", 200, alice},
		{"a key under one name, twice", "GET /api/v1/verify?api_key=KEY&api_key=KEY&email=alice@acme.example", "", "", 200, alice},
		{"a key, and nothing", "GET /api/v1/verify?apikey=&api_key=KEY&email=alice@acme.example", "", "", 200, alice},
		{"two keys", "GET /api/v1/verify?apikey=KEY&api_key=KEX&email=alice@acme.example", "", "", 401, denied},
		{"two keys under one name", "GET /api/v1/verify?apikey=KEX&apikey=KEY&email=alice@acme.example", "", "", 401, denied},

		{"+ behind the address", verify + "alice@acme.example+", "", "", 200, alice},
		{"+ behind an encoded address", verify + "alice%40acme.example++", "", "", 200, alice},
		{"+ in the local-part", verify + "alice+news%40acme.example", "", "", 200, news},
		{"+ in the local-part, and behind", verify + "alice+news@acme.example+", "", "", 200, news},
		{"%2B in the local-part", verify + "alice%2Bnews%40acme.example", "", "", 200, news},
		{"%20 in front", verify + "%20alice@acme.example", "", "", 200, alice},
		{"+ in front", verify + "+alice@acme.example", "", "", 400, front},
		{"+ in front of an encoded address", verify + "++alice%40acme.example", "", "", 400, front},
		{"+ after a blank in front", verify + "%20+alice@acme.example", "", "", 400, front},
		{"+ alone", verify + "+", "", "", 400, "no_address"},

		{"an unknown path", "GET /v1/check?apikey=KEY", "Accept: */*", "", 404, unknown},
		{"an unknown path, without Accept", "GET /v2/verify", "", "", 404, unknown},
		{"an unknown path, for axios", "GET /verify?email=a@b.example", "Accept: application/json, text/plain, */*", "", 404, unknown},
		{"an unknown path, for a phone", "GET /api/v2/verify", "Accept: text/html", "", 404, unknown},
		{"an unknown path, for a browser", "GET /verify", "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "", 404, "<html>"},

		{"a bearer token of another service", "GET /api/v1/verify?apikey=KEY&email=alice@acme.example", "Authorization: Bearer eyJhbGciOiJub25lIn0.e30.", "", 200, alice},
		{"basic authentication of a proxy", "GET /api/v1/verify?apikey=KEY&email=alice@acme.example", "Authorization: Basic dTpw", "", 200, alice},
		{"a key of another service", "GET /api/v1/verify?api_key=KEY&email=alice@acme.example", "X-API-Key: theirs", "", 200, alice},
		{"no parameter", "GET /api/v1/verify?email=alice@acme.example", "Authorization: Bearer KEY", "", 200, alice},
		{"a wrong parameter beside the right header", "GET /api/v1/verify?apikey=KEX&email=alice@acme.example", "X-API-Key: KEY", "", 401, denied},

		{"two dots", verify + "alice..b@acme.example", "", "", 200, `"user":`},
		{"no dot in the domain", verify + "root@localhost", "", "", 200, `"accept_all":0,`},
		{"no @", verify + "alice.acme.example", "", "", 200, invalid("alice.acme.example", `The address is not well-formed: there is no \"@\".`)},
		{"an address literal", verify + "alice@%5B192.0.2.1%5D", "", "", 200, `"disposable":0,"spamtrap":0,"success":true,"result":"`},
		{"several, one of them a word", "POST /api/v1/verify", "X-API-Key: KEY|Content-Type: application/json", `{"emails":["alice@acme.example","alice"]}`, 200,
			`{"results":[` + alice + "," + invalid("alice", `The address is not well-formed: there is no \"@\".`) + "]}"},

		{"an error of the query", verify + "alice%4", "", "", 400, `"success":false,"code":"invalid_query"}`},
		{"an error of the body", "POST /api/v1/verify", "X-API-Key: KEY|Content-Type: application/json", `{`, 400, `"success":false,"code":"invalid_body"}`},
		{"an error of the media type", "POST /api/v1/verify", "X-API-Key: KEY|Content-Type: application/x-www-form-urlencoded", `email=a`, 415, `"success":false,"code":"unsupported_media_type"}`},
		{"an error of the key", "GET /api/v1/verify?email=alice@acme.example", "", "", 401, denied},

		{"GET with {}", verify + "alice@acme.example", "Content-Type: application/json", "{}", 200, alice},
		{"GET with a form", verify + "alice@acme.example", "Content-Type: application/x-www-form-urlencoded", "email=bob%40acme.example", 200, alice},
		{"GET with 8 KiB", verify + "alice@acme.example", "", strings.Repeat("x", 8<<10), 200, alice},
		{"GET with more", verify + "alice@acme.example", "", strings.Repeat("x", 8<<10+1), 413, tooLong},
		{"HEAD with {}", "HEAD /healthz", "", "{}", 200, `{"status":"ok"}`},
		{"PUT with {}", "PUT /api/v1/verify?apikey=KEY", "", "{}", 405, "method_not_allowed"},

		{"milliseconds", verify + "alice@acme.example&timeout=30000", "", "", 200, alice},
		{"a second", verify + "alice@acme.example&timeout=1000", "", "", 200, alice},
		{"seconds", verify + "alice@acme.example&timeout=10", "", "", 200, alice},
		{"milliseconds in a body", "POST /api/v1/verify", "X-API-Key: KEY|Content-Type: application/json", `{"email":"alice@acme.example","timeout":15000}`, 200, alice},
		{"no number", verify + "alice@acme.example&timeout=30s", "", "", 400, `"success":false,"code":"invalid_parameter"}`},

		{"U+200B behind", verify + "alice@acme.example%E2%80%8B", "", "", 200, alice},
		{"U+FEFF in front", verify + "%EF%BB%BFalice@acme.example", "", "", 200, alice},
		{"U+00A0 and U+202C", verify + "%C2%A0alice@acme.example%E2%80%AC", "", "", 200, alice},
		{"U+2060 behind, with details", verify + "alice@acme.example%E2%81%A0&details=1", "", "", 200, "\"given\":\"alice@acme.example\u2060\""},
		{"U+200B in the domain", verify + "alice@acme%E2%80%8B.example", "", "", 200, alice},
		{"U+FE0F behind", verify + "alice@acme.example%EF%B8%8F", "", "", 200, alice},
		{"U+00AD in the domain", verify + "alice@ac%C2%ADme.example", "", "", 200, alice},
		{"tab and line end", verify + "alice@acme.example%09%0D%0A", "", "", 200, alice},

		{"an address twice", verify + "alice@acme.example&email=alice@acme.example", "", "", 200, alice},
		{"an address twice, encoded once", verify + "alice@acme.example&email=alice%40acme.example", "", "", 200, alice},
		{"an option twice", verify + "alice@acme.example&details=0&details=0", "", "", 200, alice},
		{"two addresses", verify + "alice@acme.example&email=bob@acme.example", "", "", 400, two},
		{"an address in two cases", verify + "alice@acme.example&email=Alice@acme.example", "", "", 400, two},
	} {
		method, target, _ := strings.Cut(strings.ReplaceAll(c.request, "KEY", key), " ")
		request := httptest.NewRequest(method, target, strings.NewReader(c.body))
		for field := range strings.SplitSeq(strings.ReplaceAll(c.fields, "KEY", key), "|") {
			if name, value, found := strings.Cut(field, ": "); found {
				request.Header.Set(name, value)
			}
		}
		got := ask(handler, request)
		body := strings.TrimSuffix(got.Body.String(), "\n")
		if got.Code != c.status || body != c.want && (strings.HasPrefix(c.want, "{") || !strings.Contains(body, c.want)) {
			t.Errorf("%s: status %d, want %d\n got %s\nwant %s", c.name, got.Code, c.status, body, c.want)
		}
		if strings.HasPrefix(body, "{") && got.Header().Get("Set-Cookie") != "" || strings.Contains(body, key) {
			t.Errorf("%s: header %v, body %s", c.name, got.Header(), body)
		}
		if c.body != "" && method != http.MethodPost && got.Header().Get("Connection") != "close" {
			t.Errorf("%s: the connection stays open behind a body", c.name)
		}
	}
}

// TestListsOfClients: what they read of lists has a slash behind it or not.
func TestListsOfClients(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key := l.key(store.Key{})
	j := l.done(key, l.want(l.send("POST", "/api/v1/bulk/?api_key="+key+"&apikey="+key, "", "a@a.example\n", "Content-Type", csvType), 202).ID)
	for _, path := range []string{"", "/" + j.ID, "/" + j.ID + "/results"} {
		with, without := l.send("GET", "/api/v1/bulk"+path+"/", key, ""), l.send("GET", "/api/v1/bulk"+path, key, "{}")
		if with.Code != 200 || with.Body.String() != without.Body.String() {
			t.Errorf("%s: %d %s, without the slash %s", path, with.Code, with.Body, without.Body)
		}
	}
	for _, action := range []string{"/pause/", "/cancel/"} {
		l.wantCode(l.send("POST", "/api/v1/bulk/"+j.ID+action, key, "{}"), 409, "wrong_state")
	}
	if states := []string{l.want(l.send("DELETE", "/api/v1/bulk/"+j.ID+"/", key, "{}"), 200).State}; !slices.Contains(states, "done") {
		t.Errorf("deleted as %v", states)
	}
}
