package main

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/testkit"
)

// TestMetricsOfMemory: cached results and waiting rechecks are gauges of their
// present number, not counters.
func TestMetricsOfMemory(t *testing.T) {
	folder := t.TempDir()
	kept, err := store.Open(t.Context(), store.Options{DataDir: folder})
	check(t, err)
	later := time.Now().Add(time.Hour)
	kept.ScheduleRecheck(store.Recheck{Address: "alice@acme.example", Egress: "elsewhere", RunAfter: later, GiveUp: later.Add(time.Hour)})
	check(t, kept.Close())

	const key = "0123456789abcdef0123"
	p := start(t, []string{"RCPT_API_KEY=" + key}, "serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--data", folder,
		"--resolver", "127.0.0.1:1", "--network-check", "off", "--log-level", "warn")
	metrics := p.await(p.stderr, `^Metrics are at (http://.*)$`)[1]
	url := p.await(p.stderr, `^rcpt listens on (http://.*)$`)[1]
	for range 3 {
		if status, body := get(t, url+"/api/v1/verify?email=alice@acme.example", key); status != http.StatusOK {
			t.Fatal(status, body)
		}
	}
	testkit.Eventually(t, "one result is in memory, and one address waits", func() bool {
		response, err := http.Get(metrics)
		check(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		check(t, err)
		return strings.Contains(string(text), "\nrcpt_cache_entries 1\n") && strings.Contains(string(text), "\nrcpt_rechecks_waiting 1\n")
	})
	if code, _, stderr := p.end(os.Interrupt); code != 0 {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}
