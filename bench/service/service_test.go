package service

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/rcpt/rcpt/bench/drive"
	"github.com/rcpt/rcpt/bench/world"
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
	tests := []struct {
		name       string
		order      Order
		recipients int64 // RCPT for each request at most
	}{
		{"rcpt", Order{Setting: drive.Setting{Spec: spec, DNS: w.DNS()}}, 2},
		{"trivial", Order{Trivial: true}, 0},
	}
	for _, test := range tests {
		addr, end := control(t, test.order)
		load := Load{Addr: addr, Addresses: addresses, Requests: 10, Connections: 3}
		if _, err := load.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		bad := Load{Addr: addr, Addresses: []string{""}, Requests: 1, Connections: 1}
		if _, err := bad.Run(t.Context()); (err == nil) != test.order.Trivial {
			t.Errorf("%s, without an address: error %v", test.name, err)
		}
		end()
		got := w.Take(t.Context()).Commands["RCPT"]
		if got > 10*test.recipients || test.recipients > 0 && got == 0 {
			t.Errorf("%s: %d RCPT for 10 requests", test.name, got)
		}
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
