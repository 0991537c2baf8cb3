package smtptest_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// handshake starts TLS as a client that verifies the host.
func handshake(c *client, h *smtptest.Host) error {
	roots := x509.NewCertPool()
	roots.AddCert(h.Certificate())
	conn := tls.Client(c.conn, &tls.Config{
		RootCAs:            roots,
		ServerName:         "mx.smtptest.example",
		ClientSessionCache: tls.NewLRUClientSessionCache(1), // a server may then send tickets
	})
	c.conn, c.r = conn, bufio.NewReader(conn)
	return conn.Handshake()
}

func TestSTARTTLS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &smtptest.Host{CatchAll: true, STARTTLS: smtptest.TLSWorks, RequireTLS: true}
		n, c := connect(t, h)
		c.hello()
		c.want("MAIL FROM:<>", "530 5.7.0 ")
		c.want("STARTTLS", "220 ")
		if err := handshake(c, h); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !n.Sessions()[0].TLS {
			t.Error("the host's handshake needs more from the client")
		}
		c.want("MAIL FROM:<>", "503 ") // all that was said before is forgotten
		if got := c.cmd("EHLO client.example"); strings.Contains(got, "STARTTLS") {
			t.Errorf("STARTTLS offered again: %q", got)
		}
		c.want("STARTTLS", "5")
		c.send(flight)
		for range 3 {
			if got := c.reply(); !strings.HasPrefix(got, "250 ") {
				t.Errorf("got %q", got)
			}
		}
		c.want("QUIT", "221 ")
		c.wantEOF()

		s := only(t, n)
		if !s.TLS || !s.QUIT || s.Err != nil {
			t.Errorf("session: %+v", s)
		}
		want := "EHLO client.example\r\nMAIL FROM:<>\r\nSTARTTLS\r\nMAIL FROM:<>\r\nEHLO client.example\r\nSTARTTLS\r\n" + flight + "QUIT\r\n"
		if diff := cmp.Diff(want, s.Client); diff != "" {
			t.Error(diff)
		}
		if !strings.HasSuffix(s.Server, "221 2.0.0 Bye\r\n") {
			t.Errorf("server's side is not in clear: %q", s.Server)
		}
	})
}

func TestSTARTTLSNotOffered(t *testing.T) {
	_, c := connect(t, &smtptest.Host{})
	c.hello()
	c.want("STARTTLS", "502 ")
	c.want("MAIL FROM:<>", "250 ")
}

func TestSTARTTLSRefused(t *testing.T) {
	_, c := connect(t, &smtptest.Host{STARTTLS: smtptest.TLSRefused})
	c.hello()
	c.want("STARTTLS", "454 4.7.0 ")
	c.want("MAIL FROM:<>", "250 ")
}

func TestSTARTTLSBroken(t *testing.T) {
	for _, tt := range []struct {
		name string
		mode smtptest.TLSMode
		want string // part of the handshake's error
		wait time.Duration
	}{
		{"closes", smtptest.TLSCloses, "EOF", 0},
		{"stalls", smtptest.TLSStalls, "timeout", time.Minute},
		{"garbage", smtptest.TLSGarbage, "first record does not look like a TLS handshake", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &smtptest.Host{STARTTLS: tt.mode}
				n, c := connect(t, h)
				c.hello()
				c.want("STARTTLS", "220 ")
				begun := time.Now()
				_ = c.conn.SetDeadline(begun.Add(time.Minute))
				err := handshake(c, h)
				if err == nil || !strings.Contains(err.Error(), tt.want) && !strings.Contains(err.Error(), "pipe") {
					t.Errorf("got %v, want %q", err, tt.want)
				}
				if took := time.Since(begun); took != tt.wait {
					t.Errorf("failed after %v, want %v", took, tt.wait)
				}
				_ = c.conn.Close()
				s := only(t, n)
				if s.TLS || s.Client != "EHLO client.example\r\nSTARTTLS\r\n" {
					t.Errorf("session: %+v", s)
				}
			})
		})
	}
}

func TestSTARTTLSInjects(t *testing.T) {
	h := &smtptest.Host{STARTTLS: smtptest.TLSInjects}
	_, c := connect(t, h)
	c.hello()
	c.want("STARTTLS", "220 ")
	if c.r.Buffered() == 0 {
		t.Error("nothing behind the reply to STARTTLS")
	}
	c.want("", "250 2.0.0 this line was not sent by the host")
}

// A client that lets itself be tricked into sending clear text behind STARTTLS:
// the host forgets that text, and notes it.
func TestClientInjects(t *testing.T) {
	h := &smtptest.Host{CatchAll: true, STARTTLS: smtptest.TLSWorks}
	n, c := connect(t, h)
	c.hello()
	c.want("STARTTLS\r\nVRFY injected", "220 ")
	if err := handshake(c, h); err != nil {
		t.Fatal(err)
	}
	c.want("EHLO client.example", "250-")
	c.want("QUIT", "221 ")
	_ = c.conn.Close()
	if s := only(t, n); s.Err == nil || !s.TLS {
		t.Errorf("session: %+v", s)
	}
}

// The alert that ends TLS is not a command sent too early.
func TestClientThatClosesTLSBehindQUIT(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &smtptest.Host{CatchAll: true, STARTTLS: smtptest.TLSWorks, ReplyDelay: time.Second}
		n, c := connect(t, h)
		c.hello()
		c.want("STARTTLS", "220 ")
		if err := handshake(c, h); err != nil {
			t.Fatal(err)
		}
		c.send("QUIT\r\n")
		if err := c.conn.(*tls.Conn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		c.reply()
		c.wantEOF()
		if s := only(t, n); s.Err != nil || !s.QUIT {
			t.Errorf("session: %+v", s)
		}
	})
}

func TestPipeliningIsForgottenWithTLS(t *testing.T) {
	h := &smtptest.Host{CatchAll: true, STARTTLS: smtptest.TLSWorks}
	n, c := connect(t, h)
	c.hello()
	c.want("STARTTLS", "220 ")
	if err := handshake(c, h); err != nil {
		t.Fatal(err)
	}
	c.want("NOOP\r\nNOOP", "250 ")
	c.reply()
	_ = c.conn.Close()
	if s := only(t, n); s.Err == nil {
		t.Error("not noted")
	}
}
