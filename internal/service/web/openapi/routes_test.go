package openapi

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func ask(t *testing.T, method, path string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	serve := Routes(func(r *http.Request) Site { return Site{Base: "http://" + r.Host} })[path]
	if serve == nil {
		t.Fatalf("there is no %s", path)
	}
	request := httptest.NewRequest(method, path, nil)
	request.Header = header
	response := httptest.NewRecorder()
	serve(response, request)
	return response
}

func TestRepresentations(t *testing.T) {
	for path := range Routes(nil) {
		plain := ask(t, http.MethodGet, path, http.Header{})
		gzipped := ask(t, http.MethodGet, path, http.Header{"Accept-Encoding": {"br, gzip;q=0.8"}})
		if plain.Code != http.StatusOK || plain.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: status %d, Content-Encoding %q", path, plain.Code, plain.Header().Get("Content-Encoding"))
		}
		if gzipped.Header().Get("Content-Encoding") != "gzip" || plain.Body.Len() > 10_000 && gzipped.Body.Len() > plain.Body.Len()/2 {
			t.Errorf("%s: %d octets are %d with Content-Encoding %q", path, plain.Body.Len(), gzipped.Body.Len(), gzipped.Header().Get("Content-Encoding"))
		}
		if got := unzipped(t, gzipped.Body); !bytes.Equal(got, plain.Body.Bytes()) {
			t.Errorf("%s: compression changes it", path)
		}
		if plain.Header().Get("ETag") == gzipped.Header().Get("ETag") {
			t.Errorf("%s: one strong validator for two representations", path)
		}
		for name, want := range map[string]string{"Vary": "Accept-Encoding", "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"} {
			if got := plain.Header().Get(name); got != want {
				t.Errorf("%s: %s: %q, want %q", path, name, got, want)
			}
		}
		head := ask(t, http.MethodHead, path, http.Header{})
		if head.Body.Len() != 0 || head.Header().Get("Content-Length") != plain.Header().Get("Content-Length") {
			t.Errorf("%s: HEAD has %d octets, Content-Length %q", path, head.Body.Len(), head.Header().Get("Content-Length"))
		}
	}
}

func unzipped(t *testing.T, body io.Reader) []byte {
	t.Helper()
	reader, err := gzip.NewReader(body)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestIfNoneMatch(t *testing.T) {
	etag := ask(t, http.MethodGet, "/openapi.json", http.Header{}).Header().Get("ETag")
	for _, c := range []struct {
		fields []string
		status int
	}{
		{nil, http.StatusOK},
		{[]string{`"other"`}, http.StatusOK},
		{[]string{etag}, http.StatusNotModified},
		{[]string{"W/" + etag}, http.StatusNotModified},
		{[]string{`"other", ` + etag}, http.StatusNotModified},
		{[]string{`"other"`, etag}, http.StatusNotModified},
		{[]string{"*"}, http.StatusNotModified},
	} {
		response := ask(t, http.MethodGet, "/openapi.json", http.Header{"If-None-Match": c.fields})
		if response.Code != c.status {
			t.Errorf("If-None-Match %q: status %d, want %d", c.fields, response.Code, c.status)
		}
		if response.Header().Get("ETag") != etag {
			t.Errorf("If-None-Match %q: ETag %q, want %q", c.fields, response.Header().Get("ETag"), etag)
		}
		if c.status == http.StatusNotModified && (response.Body.Len() > 0 || response.Header().Get("Content-Type") != "") {
			t.Errorf("If-None-Match %q: the answer has a body or the type of one", c.fields)
		}
	}
	if got := ask(t, http.MethodGet, "/openapi.json", http.Header{"If-None-Match": {etag}, "Accept-Encoding": {"gzip"}}); got.Code != http.StatusOK {
		t.Errorf("the validator of the plain file stands for the compressed one: status %d", got.Code)
	}
}

// TestPageNamesServer: each client sees the address that it uses, and no number
// of addresses fills the memory.
func TestPageNamesServer(t *testing.T) {
	serve := Routes(func(r *http.Request) Site { return Site{Base: "http://" + r.Host} })["/docs"]
	tags := map[string]bool{}
	for i := range 2 * maxPages {
		request := httptest.NewRequest(http.MethodGet, "/docs", nil)
		request.Host = fmt.Sprintf("host-%d.example", i)
		response := httptest.NewRecorder()
		serve(response, request)
		if !strings.Contains(response.Body.String(), "http://"+request.Host+"/api/v1/verify") {
			t.Errorf("%s is not named", request.Host)
		}
		tags[response.Header().Get("ETag")] = true
	}
	if len(tags) != 2*maxPages {
		t.Errorf("%d validators for %d pages", len(tags), 2*maxPages)
	}
}

func TestRobotsAndIcon(t *testing.T) {
	if body := ask(t, http.MethodGet, "/robots.txt", http.Header{}).Body.String(); body != "User-agent: *\nDisallow: /\n" {
		t.Errorf("robots.txt: %q", body)
	}
	if body := ask(t, http.MethodGet, "/favicon.ico", http.Header{}).Body.Bytes(); !bytes.HasPrefix(body, []byte{0, 0, 1, 0}) {
		t.Error("favicon.ico is no icon")
	}
}

// TestPagePolicy: the page runs its own scripts alone, is shown in no frame,
// loads nothing from elsewhere, and sends nothing there. Only its styles may be
// inline.
func TestPagePolicy(t *testing.T) {
	header := ask(t, http.MethodGet, "/docs", http.Header{}).Header()
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		"Referrer-Policy": "no-referrer",
		"Content-Type":    "text/html; charset=utf-8",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
