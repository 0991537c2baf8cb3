package smtptest

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
)

// Proxy is a SOCKS5 proxy (RFC 1928, RFC 1929) as a [Handler]: put it
// into a network or a server as if it were a mail host. It knows CONNECT.
type Proxy struct {
	// Dialer opens the connections that it is asked for; a Network is one.
	Dialer interface {
		DialContext(ctx context.Context, network, address string) (net.Conn, error)
	}
	// Username and Password are what it wants to see; neither: everyone is let
	// in.
	Username, Password string
	// Bound is the address that it says it connects from. Default: 0.0.0.0, as
	// many say.
	Bound netip.AddrPort
	// Reply is the code of its replies to requests. Default: that it has
	// connected, or a general failure where it could not.
	Reply byte
	// Fault is what is wrong with it.
	Fault ProxyFault

	mu      sync.Mutex
	targets []string
}

// ProxyFault says what is wrong with a [Proxy].
type ProxyFault int

// The faults. At the request means: once it is asked to connect.
const (
	ProxyWorks            ProxyFault = iota
	ProxyStalls                      // says nothing
	ProxyCloses                      // hangs up when it is greeted
	ProxyIsHTTP                      // answers as an HTTP server
	ProxyIsSOCKS4                    // answers with version 4
	ProxyWantsGSSAPI                 // chooses a method that is not on offer
	ProxyStallsAtRequest             // says nothing to the request
	ProxyClosesAtRequest             // hangs up on the request
	ProxyGarbageAtRequest            // answers the request with octets that mean nothing
	ProxyCutsReply                   // hangs up in the middle of its reply
)

const (
	socksVersion     = 5
	socksNoMethod    = 0xFF
	socksPassword    = 2
	socksGSSAPI      = 1
	socksFailure     = 1
	socksIPv4        = 1
	socksName        = 3
	socksIPv6        = 4
	socksAuthVersion = 1
)

// Targets returns what it was asked to connect to, HOST:PORT, in order. A
// target that was asked for by name appears as such.
func (p *Proxy) Targets() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.targets)
}

// ServeSMTP implements [Handler]; what it speaks first is SOCKS.
func (p *Proxy) ServeSMTP(client net.Conn) {
	defer client.Close()
	if !p.letIn(client) {
		return
	}
	target, ok := readTarget(client)
	if !ok {
		return
	}
	p.mu.Lock()
	p.targets = append(p.targets, target)
	p.mu.Unlock()
	if p.misbehaves(client) {
		return
	}
	if p.Reply != 0 {
		p.reply(client, p.Reply)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	far, err := p.Dialer.DialContext(ctx, "tcp", target)
	if err != nil {
		p.reply(client, socksFailure)
		return
	}
	p.reply(client, 0)
	join(client, far)
}

// letIn greets a client, and reports whether it may go on.
func (p *Proxy) letIn(client net.Conn) bool {
	head := make([]byte, 2)
	if _, err := io.ReadFull(client, head); err != nil {
		return false
	}
	methods := make([]byte, head[1])
	if _, err := io.ReadFull(client, methods); err != nil {
		return false
	}
	switch p.Fault {
	case ProxyStalls:
		drain(client)
		return false
	case ProxyCloses:
		return false
	case ProxyIsHTTP:
		_, _ = io.WriteString(client, "HTTP/1.1 400 Bad Request\r\n\r\n")
		return false
	case ProxyIsSOCKS4:
		_, _ = client.Write([]byte{0, 91, 0, 0, 0, 0, 0, 0})
		return false
	case ProxyWantsGSSAPI:
		_, _ = client.Write([]byte{socksVersion, socksGSSAPI})
		drain(client)
		return false
	}
	if p.Username == "" {
		_, err := client.Write([]byte{socksVersion, 0})
		return err == nil
	}
	if !slices.Contains(methods, socksPassword) {
		_, _ = client.Write([]byte{socksVersion, socksNoMethod})
		return false
	}
	return p.authenticates(client)
}

// authenticates reads user name and password (RFC 1929 §2).
func (p *Proxy) authenticates(client net.Conn) bool {
	if _, err := client.Write([]byte{socksVersion, socksPassword}); err != nil {
		return false
	}
	version := make([]byte, 1)
	if _, err := io.ReadFull(client, version); err != nil {
		return false
	}
	user, ok := readString(client)
	if !ok {
		return false
	}
	password, ok := readString(client)
	if !ok {
		return false
	}
	right := byte(1)
	if user == p.Username && password == p.Password {
		right = 0
	}
	_, err := client.Write([]byte{socksAuthVersion, right})
	return err == nil && right == 0
}

// misbehaves answers the request as the fault says, if it says so.
func (p *Proxy) misbehaves(client net.Conn) bool {
	switch p.Fault {
	case ProxyStallsAtRequest:
		drain(client)
	case ProxyClosesAtRequest:
	case ProxyGarbageAtRequest:
		_, _ = io.WriteString(client, "220 mx.example ESMTP\r\n")
	case ProxyCutsReply:
		_, _ = client.Write([]byte{socksVersion, 0, 0, socksIPv6, 0x20})
	default:
		return false
	}
	return true
}

func (p *Proxy) reply(client net.Conn, code byte) {
	bound := p.Bound
	if !bound.IsValid() {
		bound = netip.AddrPortFrom(netip.IPv4Unspecified(), 0)
	}
	kind := byte(socksIPv6)
	if bound.Addr().Is4() {
		kind = socksIPv4
	}
	message := append([]byte{socksVersion, code, 0, kind}, bound.Addr().AsSlice()...)
	_, _ = client.Write(binary.BigEndian.AppendUint16(message, bound.Port()))
}

// readTarget reads a request (RFC 1928 §4).
func readTarget(client net.Conn) (string, bool) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(client, head); err != nil {
		return "", false
	}
	var host string
	switch head[3] {
	case socksName:
		name, ok := readString(client)
		if !ok {
			return "", false
		}
		host = name
	case socksIPv4, socksIPv6:
		octets := make([]byte, map[byte]int{socksIPv4: net.IPv4len, socksIPv6: net.IPv6len}[head[3]])
		if _, err := io.ReadFull(client, octets); err != nil {
			return "", false
		}
		host = net.IP(octets).String()
	default:
		return "", false
	}
	port := make([]byte, 2)
	if _, err := io.ReadFull(client, port); err != nil {
		return "", false
	}
	return net.JoinHostPort(host, strconv.Itoa(int(binary.BigEndian.Uint16(port)))), true
}

// readString reads a string behind its length of one octet.
func readString(client net.Conn) (string, bool) {
	length := make([]byte, 1)
	if _, err := io.ReadFull(client, length); err != nil {
		return "", false
	}
	octets := make([]byte, length[0])
	_, err := io.ReadFull(client, octets)
	return string(octets), err == nil
}

// drain reads until the client hangs up.
func drain(client net.Conn) { _, _ = io.Copy(io.Discard, client) }

// join carries octets both ways until one side ends.
func join(client, far net.Conn) {
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(client, far)
		_ = client.Close()
	})
	_, _ = io.Copy(far, client)
	_ = far.Close()
	back.Wait()
}
