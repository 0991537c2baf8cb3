package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/sys/listen"
	"github.com/rcpt/rcpt/internal/testkit"
)

// procOptions are the options of /proc under a unit for systemd.
func procOptions(unit string) string {
	options := []string{"rw"}
	for setting, option := range map[string]string{"ProcSubset=pid": "subset=pid", "ProtectProc=invisible": "hidepid=invisible"} {
		if slices.Contains(strings.Split(unit, "\n"), setting) {
			options = append(options, option)
		}
	}
	return strings.Join(options, ",")
}

// TestUnitShowsMetrics: with the view of /proc that the shipped unit gives,
// there are the metrics of the Go runtime and of the process that the alerts
// and the dashboard ask for.
func TestUnitShowsMetrics(t *testing.T) {
	unit, err := os.ReadFile("../../deploy/systemd/rcpt.service")
	check(t, err)
	shell := []string{"unshare", "-m", "sh", "-c", `mount -t proc -o "$0" proc /proc && exec "$@"`, procOptions(string(unit))}
	if out, err := exec.Command(shell[0], append(shell[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no /proc can be mounted: %v\n%s", err, out)
	}
	rcpt, err := exec.LookPath("rcpt")
	check(t, err)
	listen, metrics := freePort(t), freePort(t)
	command := exec.CommandContext(t.Context(), shell[0],
		append(shell[1:], rcpt, "serve", "--listen", listen, "--metrics-listen", metrics, "--level", "syntax", "--data", t.TempDir())...)
	log := new(testkit.Log)
	command.Stderr = log
	check(t, command.Start())
	t.Cleanup(func() { _ = command.Process.Signal(os.Interrupt); _ = command.Wait() })
	var text []byte
	testkit.Eventually(t, "metrics are served", func() bool {
		response, err := http.Get("http://" + metrics + "/metrics")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		text, err = io.ReadAll(response.Body)
		return err == nil
	})
	for _, name := range askedFor(t) {
		if !regexp.MustCompile(`(?m)^` + name + `[ {]`).Match(text) {
			t.Errorf("%s is missing", name)
		}
	}
	if t.Failed() {
		t.Log(log)
	}
}

// askedFor are the metrics of the runtime and of the process that alerts.yml
// and rcpt.json ask for.
func askedFor(t *testing.T) []string {
	t.Helper()
	alerts, err := os.ReadFile("../../deploy/prometheus/alerts.yml")
	check(t, err)
	dashboard, err := os.ReadFile("../../deploy/grafana/rcpt.json")
	check(t, err)
	var valid any
	check(t, json.Unmarshal(dashboard, &valid))
	names := regexp.MustCompile(`\b(?:process|go)_[a-z_]+`).FindAllString(string(alerts)+string(dashboard), -1)
	names = slices.DeleteFunc(names, func(name string) bool { return name == "go_version" }) // a label
	slices.Sort(names)
	names = slices.Compact(names)
	if !slices.Contains(names, "process_start_time_seconds") {
		t.Errorf("only %q", names)
	}
	return names
}

// TestMetricsHosts: metrics at a loopback address are for requests that name
// one, and not for a page that a browser on this machine shows.
func TestMetricsHosts(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1:9464": true, "[::1]:9464": true, "[::ffff:127.0.0.1]:9464": true, "0.0.0.0:9464": false, "[::]:9464": false, "192.0.2.1:9464": false} {
		addr, err := net.ResolveTCPAddr("tcp", address)
		check(t, err)
		if listen.IsLoopback(addr) != want {
			t.Errorf("%s: %v", address, !want)
		}
	}
	p := start(t, startWorld(t), "serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0")
	at := strings.TrimPrefix(p.await(p.stderr, `^Metrics are at (http://.*)/metrics$`)[1], "http://")
	p.await(p.stderr, `^rcpt listens on `) // an interrupt before that ends the start
	for _, path := range []string{"/metrics", "/health"} {
		for host, want := range map[string]int{at: 200, "localhost": 200, "evil.example": 421, "127.0.0.1.evil.example": 421} {
			response := rawRequest(t, at, "GET "+path+" HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
			response.Body.Close()
			if response.StatusCode != want {
				t.Errorf("%s for %s: %s, want %d", path, host, response.Status, want)
			}
		}
	}
	if code, _, log := p.end(os.Interrupt); code != exitDone {
		t.Errorf("exit code %d\n%s", code, log)
	}
}
