package smtpprobe

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
)

// Introduction is how [Hello] introduces itself to a mail host.
type Introduction struct {
	HELO   string        // EHLO name; empty: the connection's own address as a literal
	Egress egress.Egress // a zero Dialer means a net.Dialer
	Host   string        // name of the mail host
	Addr   netip.AddrPort
	// Connect bounds dialling, Command the greeting, the TLS handshake and each
	// reply. Default: those of [Timeouts].
	Connect, Command time.Duration
}

// helloQuit bounds the wait for the reply to QUIT.
const helloQuit = 500 * time.Millisecond

// Hello opens a session with a mail host as far as EHLO, with TLS where it is
// offered, and ends it. It names no recipient. The findings have neither MAIL
// nor RCPT; local is our end of the connection, if there was one.
func Hello(ctx context.Context, i Introduction) (found Session, local netip.Addr) {
	at := &localAddr{Dialer: i.Egress.Dialer}
	if at.Dialer == nil {
		at.Dialer = &net.Dialer{KeepAlive: -1}
	}
	config := wire.Config{
		HELO: i.HELO, Connect: cmp.Or(i.Connect, defaultConnect), Command: cmp.Or(i.Command, defaultCommand),
	}
	host := hostName(i.Host)
	until, _ := ctx.Deadline()
	conn := wire.New(config, wire.Peer{Dialer: at, Host: host, Addr: i.Addr, Last: true}, until)
	defer context.AfterFunc(ctx, conn.Interrupt)()
	err := conn.Open(ctx)
	o := conn.Opening()
	found = Session{
		Host: host, Addr: i.Addr, Egress: i.Egress.Name, TLS: o.TLS, Extensions: o.Extensions,
		Greeting: o.Greeting, EHLO: o.EHLO, STARTTLS: o.STARTTLS,
	}
	_ = errors.As(err, &found.Failure)
	conn.NoteQuit()
	found.Transcript = conn.Transcript(false)
	conn.Close(helloQuit)
	return found, at.addr
}

// localAddr is a dialer that notes our end of a connection.
type localAddr struct {
	Dialer
	addr netip.Addr
}

func (d *localAddr) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.Dialer.DialContext(ctx, network, address)
	if err == nil {
		if local, err := netip.ParseAddrPort(conn.LocalAddr().String()); err == nil {
			d.addr = local.Addr().Unmap()
		}
	}
	return conn, err
}
