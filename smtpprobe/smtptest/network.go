package smtptest

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
)

// defaultPort is the port of a host whose address names none (RFC 5321
// §4.5.4.2).
const defaultPort = 25

// Network is a set of fake mail hosts in memory, and the dialer that reaches
// them. The zero Network has no hosts, and every dial is refused. It is safe
// for concurrent use. Inside a testing/synctest bubble, make and close it
// there.
type Network struct {
	mu       sync.Mutex
	routes   map[netip.AddrPort]route
	dials    []string
	nextPort int
	sessions sessions
	closed   chan struct{} // see ended
	close    sync.Once
}

// route is what a dial to an address finds: a handler, or the error it fails
// with, or neither: silence.
type route struct {
	handler Handler
	err     error
}

// NewNetwork returns a Network without hosts: every dial is refused.
func NewNetwork() *Network {
	return new(Network)
}

// Add puts a host at addr, an IP address ("192.0.2.1", port 25) or one with
// port ("192.0.2.1:2525", "[2001:db8::1]:25"), in place of what was there. It
// panics when addr is neither.
func (n *Network) Add(addr string, h Handler) { n.set(addr, route{handler: h}) }

// Blackhole makes dials to addr wait until their context ends, as when a
// firewall drops packets. It panics as Add does.
func (n *Network) Blackhole(addr string) { n.set(addr, route{}) }

// Unreachable makes dials to addr fail with "no route to host". It panics as
// Add does.
func (n *Network) Unreachable(addr string) {
	n.set(addr, route{err: os.NewSyscallError("connect", syscall.EHOSTUNREACH)})
}

func (n *Network) set(addr string, r route) {
	key, err := parseAddr(addr)
	if err != nil {
		panic("smtptest: " + err.Error())
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.routes == nil {
		n.routes = make(map[netip.AddrPort]route)
	}
	n.routes[key] = r
}

func parseAddr(addr string) (netip.AddrPort, error) {
	if ip, err := netip.ParseAddr(addr); err == nil {
		return netip.AddrPortFrom(ip.Unmap(), defaultPort), nil
	}
	ap, err := netip.ParseAddrPort(addr)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("bad address %q: not an IP address with or without port", addr)
	}
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()), nil
}

// DialContext connects to the host at address, an IP address and port. An
// address without a host refuses the connection. The errors are those of
// net.Dialer.
func (n *Network) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	target, err := parseAddr(address)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	remote := net.TCPAddrFromAddrPort(target)
	fail := func(err error) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: remote, Err: err}
	}
	r, local := n.route(target)
	if err := ctx.Err(); err != nil {
		return fail(err)
	}
	if r.err != nil {
		return fail(r.err)
	}
	if r.handler == nil {
		return fail(n.silence(ctx))
	}
	client, server := newMemConns(local, remote)
	if !n.sessions.start(r.handler, server, target.String()) {
		return fail(errRefused())
	}
	return client, nil
}

func errRefused() error { return os.NewSyscallError("connect", syscall.ECONNREFUSED) }

// route notes a dial, and returns what it finds and the address it comes from.
func (n *Network) route(target netip.AddrPort) (route, *net.TCPAddr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dials = remember(n.dials, target.String())
	r, ok := n.routes[target]
	if !ok {
		r.err = errRefused()
	}
	n.nextPort++
	return r, &net.TCPAddr{IP: clientIP(target.Addr()), Port: 32768 + n.nextPort%28232}
}

// clientIP is the client's address of the target's family, one for
// documentation (RFC 5737, RFC 3849).
func clientIP(target netip.Addr) net.IP {
	if target.Is4() {
		return net.IPv4(198, 51, 100, 1)
	}
	return net.ParseIP("2001:db8:c::1")
}

// silence waits for the dial's end, or for the network's.
func (n *Network) silence(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-n.ended():
		return net.ErrClosed
	}
}

// ended returns what is closed when the network is.
func (n *Network) ended() chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed == nil {
		n.closed = make(chan struct{})
	}
	return n.closed
}

// Dials returns the addresses dialled so far, in order, also those in vain; of
// very many the last 10,000.
func (n *Network) Dials() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.dials...)
}

// Sessions returns the connections made so far, in order; of very many the last
// 10,000. After Close each is whole.
func (n *Network) Sessions() []Session { return n.sessions.list() }

// Err returns what clients did wrong, such as a line that a script did not
// expect; nil: nothing.
func (n *Network) Err() error { return n.sessions.err() }

// Close refuses new connections and waits until the open ones have ended. A
// client that has not ended its own after five seconds is cut off.
func (n *Network) Close() {
	n.close.Do(func() { close(n.ended()) })
	n.sessions.close()
}
