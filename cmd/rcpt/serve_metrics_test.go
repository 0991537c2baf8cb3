package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
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

// once is a listener with one connection.
type once struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l once) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l once) Close() error   { close(l.closed); return nil }
func (l once) Addr() net.Addr { return &net.TCPAddr{} }

// TestQuietConnectionsToMetrics: an idle connection to the metrics is closed.
func TestQuietConnectionsToMetrics(t *testing.T) {
	for name, asks := range map[string]int{"nothing asked": 0, "once asked": 1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := metricsServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "figures") }), http.NotFoundHandler())
				here, there := net.Pipe()
				listener := once{make(chan net.Conn, 1), make(chan struct{})}
				listener.conns <- there
				go func() { _ = site.Serve(listener) }()
				began, read := time.Now(), bufio.NewReader(here)
				for range asks {
					go func() { _, _ = io.WriteString(here, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n") }()
					response, err := http.ReadResponse(read, nil)
					check(t, err)
					_, err = io.Copy(io.Discard, response.Body)
					check(t, err)
				}
				go func() {
					time.Sleep(time.Hour)
					_ = here.Close()
				}()
				_, _ = read.ReadByte() // the end
				if took := time.Since(began); took > metricsIdle {
					t.Errorf("it was open for %v", took)
				}
				_ = site.Close()
				time.Sleep(time.Hour)
			})
		})
	}
}
