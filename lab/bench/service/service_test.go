package service

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/rcpt/rcpt/lab/bench/drive"
	"github.com/rcpt/rcpt/lab/bench/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLoad(t *testing.T) {
	spec := world.Spec{Seed: 1, Subnet: 80, Port: 2527, Addresses: 5, Domains: 2}
	w, err := world.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	addresses := []string{"box0@d0.test", "box1@d1.test"}
	setting, state := drive.Setting{Spec: spec, DNS: w.DNS()}, t.TempDir()
	key, err := Prepare(t.Context(), state, 3)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		order      Order
		key        string
		recipients int64 // RCPT for each request at most
	}{
		{Order{Kind: Bare, Setting: setting}, Key, 2},
		{Order{Kind: Whole, Setting: setting, State: state}, key, 2},
		{Order{Kind: Trivial}, Key, 0},
	}
	for _, test := range tests {
		kind := test.order.Kind
		addr, end := control(t, test.order)
		load := Load{Addr: addr, Key: test.key, Addresses: addresses, Requests: 10, Connections: 3}
		if took, err := load.Run(t.Context()); err != nil || took.P50 <= 0 || took.P99 < took.P50 || took.All < took.P99 {
			t.Errorf("%s: %+v, %v", kind, took, err)
		}
		bad := Load{Addr: addr, Key: test.key, Addresses: []string{""}, Requests: 1, Connections: 1}
		if _, err := bad.Run(t.Context()); (err == nil) != (kind == Trivial) {
			t.Errorf("%s, without an address: error %v", kind, err)
		}
		wrong := Load{Addr: addr, Key: "wrong", Addresses: addresses, Requests: 1, Connections: 1}
		if _, err := wrong.Run(t.Context()); (err == nil) != (kind == Trivial) {
			t.Errorf("%s, with a wrong key: error %v", kind, err)
		}
		end()
		got := w.Take(t.Context()).Commands["RCPT"]
		if got > 10*test.recipients || test.recipients > 0 && got == 0 {
			t.Errorf("%s: %d RCPT for 10 requests", kind, got)
		}
	}
	log, err := os.ReadFile(filepath.Join(state, logName))
	if err != nil || strings.Count(string(log), "result=deliverable") != 10 {
		t.Errorf("want a line for each verification (%v):\n%s", err, log)
	}
}

// control runs Control; end ends it.
func control(t *testing.T, order Order) (addr string, end func()) {
	t.Helper()
	in, orders := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Control(in, out)
		out.Close()
	}()
	encoder, decoder := json.NewEncoder(orders), json.NewDecoder(answers)
	if err := encoder.Encode(order); err != nil {
		t.Fatal(err)
	}
	var ready Ready
	if err := decoder.Decode(&ready); err != nil {
		t.Fatal(err)
	}
	return ready.Addr, func() {
		t.Helper()
		var used Used
		if err := encoder.Encode("used"); err != nil {
			t.Fatal(err)
		}
		if err := decoder.Decode(&used); err != nil || used.CPU <= 0 {
			t.Errorf("CPU time %v, error %v", used.CPU, err)
		}
		orders.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestLoadReadsWholeAnswers(t *testing.T) {
	tests := []struct {
		answer string
		ok     bool
	}{
		{"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nDate: today\r\n\r\nbody", true},
		{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbody", false},
		{"HTTP/1.1 200 OK\r\n\r\nbody", false},
		{"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbody", false},
	}
	for _, test := range tests {
		if err := skipAnswer(bufio.NewReader(strings.NewReader(test.answer))); (err == nil) != test.ok {
			t.Errorf("%q: error %v", test.answer, err)
		}
	}
}
