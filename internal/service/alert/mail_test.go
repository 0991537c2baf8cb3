package alert

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/wneessen/go-mail"
)

// relay is a submission server that keeps one message.
type relay struct{ got chan string }

func (r *relay) NewSession(c *smtp.Conn) (smtp.Session, error) {
	if _, ok := c.TLSConnectionState(); ok {
		r.got <- "TLS"
	}
	return r, nil
}
func (r *relay) AuthMechanisms() []string { return []string{sasl.Plain} }
func (r *relay) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		r.got <- "auth " + user
		if password != "hunter2" {
			return errors.New("wrong password")
		}
		return nil
	}), nil
}
func (r *relay) Mail(from string, _ *smtp.MailOptions) error { r.got <- "from " + from; return nil }
func (r *relay) Rcpt(to string, _ *smtp.RcptOptions) error   { r.got <- "to " + to; return nil }
func (r *relay) Reset()                                      {}
func (r *relay) Logout() error                               { return nil }
func (r *relay) Data(text io.Reader) error {
	data, err := io.ReadAll(text)
	r.got <- string(data)
	return err
}

// startRelay starts a relay on this machine and returns its address. It offers
// STARTTLS if it has a certificate.
func startRelay(t *testing.T, certificates ...tls.Certificate) (*relay, string) {
	t.Helper()
	r := &relay{make(chan string, 10)}
	server := smtp.NewServer(r)
	server.AllowInsecureAuth = true // a client that asks for it must not do so
	if certificates != nil {
		server.TLSConfig = &tls.Config{Certificates: certificates, MinVersion: tls.VersionTLS12}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Close() })
	return r, listener.Addr().String()
}

var someMessage = Message{Event: QuotaNearlyUp, State: StateProblem, Subject: "key shop", Text: "80 % are used.", Server: "node1"}

// TestMail sends an e-mail to a relay on this machine.
func TestMail(t *testing.T) {
	r, addr := startRelay(t)
	sender, err := NewMail("smtp://"+addr, "rcpt@acme.example", []string{"ops@acme.example"})
	if err != nil {
		t.Fatal(err)
	}
	if err := sender.Send(t.Context(), someMessage); err != nil {
		t.Fatal(err)
	}
	if from, to := <-r.got, <-r.got; from != "from rcpt@acme.example" || to != "to ops@acme.example" {
		t.Error(from, to)
	}
	text := <-r.got
	for _, want := range []string{"Subject: [rcpt] Problem: key shop\r\n", "80 % are used.", "Server: node1", "Event: quota_nearly_up"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestMailOverTLS: the password and the message go to a relay elsewhere over
// TLS only, and only if its certificate is good.
func TestMailOverTLS(t *testing.T) {
	secure := httptest.NewTLSServer(nil) // for its certificate of example.com
	defer secure.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(secure.Certificate())
	send := func(addr, url string, roots *x509.CertPool) error {
		sender, err := NewMail(url, "rcpt@acme.example", []string{"ops@acme.example"})
		if err != nil {
			t.Fatal(err)
		}
		sender.relay = append(sender.relay,
			mail.WithTLSConfig(&tls.Config{RootCAs: roots, ServerName: sender.host, MinVersion: tls.VersionTLS12}),
			mail.WithDialContextFunc(func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, addr)
			}))
		return sender.Send(t.Context(), someMessage)
	}
	const url = "smtp://rcpt:hunter2@example.com"
	r, addr := startRelay(t, secure.TLS.Certificates...)
	if err := send(addr, url, trusted); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"TLS", "auth rcpt", "from rcpt@acme.example", "to ops@acme.example"} {
		if got := <-r.got; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if text := <-r.got; !strings.Contains(text, "80 % are used.") {
		t.Error(text)
	}
	plain, plainAddr := startRelay(t)
	for _, c := range []struct {
		what, addr, url string
		roots           *x509.CertPool
		relay           *relay
	}{
		{"no STARTTLS", plainAddr, url, trusted, plain},
		{"a certificate of nobody", addr, url, x509.NewCertPool(), r},
		{"another host's certificate", addr, "smtp://rcpt:hunter2@acme.example", trusted, r},
	} {
		if err := send(c.addr, c.url, c.roots); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", c.what, err)
		}
		if len(c.relay.got) != 0 {
			t.Errorf("%s: the relay got %q", c.what, <-c.relay.got)
		}
	}
	if err := send(addr, "smtp://rcpt:wrong@example.com", trusted); err == nil {
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
