package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestServeChangesEgresses: on SIGHUP a server adds and removes the egresses
// that its file has now, and keeps those that it has when the file is wrong.
func TestServeChangesEgresses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rcpt.yaml")
	write := func(text string) { t.Helper(); check(t, os.WriteFile(file, []byte(text), 0o600)) }
	write("egress:\n  - {name: first, source_ip: 127.0.0.8}\n")
	p := start(t, append(startWorld(t), "RCPT_API_KEY=key"), "--config", file, "serve", "--listen", "127.0.0.1:0",
		"--metrics-listen", "127.0.0.1:0", "--remember", "0", "--log-level", "debug")
	metrics := p.await(p.stderr, `^Metrics are at (http://.*)$`)[1]
	url := p.await(p.stderr, `^rcpt listens on (http://.*)$`)[1]
	asks := func(egress string) {
		t.Helper()
		if status, body := get(t, url+"/api/v1/verify?email=alice@acme.example", "key"); status != http.StatusOK || !strings.Contains(body, `"deliverable"`) {
			t.Fatalf("status %d, body %s", status, body)
		}
		p.await(p.stderr, `msg="smtp session" .*egress=`+egress+`\b`)
	}
	has := func(egresses ...string) {
		t.Helper()
		_, body := get(t, metrics, "")
		for _, name := range egresses {
			if !strings.Contains(body, `rcpt_egress_up{egress="`+name+`"} 1`) {
				t.Errorf("no egress %q in the metrics", name)
			}
		}
	}
	asks("first")
	has("first")
	h := healthAt(t, metrics)
	if len(h.Egresses) != 1 {
		t.Fatalf("/health says %+v", h)
	}
	first := h.Egresses[0] // the last reply is that to the random mailbox
	if !h.OK || first.Name != "first" || !first.Up || len(first.Said) != 1 || first.Said[0].Provider != "other" || first.Said[0].Code != 550 {
		t.Errorf("/health says %+v", h)
	}

	write("egress:\n  - {name: second, source_ip: 127.0.0.9}\n")
	check(t, p.command.Process.Signal(syscall.SIGHUP))
	p.await(p.stderr, `msg="egresses read again" egresses=second`)
	asks("second")
	has("second")

	write("egress:\n  - {name: third, source: 127.0.0.9}\n")
	check(t, p.command.Process.Signal(syscall.SIGHUP))
	p.await(p.stderr, `level=ERROR msg="the egresses cannot be changed; those from before stay in use" error="egress\[1\].source is not a setting`)
	asks("second")
	if code, _, log := p.end(syscall.SIGTERM); code != exitDone {
		t.Errorf("exit code %d, log:\n%s", code, log)
	}
}
