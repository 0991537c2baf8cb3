package alert

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"net"
	"strings"
	"testing"

	"github.com/wneessen/go-mail"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// relay is a submission server on this machine for one user. It offers STARTTLS
// if secure is set. It takes a password with and without TLS: a client must not
// send it without.
func relay(t *testing.T, secure bool) (*smtptest.Host, *smtptest.Server) {
	t.Helper()
	host := &smtptest.Host{Name: "example.com", CatchAll: true, Say: func(_ *smtptest.Visit, command, due string) string {
		switch verb, arg, _ := strings.Cut(command, " "); {
		case verb == "EHLO":
			return strings.Replace(due, "250 ", "250-AUTH PLAIN\n250 ", 1)
		case verb != "AUTH":
			return ""
		case arg == "PLAIN "+base64.StdEncoding.EncodeToString([]byte("\x00rcpt\x00hunter2")):
			return "235 2.7.0 Welcome"
		}
		return "535 5.7.8 Wrong password"
	}}
	if secure {
		host.STARTTLS = smtptest.TLSWorks
	}
	server := smtptest.Start(host)
	t.Cleanup(server.Close)
	return host, server
}

// only is the session that a relay has had.
func only(t *testing.T, server *smtptest.Server) smtptest.Session {
	t.Helper()
	sessions := server.Sessions()
	if len(sessions) != 1 || sessions[0].Err != nil {
		t.Fatalf("%+v", sessions)
	}
	return sessions[0]
}

var someMessage = Message{Event: QuotaNearlyUp, State: StateProblem, Subject: "key shop", Text: "80% are used.", Server: "node1"}

// TestMail sends an e-mail to a relay on this machine.
func TestMail(t *testing.T) {
	_, server := relay(t, false)
	sender, err := NewMail("smtp://"+server.Addr, "rcpt@acme.example", []string{"ops@acme.example"})
	if err != nil {
		t.Fatal(err)
	}
	if err := sender.Send(t.Context(), someMessage); err != nil {
		t.Fatal(err)
	}
	said := only(t, server).Client
	for _, want := range []string{
		"MAIL FROM:<rcpt@acme.example>", "RCPT TO:<ops@acme.example>",
		"Subject: [rcpt] Problem: key shop\r\n", "80% are used.", "Server: node1", "Event: quota_nearly_up",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}

// TestMailOverTLS: the password and the message go to a relay elsewhere over
// TLS only, and only if its certificate is good.
func TestMailOverTLS(t *testing.T) {
	host, server := relay(t, true)
	trusted := x509.NewCertPool()
	trusted.AddCert(host.Certificate())
	send := func(addr, url string, roots *x509.CertPool) error {
		sender, err := NewMail(url, "rcpt@acme.example", []string{"ops@acme.example"})
		if err != nil {
			t.Fatal(err)
		}
		sender.relay = append(sender.relay,
			mail.WithTLSConfig(&tls.Config{RootCAs: roots, ServerName: sender.host, MinVersion: tls.VersionTLS12}),
			mail.WithDialContextFunc(func(ctx context.Context, network, _ string) (net.Conn, error) {
				conn, err := new(net.Dialer).DialContext(ctx, network, addr)
				if err == nil {
					t.Cleanup(func() { _ = conn.Close() }) // which the client leaves open where it does not go on
				}
				return conn, err
			}))
		return sender.Send(t.Context(), someMessage)
	}
	const url = "smtp://rcpt:hunter2@example.com"
	if err := send(server.Addr, url, trusted); err != nil {
		t.Fatal(err)
	}
	said := only(t, server)
	_, secret, secure := strings.Cut(said.Client, "STARTTLS")
	for _, want := range []string{"AUTH PLAIN", "MAIL FROM:<rcpt@acme.example>", "RCPT TO:<ops@acme.example>", "80% are used."} {
		if !strings.Contains(secret, want) || !secure || !said.TLS {
			t.Errorf("no %q behind STARTTLS in\n%s", want, said.Client)
		}
	}
	_, plain := relay(t, false)
	for _, c := range []struct {
		what, url string
		roots     *x509.CertPool
		relay     *smtptest.Server
	}{
		{"no STARTTLS", url, trusted, plain},
		{"a certificate of nobody", url, x509.NewCertPool(), server},
		{"another host's certificate", "smtp://rcpt:hunter2@acme.example", trusted, server},
	} {
		if err := send(c.relay.Addr, c.url, c.roots); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", c.what, err)
		}
		sessions := c.relay.Sessions()
		if last := sessions[len(sessions)-1].Client; strings.Contains(last, "AUTH ") || strings.Contains(last, "MAIL") {
			t.Errorf("%s: the relay got %q", c.what, last)
		}
	}
	if err := send(server.Addr, "smtp://rcpt:wrong@example.com", trusted); err == nil {
		t.Error("a wrong password is no error")
	}
}

// TestWrongMail: settings that cannot work are refused, and show no password.
func TestWrongMail(t *testing.T) {
	for _, c := range []struct{ relay, from, to string }{
		{"http://user:hunter2@a.example", "a@b.example", "c@d.example"}, {"smtp://", "a@b.example", "c@d.example"},
		{"smtp://user:hunter2@a.example:x", "a@b.example", "c@d.example"}, {"smtp://a.example", "nobody", "c@d.example"},
		{"smtp://a.example", "a@b.example", "nobody"}, {"smtp://a.example/path", "a@b.example", "c@d.example"},
	} {
		if _, err := NewMail(c.relay, c.from, []string{c.to}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestSendTo: a mail to one address; none with an address or a name that would
// break a header.
func TestSendTo(t *testing.T) {
	_, server := relay(t, false)
	m, err := NewMail("smtp://"+server.Addr, "rcpt@acme.example", []string{"ops@acme.example"})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.SendTo(t.Context(), "bob@b.example", "done: spring\r\nBcc: eve@b.example", "Text."); err != nil {
		t.Fatal(err)
	}
	session := only(t, server)
	all := strings.Join(session.Commands, "\n")
	if !strings.Contains(all, "RCPT TO:<bob@b.example>") || strings.Contains(all, "ops@acme.example") || strings.Contains(all, "eve@b.example>") {
		t.Errorf("%s", all)
	}
	for _, wrong := range []string{"", "bob", "bob@b.example\r\nBcc: eve@b.example", "bob@b.example, eve@b.example"} {
		if err := m.SendTo(t.Context(), wrong, "s", "t"); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
