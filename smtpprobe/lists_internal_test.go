package smtpprobe

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestListsAreForgotten sees that a list is known as long as it has probes, and
// not longer.
func TestListsAreForgotten(t *testing.T) {
	network := smtptest.NewNetwork()
	defer network.Close()
	p, err := New(Config{HELO: "verifier.test", Dialer: network})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	known := func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.lists.of) + len(p.lists.by)
	}
	during := 0
	network.Add("192.0.2.1", &smtptest.Host{RCPTFunc: func(*smtptest.Visit, string) string {
		during = max(during, known())
		return ""
	}})
	list := new(Caller)
	host := Host{Name: "mx.a.example", Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		_, err := p.Probe(ctx, Request{Hosts: []Host{host}, Target: "good@a.example", Caller: list})
		if cancel(); err != nil || during != 2 || known() != 0 {
			t.Errorf("%v; known to the pool: %d, and %d afterwards", err, during, known())
		}
	}
}
