package smtptest_test

import (
	"crypto/tls"
	"errors"
	"net/smtp"
	"net/textproto"
	"os/exec"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// Clients that this project did not write, each against a host with STARTTLS.

func foreignHost() *smtptest.Host {
	return &smtptest.Host{
		Domains:   []string{"example.com"},
		Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts},
		Unknown:   "550-5.1.1 Not\n550 5.1.1 here",
		STARTTLS:  smtptest.TLSWorks,
	}
}

// wantSession fails the test unless one session was held under TLS, faultless,
// with the flags.
func wantSession(t *testing.T, s *smtptest.Server, quit, data bool) {
	t.Helper()
	s.Close()
	list := s.Sessions()
	if len(list) != 1 {
		t.Fatalf("%d sessions, want 1", len(list))
	}
	if got := list[0]; !got.TLS || got.Err != nil || got.QUIT != quit || got.DATA != data {
		t.Errorf("TLS %t, QUIT %t, DATA %t, %v; client:\n%s", got.TLS, got.QUIT, got.DATA, got.Err, got.Client)
	}
}

func TestNetSMTP(t *testing.T) {
	s := serve(t, foreignHost())
	c, err := smtp.Dial(s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.StartTLS(&tls.Config{InsecureSkipVerify: true}); err != nil {
		t.Fatal(err)
	}
	if err := c.Mail(""); err != nil {
		t.Error(err)
	}
	if err := c.Rcpt("alice@example.com"); err != nil {
		t.Error(err)
	}
	var refusal *textproto.Error
	if err := c.Rcpt("bob@example.com"); !errors.As(err, &refusal) || refusal.Code != 550 || refusal.Msg != "5.1.1 Not\n5.1.1 here" {
		t.Errorf("got %v", err)
	}
	if err := c.Reset(); err != nil {
		t.Error(err)
	}
	if err := c.Quit(); err != nil {
		t.Error(err)
	}
	wantSession(t, s, true, false)
}

func TestSwaks(t *testing.T) {
	swaks, err := exec.LookPath("swaks")
	if err != nil {
		t.Skip("swaks is not installed")
	}
	// It exits with 10 where a feature that was asked for is missing.
	if out, err := exec.CommandContext(t.Context(), swaks, "--support").CombinedOutput(); err != nil ||
		!strings.Contains(string(out), "TLS supported") {
		t.Skip("swaks cannot speak TLS here: it lacks the Perl module Net::SSLeay")
	}
	for _, tt := range []struct {
		name string
		args []string
		exit int
		want string
		data bool
	}{
		{"stops after RCPT", []string{"--to", "alice@example.com", "--quit-after", "RCPT"}, 0, "250 2.1.5", false},
		{"refused", []string{"--to", "bob@example.com", "--quit-after", "RCPT"}, 24, "550-5.1.1 Not", false},
		{"pipelined", []string{"--to", "alice@example.com,bob@example.com", "--quit-after", "RCPT", "--pipeline"}, 0, "550 5.1.1 here", false},
		{"message", []string{"--to", "alice@example.com"}, 0, "250 2.0.0 OK: queued", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, foreignHost())
			args := append([]string{"--server", s.Addr, "--tls", "--helo", "client.example", "--from", "me@example.com"}, tt.args...)
			out, err := exec.CommandContext(t.Context(), swaks, args...).CombinedOutput()
			exit := 0
			var exitErr *exec.ExitError
			if errors.As(err, &exitErr) {
				exit = exitErr.ExitCode()
			}
			if exit != tt.exit || !strings.Contains(string(out), tt.want) {
				t.Errorf("exit code %d, want %d; %v\n%s", exit, tt.exit, err, out)
			}
			wantSession(t, s, true, tt.data)
		})
	}
}
