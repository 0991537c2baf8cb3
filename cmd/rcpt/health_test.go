package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

func TestHealth(t *testing.T) {
	var status atomic.Int64
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(int(status.Load()))
	}))
	address := strings.TrimPrefix(served.URL, "http://")
	_, port, _ := strings.Cut(address, ":")
	for _, c := range []struct {
		status int
		listen string
		code   int
		want   string
	}{
		{200, address, 0, "ok\n"},
		{200, ":" + port, 0, "ok\n"},
		{200, "0.0.0.0:" + port, 0, "ok\n"},
		{200, "[::]:" + port, 0, "ok\n"},
		{503, address, 1, "answered 503"},
		{302, address, 1, "answered 302"},
		{200, "nowhere", 2, "is not HOST:PORT"},
	} {
		status.Store(int64(c.status))
		p := start(t, []string{"HTTP_PROXY=http://127.0.0.1:1"}, "health", "--listen", c.listen)
		code, stdout, stderr := p.wait()
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s, status %d: exit code %d, output %q %q", c.listen, c.status, code, stdout, stderr)
		}
	}
	served.Close()
	const closed = "127.0.0.1:1" // not the port that is free now: it may be taken again
	if code, _, stderr := start(t, []string{"RCPT_LISTEN=" + closed}, "health").wait(); code != 1 || !strings.Contains(stderr, "refused") {
		t.Errorf("no server: exit code %d, output %q", code, stderr)
	}
}

// TestHealthIsOfServe: health uses the setting of the server's address.
func TestHealthIsOfServe(t *testing.T) {
	p := start(t, append(startWorld(t), "RCPT_DATA="+t.TempDir()), "serve", "--listen", "127.0.0.1:0")
	url := p.await(p.stderr, `^rcpt listens on http://(.*)$`)[1]
	code, stdout, stderr := start(t, []string{"RCPT_LISTEN=" + url}, "health").wait()
	if code != 0 {
		t.Errorf("exit code %d, output %q %q", code, stdout, stderr)
	}
	p.end(os.Interrupt)
}
