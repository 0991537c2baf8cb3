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

// TestAlertFlags: settings that cannot work are refused, and show no secret.
func TestAlertFlags(t *testing.T) {
	for _, c := range []struct {
		flags alertFlags
		want  string // in the error; empty: no error
		n     int
	}{
		{alertFlags{}, "", 0},
		{alertFlags{AlertWebhook: "https://hooks.example/hunter2"}, "", 1},
		{alertFlags{AlertWebhook: "hunter2"}, "--alert-webhook", 0},
		{alertFlags{AlertURL: []alertURL{"ntfy://u:hunter2@ntfy.example/alerts", "teams+https://hooks.example/hunter2"}}, "", 2},
		{alertFlags{AlertURL: []alertURL{"ntfy://ntfy.example/alerts", "slack://hunter2"}}, "--alert-url: value 2: ", 0},
		{alertFlags{AlertMail: []string{"a@b.example"}}, "--alert-relay", 0},
		{alertFlags{AlertRelay: "smtp://localhost"}, "--alert-mail", 0},
		{alertFlags{AlertMail: []string{"a@b.example"}, AlertRelay: "smtp://u:hunter2@localhost:25"}, "", 1},
		{alertFlags{AlertMail: []string{"a@b.example"}, AlertRelay: "http://hunter2"}, "--alert-relay", 0},
	} {
		senders, err := c.flags.senders()
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%+v: %v", c.flags, err)
		}
		if len(senders) != c.n {
			t.Errorf("%+v: %d senders", c.flags, len(senders))
		}
	}
}
