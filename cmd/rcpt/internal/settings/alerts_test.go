package settings

import (
	"strings"
	"testing"
)

// TestAlertFlags: settings that cannot work are refused, and show no secret.
func TestAlertFlags(t *testing.T) {
	for _, c := range []struct {
		flags AlertFlags
		want  string // in the error; empty: no error
		n     int
	}{
		{AlertFlags{}, "", 0},
		{AlertFlags{AlertWebhook: "https://hooks.example/hunter2"}, "", 1},
		{AlertFlags{AlertWebhook: "hunter2"}, "--alert-webhook", 0},
		{AlertFlags{AlertURL: []alertURL{"ntfy://u:hunter2@ntfy.example/alerts", "teams+https://hooks.example/hunter2"}}, "", 2},
		{AlertFlags{AlertURL: []alertURL{"ntfy://ntfy.example/alerts", "slack://hunter2"}}, "--alert-url: value 2: ", 0},
		{AlertFlags{AlertMail: []string{"a@b.example"}}, "--alert-relay", 0},
		{AlertFlags{AlertRelay: "smtp://localhost"}, "--alert-mail", 0},
		{AlertFlags{AlertMail: []string{"a@b.example"}, AlertRelay: "smtp://u:hunter2@localhost:25"}, "", 1},
		{AlertFlags{AlertMail: []string{"a@b.example"}, AlertRelay: "http://hunter2"}, "--alert-relay", 0},
	} {
		senders, err := c.flags.Senders()
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%+v: %v", c.flags, err)
		}
		if len(senders) != c.n {
			t.Errorf("%+v: %d senders", c.flags, len(senders))
		}
	}
}
