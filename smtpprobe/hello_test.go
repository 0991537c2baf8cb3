package smtpprobe_test

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestHello: a session that names nobody, over TLS where it is offered, and
// ends with QUIT.
func TestHello(t *testing.T) {
	network := smtptest.NewNetwork()
	network.Add("192.0.2.1", &smtptest.Host{STARTTLS: smtptest.TLSWorks})
	network.Add("192.0.2.2", &smtptest.Host{Greeting: "554 5.7.1 Go away"})
	hello := func(ip string) (smtpprobe.Session, netip.Addr) {
		return smtpprobe.Hello(t.Context(), smtpprobe.Introduction{
			HELO: "verifier.example", Egress: egress.Egress{Dialer: network}, Host: "mx.example.net",
			Addr: netip.MustParseAddrPort(ip + ":25"),
		})
	}
	open, local := hello("192.0.2.1")
	if open.Failure != nil || open.TLS == "" || open.EHLO == nil || local.String() != "198.51.100.1" {
		t.Errorf("%+v, from %v", open, local)
	}
	refused, _ := hello("192.0.2.2")
	if refused.Greeting == nil || refused.Greeting.Code != 554 || refused.EHLO != nil {
		t.Errorf("%+v", refused)
	}
	dead, local := hello("192.0.2.3")
	if dead.Failure == nil || dead.Failure.Kind != smtp.KindRefused || local.IsValid() {
		t.Errorf("%+v, from %v", dead, local)
	}
	network.Close()
	want := [][]string{{"EHLO verifier.example", "STARTTLS", "EHLO verifier.example", "QUIT"}, {"QUIT"}}
	for i, s := range network.Sessions() {
		if !slices.Equal(s.Commands, want[i]) {
			t.Errorf("heard %q, want %q", s.Commands, want[i])
		}
	}
}
