package smtptest_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

const addr = "192.0.2.1:25"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client is the plainest client there is: it sends bytes and reads replies.
type client struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
}

// connect returns a client of a network on which h is the only host. Both end
// with the test.
func connect(t *testing.T, h smtptest.Handler) (*smtptest.Network, *client) {
	t.Helper()
	n := smtptest.NewNetwork()
	n.Add(addr, h)
	t.Cleanup(n.Close)
	return n, dial(t, n, addr)
}

func dial(t *testing.T, n *smtptest.Network, addr string) *client {
	t.Helper()
	conn, err := n.DialContext(context.Background(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &client{t, conn, bufio.NewReader(conn)}
}

func (c *client) send(s string) {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, s); err != nil {
		c.t.Fatalf("sending %q: %v", s, err)
	}
}

// reply reads one reply and returns its lines joined by "\n".
func (c *client) reply() string {
	c.t.Helper()
	var lines []string
	for {
		line, err := c.r.ReadString('\n')
		if err != nil {
			c.t.Fatalf("reading a reply: %v (after %q, %q)", err, lines, line)
		}
		line = strings.TrimSuffix(line, "\r\n")
		lines = append(lines, line)
		if len(line) < 4 || line[3] != '-' {
			return strings.Join(lines, "\n")
		}
	}
}

func (c *client) cmd(line string) string {
	c.t.Helper()
	c.send(line + "\r\n")
	return c.reply()
}

// want fails the test unless the reply to line is, or begins with, the wanted
// one.
func (c *client) want(line, reply string) {
	c.t.Helper()
	if got := c.cmd(line); !strings.HasPrefix(got, reply) {
		c.t.Errorf("%s\n got %q\nwant %q", line, got, reply)
	}
}

// hello reads the greeting and sends EHLO.
func (c *client) hello() {
	c.t.Helper()
	if got := c.reply(); !strings.HasPrefix(got, "220") {
		c.t.Errorf("greeting %q", got)
	}
	c.want("EHLO client.example", "250-")
}

// wantEOF fails the test unless the server hung up.
func (c *client) wantEOF() {
	c.t.Helper()
	if rest, err := io.ReadAll(c.r); err != nil || len(rest) > 0 {
		c.t.Errorf("got %q, %v, want EOF", rest, err)
	}
}

// only returns the network's one session, after the network was closed.
func only(t *testing.T, n *smtptest.Network) smtptest.Session {
	t.Helper()
	n.Close()
	list := n.Sessions()
	if len(list) != 1 {
		t.Fatalf("%d sessions, want 1", len(list))
	}
	return list[0]
}

// trustAnyone goes on under TLS with whoever answers.
func (c *client) trustAnyone() {
	c.t.Helper()
	conn := tls.Client(c.conn, &tls.Config{InsecureSkipVerify: true})
	if err := conn.Handshake(); err != nil {
		c.t.Fatal(err)
	}
	c.conn, c.r = conn, bufio.NewReader(conn)
}
