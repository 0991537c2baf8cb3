package smtptest

import (
	"context"
	"net"

	"github.com/rcpt/rcpt/internal/fakeproxy"
)

// Proxy is a SOCKS5 proxy (RFC 1928, RFC 1929) as a [Handler]: put it into a
// [Network] or a [Server] as if it were a mail host. It knows CONNECT.
type Proxy struct {
	// Dialer opens the connections that it is asked for; a Network is one.
	Dialer interface {
		DialContext(ctx context.Context, network, address string) (net.Conn, error)
	}
	// Username and Password are what it wants to see; neither: everyone is let
	// in.
	Username, Password string
}

// ServeSMTP implements [Handler]; what it speaks first is SOCKS.
func (p *Proxy) ServeSMTP(client net.Conn) {
	socks := fakeproxy.Proxy{Dialer: p.Dialer, Username: p.Username, Password: p.Password}
	socks.ServeSMTP(client)
}
