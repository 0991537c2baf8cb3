package main

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestDebugListen: the figures of the runtime are served, the command line is
// not.
func TestDebugListen(t *testing.T) {
	p := start(t, startWorld(t), "serve", "--listen", "127.0.0.1:0", "--debug-listen", "127.0.0.1:0")
	url := p.await(p.stderr, `^Runtime figures and profiles are at (http://127\.0\.0\.1:\d+)/debug/runtime and /debug/pprof/$`)[1]
	var figures struct {
		Goroutines uint64 `json:"goroutines"`
		Memory     uint64 `json:"memory_bytes"`
	}
	status, body := get(t, url+"/debug/runtime", "")
	if err := json.Unmarshal([]byte(body), &figures); err != nil || status != http.StatusOK || figures.Goroutines == 0 || figures.Memory == 0 {
		t.Errorf("status %d, body %s", status, body)
	}
	if status, body := get(t, url+"/debug/pprof/goroutine?debug=1", ""); status != http.StatusOK || !strings.Contains(body, "goroutine profile:") {
		t.Errorf("status %d, body %.80s", status, body)
	}
	if status, body := get(t, url+"/debug/pprof/cmdline", ""); status != http.StatusNotFound {
		t.Errorf("status %d, body %.80s", status, body)
	}
	if code, _, log := p.end(os.Interrupt); code != exitDone {
		t.Errorf("exit code %d\n%s", code, log)
	}
}

// TestDebugListenHere: only loopback addresses are accepted.
func TestDebugListenHere(t *testing.T) {
	for _, address := range []string{"0.0.0.0:6060", ":6060", "192.0.2.1:6060", "localhost:6060", "[::]:6060", "127.0.0.1"} {
		if new(loopbackAddress).UnmarshalText([]byte(address)) == nil {
			t.Errorf("%s is accepted", address)
		}
	}
	for _, address := range []string{"127.0.0.1:0", "127.9.9.9:6060", "[::1]:6060"} {
		if err := new(loopbackAddress).UnmarshalText([]byte(address)); err != nil {
			t.Error(err)
		}
	}
}
