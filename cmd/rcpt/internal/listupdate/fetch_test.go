package listupdate

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
)

// content is the file of the test server.
const content = "the lists of today"

// webServer is a server with TLS that is correct at /file and faulty at other
// paths. plain is a server without TLS.
func webServer(t *testing.T) (server, plain *httptest.Server) {
	plain = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(content)) }))
	t.Cleanup(plain.Close)
	mux := http.NewServeMux()
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(content)) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/file", http.StatusFound) })
	mux.HandleFunc("/circle", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/circle", http.StatusFound) })
	mux.HandleFunc("/open", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, plain.URL, http.StatusFound) })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)+1))
		w.Write([]byte(content))
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/stalled", func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(content))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	server = httptest.NewUnstartedServer(mux)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // clients that do not trust it are wanted
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, plain
}

func TestFetch(t *testing.T) {
	server, plain := webServer(t)
	for _, c := range []struct {
		url  string
		want string // part of the error; empty: none
	}{
		{server.URL + "/file", ""},
		{server.URL + "/moved", ""},
		{plain.URL, ""},
		{server.URL + "/nothing", `the server answered "404 Not Found"`},
		{server.URL + "/circle", "the server redirects more than 10 times"},
		{server.URL + "/open", "the server redirects to " + plain.URL + ", which is not https"},
		{server.URL + "/cut", "the download was interrupted: unexpected EOF"},
		{server.URL + "/endless", "there are more than 1 MiB"},
	} {
		t.Run(c.url, func(t *testing.T) {
			got, err := fetch(t, t.Context(), NewFetcher(server.Client().Transport, 1<<20), c.url)
			wantFetched(t, got, err, c.want)
		})
	}
	t.Run("unknown root", func(t *testing.T) {
		got, err := fetch(t, t.Context(), NewFetcher(http.DefaultTransport, 1<<20), server.URL+"/file")
		wantFetched(t, got, err, "certificate signed by unknown authority")
	})
}

// TestFetchEnds: the download ends although a server does not answer, or stops
// in the middle.
func TestFetchEnds(t *testing.T) {
	server, _ := webServer(t)
	for _, path := range []string{"/silent", "/stalled"} {
		hurried := NewFetcher(server.Client().Transport, 1<<20)
		hurried.timeout = 50 * time.Millisecond
		got, err := fetch(t, t.Context(), hurried, server.URL+path)
		wantFetched(t, got, err, "the server has not sent the file within 50ms")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := fetch(t, ctx, NewFetcher(server.Client().Transport, 1<<20), server.URL+"/silent")
	wantFetched(t, got, err, context.Canceled.Error())
}

func fetch(t *testing.T, ctx context.Context, from Fetcher, address string) ([]byte, error) {
	t.Helper()
	source, err := url.Parse(address)
	check(t, err)
	return from.Fetch(ctx, source)
}

func wantFetched(t *testing.T, got []byte, err error, want string) {
	t.Helper()
	switch {
	case want == "" && (err != nil || string(got) != content):
		t.Errorf("got %q, %v", got, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want %q", err, want)
	case want != "" && got != nil:
		t.Errorf("got %d bytes with the error", len(got))
	}
}

func TestCheckAddress(t *testing.T) {
	for _, c := range []struct {
		address      string
		contentKnown bool
		want         bool
	}{
		{"https://lists.example/x", false, true},
		{"http://lists.example/x", false, false},
		{"http://lists.example/x", true, true},
		{"http://127.0.0.1:8000/x", false, true},
		{"http://[::1]/x", false, true},
		{"http://[::ffff:127.0.0.1]/x", false, true},
		{"http://localhost/x", false, true},
		{"http://localhost.example/x", false, false},
		{"http://127.0.0.1.example/x", false, false},
		{"ftp://lists.example/x", true, false},
	} {
		source, err := url.Parse(c.address)
		check(t, err)
		if err := CheckAddress(source, c.contentKnown); (err == nil) != c.want {
			t.Errorf("%s, content known %t: %v", c.address, c.contentKnown, err)
		}
	}
}
