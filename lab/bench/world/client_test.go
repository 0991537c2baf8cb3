package world

import (
	"context"
	"net"
	"net/netip"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
	"time"
)

// testSpec is a little world on ports that need no privilege.
func testSpec() Spec {
	return Spec{Subnet: 78, Port: 2525, Addresses: 400, Domains: 40, Skew: 1, Providers: 2, Hosted: 0.3}
}

func start(t *testing.T, spec Spec) *World {
	t.Helper()
	w, err := Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// client is an SMTP client that gives the test what it reads.
type client struct {
	*textproto.Conn
	t *testing.T
}

// dial connects to the first mail host of a domain and reads the greeting.
func dial(t *testing.T, w *World, domain int) (*client, string) {
	t.Helper()
	ip := w.spec.exchanges(domain)[0].ip
	conn, err := net.Dial("tcp", netip.AddrPortFrom(ip, w.spec.Port).String())
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	c := &client{Conn: textproto.NewConn(conn), t: t}
	return c, c.reply()
}

// reply reads a reply: its code, and the text behind it with "\n" between
// lines.
func (c *client) reply() string {
	c.t.Helper()
	code, text, err := c.ReadResponse(0)
	if err != nil {
		c.t.Fatal(err)
	}
	return strconv.Itoa(code) + " " + text
}

// send sends commands in one group.
func (c *client) send(commands ...string) {
	c.t.Helper()
	if err := c.PrintfLine("%s", strings.Join(commands, "\r\n")); err != nil {
		c.t.Fatal(err)
	}
}

// say sends a command and reads the reply.
func (c *client) say(command string) string {
	c.t.Helper()
	c.send(command)
	return c.reply()
}

// mail opens a transaction.
func (c *client) mail() {
	c.t.Helper()
	c.say("EHLO client.test")
	c.say("MAIL FROM:<>")
}

// take takes the counters when all sessions have ended.
func take(t *testing.T, w *World) Counters {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	return w.Take(ctx)
}

// addressWith is an address of the list with a domain and a mailbox of the
// wanted kind.
func addressWith(t *testing.T, spec Spec, wantPolicy policy, wantState state) (address string, domain int) {
	t.Helper()
	for _, address := range spec.List() {
		local, name, _ := strings.Cut(address, "@")
		state, _ := spec.mailbox(local, name)
		if spec.policy(name) == wantPolicy && state == wantState {
			domain, _ := number(domainPrefix, strings.TrimSuffix(name, domainSuffix))
			return address, domain
		}
	}
	t.Fatalf("the world has no mailbox in state %d where the policy is %d", wantState, wantPolicy)
	return "", 0
}
