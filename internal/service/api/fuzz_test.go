package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
)

// listener is a verifier that notes what it is asked.
type listener struct {
	forgetful
	asked []string
}

func (l *listener) Verify(ctx context.Context, address string) (rcpt.Result, error) {
	l.asked = append(l.asked, address)
	return accepts(ctx, strings.ToValidUTF8(address, "\uFFFD")) // as the engine does
}

func (l *listener) VerifyWith(ctx context.Context, address string, _ engine.VerifyOptions) (rcpt.Result, error) {
	return l.Verify(ctx, address)
}

func (l *listener) VerifyGroup(
	ctx context.Context, addresses []string, _ engine.GroupOptions, done func(int, rcpt.Result, error),
) {
	eachOf(ctx, addresses, l.Verify, done)
}

// FuzzQuery checks that every query gets one JSON object and one line in the
// log, that nobody is asked without the key or about half a question, and that
// an address that is asked about survives being encoded.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"email=a@b.example", "email=a%40b.example&details=1&fresh=0&timeout=2.5", "email=a+b@c.example", "email=a+b%40c.example",
		"email=a%4", "email=&email=b", "email=a;b@c", "email=%00%0d%0aX:%20y@b.example", "email=%ff%fe", "timeout=1e400&email=a@b", "timeout=NaN&email=a",
		"apikey=" + key + "&email=a@b", "apikey=" + key + "&apikey=" + key + "&email=a@b", "api_key=" + key + "&apikey=x&email=a@b", "email=+a@b", "email=a@b+", "apikey=%72" + key[1:] + "&email=a@b", "&&=&email", "?email=a@b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		with := http.Header{"X-Api-Key": {key}}
		asked := fuzzQuery(t, query, with)
		if len(asked) == 1 {
			if again := fuzzQuery(t, "email="+url.QueryEscape(asked[0]), with); len(asked[0]) < 1000 && (len(again) != 1 || again[0] != asked[0]) {
				t.Errorf("%q asks about %q, and that about %q", query, asked, again)
			}
		}
		values, _ := url.ParseQuery(query)
		shown := slices.DeleteFunc(append(values["apikey"], values["api_key"]...), func(s string) bool { return s == "" })
		slices.Sort(shown)
		if asked := fuzzQuery(t, query, nil); len(asked) > 0 && (len(slices.Compact(shown)) != 1 || shown[0] != key) {
			t.Errorf("%q asks about %q without the key", query, asked)
		}
	})
}

// fuzzQuery asks, and returns whom the verifier was asked about.
func fuzzQuery(t *testing.T, query string, header http.Header) []string {
	t.Helper()
	var log bytes.Buffer
	heard := &listener{}
	handler := newServer(t, api.Config{Verifier: heard, Logger: logTo(&log)}).Handler()
	request := httptest.NewRequest(http.MethodGet, "/api/v1/verify", nil)
	request.URL.RawQuery = query
	request.Header = header.Clone()
	response := ask(handler, request)
	body := response.Body.Bytes()
	var answer map[string]any
	if err := json.Unmarshal(body, &answer); err != nil || answer["message"] == "" || !utf8.Valid(body) {
		t.Errorf("%q: body %q: %v", query, body, err)
	}
	want := map[int]int{http.StatusOK: 1, http.StatusBadRequest: 0, http.StatusUnauthorized: 0}
	if n, known := want[response.Code]; !known || len(heard.asked) != n {
		t.Errorf("%q: status %d, asked about %q", query, response.Code, heard.asked)
	}
	if lines := bytes.Count(log.Bytes(), []byte("\n")); lines != 1 || bytes.Contains(log.Bytes(), []byte(key)) {
		t.Errorf("%q: the log says %q", query, log.Bytes())
	}
	return heard.asked
}
