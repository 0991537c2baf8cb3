package smtptest_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

func serve(t *testing.T, h smtptest.Handler) *smtptest.Server {
	t.Helper()
	s := smtptest.Start(h)
	t.Cleanup(s.Close)
	return s
}

func dialServer(t *testing.T, s *smtptest.Server) *client {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &client{t, conn, bufio.NewReader(conn)}
}

func TestServer(t *testing.T) {
	s := serve(t, &smtptest.Host{CatchAll: true})
	for range 2 {
		c := dialServer(t, s)
		c.hello()
		c.want("QUIT", "221 ")
		c.wantEOF()
	}
	s.Close()
	list := s.Sessions()
	if len(list) != 2 || s.Err() != nil {
		t.Fatalf("%d sessions, %v", len(list), s.Err())
	}
	for _, got := range list {
		if got.Addr != s.Addr || got.Client != "EHLO client.example\r\nQUIT\r\n" || !got.QUIT {
			t.Errorf("session: %+v", got)
		}
	}
	if _, err := net.Dial("tcp", s.Addr); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("dial after Close: %v, want refused", err)
	}
}

func TestServerAtAddress(t *testing.T) {
	s, err := smtptest.StartAt("127.0.0.2:0", &smtptest.Host{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !strings.HasPrefix(s.Addr, "127.0.0.2:") {
		t.Errorf("listens at %s", s.Addr)
	}
	if again, err := smtptest.StartAt(s.Addr, &smtptest.Host{}); err == nil {
		again.Close()
		t.Error("listens twice at one address")
	}
}

func TestServerResets(t *testing.T) {
	s := serve(t, smtptest.Script("S: 220 hi\nC: NOOP\nreset"))
	c := dialServer(t, s)
	c.reply()
	c.send("NOOP\r\n")
	if _, err := io.ReadAll(c.r); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v, want ECONNRESET", err)
	}
}

func TestServerNotesErrors(t *testing.T) {
	s := serve(t, smtptest.Script("S: 220 hi\nC: NOOP"))
	c := dialServer(t, s)
	c.reply()
	c.want("RSET", "503 ")
	_ = c.conn.Close()
	s.Close()
	if err := s.Err(); err == nil || !strings.Contains(err.Error(), s.Addr) {
		t.Errorf("got %v", err)
	}
}

func TestHandlerOnAnyConnection(t *testing.T) {
	for name, h := range map[string]smtptest.Handler{
		"host":   &smtptest.Host{},
		"script": smtptest.Script("S: 220 hi"),
	} {
		t.Run(name, func(t *testing.T) {
			a, b := net.Pipe()
			done := make(chan struct{})
			go func() {
				defer close(done)
				h.ServeSMTP(b)
			}()
			c := &client{t, a, bufio.NewReader(a)}
			c.reply()
			c.want("QUIT", "221 ")
			c.wantEOF()
			<-done
			if _, err := b.Write(nil); err != io.ErrClosedPipe {
				t.Errorf("the handler left its connection open: %v", err)
			}
		})
	}
}
