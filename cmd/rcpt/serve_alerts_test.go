package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// TestServeAlerts: a server whose network fails tells a webhook and a service.
func TestServeAlerts(t *testing.T) {
	told := make(chan string, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		told <- string(body) + "\n"
	}))
	defer hook.Close()
	p := start(t, append(brokenNetworks(t), "RCPT_API_KEY=a-key-of-the-user", "RCPT_DATA="+t.TempDir(), "RCPT_RESOLVER=127.0.0.1:1",
		"RCPT_ALERT_WEBHOOK="+hook.URL, "RCPT_ALERT_URL=ntfy://"+strings.TrimPrefix(hook.URL, "http://")+"/alerts?scheme=http"), "serve", "--listen", "127.0.0.1:0")
	var all []string
	for !strings.Contains(strings.Join(all, ""), `"event":"network_fails","state":"problem","subject":"resolver"`) ||
		!strings.Contains(strings.Join(all, ""), "The network does not work: ") || !strings.Contains(strings.Join(all, ""), ", network_fails\n") {
		select {
		case body := <-told:
			all = append(all, body)
		case <-t.Context().Done():
			t.Fatal(all)
		}
	}
	if code, _, log := p.end(os.Interrupt); code != exitDone {
		t.Errorf("exit code %d: %s", code, log)
	}
}
