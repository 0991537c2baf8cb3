package smtpprobe_test

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestHello: a session that names nobody, over TLS where it is offered, and
// ends with QUIT.
func TestHello(t *testing.T) {
	network := smtptest.NewNetwork()
	network.Add("192.0.2.1", &smtptest.Host{STARTTLS: smtptest.TLSWorks})
	network.Add("192.0.2.2", &smtptest.Host{Greeting: "554 5.7.1 Go away"})
	for i, tt := range []struct {
		ip, found, local string
	}{
		{"192.0.2.1", "greeting 220, ehlo 250, starttls 220, TLS 1.3", "198.51.100.1"},
		{"192.0.2.2", "greeting 554", "198.51.100.1"},
		{"192.0.2.3", "failure refused at connect", "invalid IP"},
	} {
		s, local := smtpprobe.Hello(t.Context(), smtpprobe.Introduction{
			HELO: "verifier.example", Egress: egress.Egress{Dialer: network}, Host: "mx.example.net",
			Addr: netip.MustParseAddrPort(tt.ip + ":25"),
		})
		if summary(s) != tt.found || local.String() != tt.local {
			t.Errorf("%d: %s, from %v", i, summary(s), local)
		}
	}
	network.Close()
	want := [][]string{{"EHLO verifier.example", "STARTTLS", "EHLO verifier.example", "QUIT"}, {"QUIT"}}
	for i, s := range network.Sessions() {
		if !slices.Equal(s.Commands, want[i]) {
			t.Errorf("heard %q, want %q", s.Commands, want[i])
		}
	}
}
