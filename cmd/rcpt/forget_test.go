package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/testkit"
)

// TestForgetBesideServer: an address is erased while a server asks about it,
// which it does no more. At no level its log has had the local-part.
func TestForgetBesideServer(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	environment := append(startWorld(t), "RCPT_DATA="+data)
	key := keysOf{environment}.mustCreate(t, "--name", "shop", "--scope", "verify,bulk").Key
	n := startNode(t, environment, "--log-level", "debug")
	n.mustVerify(key, "Zoequill@acme.example")
	_, err := n.verify(t.Context(), "wrong", "zoequill@acme.example")
	check(t, err)
	a, err := n.request(t.Context(), http.MethodPost, "/api/v1/bulk", key,
		"name,email\nZoe,zoequill@mute.example\nInfo,info@acme.example\nZoe,zoequill@acme.example\n")
	check(t, err)
	var made jobState
	check(t, json.Unmarshal([]byte(a.body), &made))
	testkit.Eventually(t, "all but one are done", func() bool { return n.mustJob(key, made.ID).Done == 2 })

	command := exec.CommandContext(t.Context(), "rcpt", "forget", "--json", "-")
	command.Env = append(os.Environ(), environment...)
	command.Stdin = strings.NewReader("zoequill@mute.example\n{\"email\":\"zoequill@ACME.example\"}\n")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var done forgottenRecord
	check(t, json.Unmarshal(out, &done))
	for kind, want := range map[string]int64{"rows": 2, "results": 1, "not_asked": 1, "verdicts": 1} {
		if done.Erased[kind] != want {
			t.Errorf("%s: %s", kind, out)
		}
	}
	testkit.Eventually(t, "the list is done", func() bool { return n.mustJob(key, made.ID).State == "done" })
	results, err := os.ReadFile(n.results(key, made.ID))
	check(t, err)
	if file := string(results); strings.Contains(strings.ToLower(file), "zoe") || strings.Count(file, "\n") != 4 {
		t.Errorf("results:\n%s", file)
	}
	files, err := filepath.Glob(filepath.Join(data, "*"))
	check(t, err)
	for _, path := range files {
		octets, err := os.ReadFile(path)
		check(t, err)
		if strings.Contains(strings.ToLower(string(octets)), "zoequill") {
			t.Errorf("%s has the address", path)
		}
	}
	n.stop()
	if log := n.log.String(); strings.Contains(strings.ToLower(log), "zoequill") || !strings.Contains(log, "domain=acme.example") {
		t.Errorf("log:\n%s", log)
	}
}
