// Package socks5 opens TCP connections through a SOCKS5 proxy (RFC 1928), with
// a user name and password if the proxy requires them (RFC 1929).
//
// golang.org/x/net/proxy does so too, but reports the reply of a proxy only in
// the text of an error. This package must distinguish the failures of proxy and
// target: an [Error] concerns the proxy, and what the proxy reports of the
// target becomes the error that the system has for it, such as ECONNREFUSED.
//
// It implements CONNECT for IP addresses only. A name would be looked up again
// by the proxy, and the address that was checked would not be the one that is
// dialled.
package socks5

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"
)

// Forward opens the connection to the proxy.
type Forward interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// Dialer connects through a proxy. It is safe for concurrent use.
type Dialer struct {
	Proxy              string // HOST:PORT
	Username, Password string // neither: the proxy wants none
	Forward            Forward
}

// Error reports that the proxy could not be used or refused to serve us. It
// says nothing about the target and never contains the password.
type Error struct{ Err error }

func (e *Error) Error() string { return "proxy: " + e.Err.Error() }

// Unwrap returns what the proxy failed with.
func (e *Error) Unwrap() error { return e.Err }

// Values of RFC 1928 and, for the authentication, of RFC 1929 §2.
const (
	version        = 5
	methodNone     = 0x00
	methodPassword = 0x02
	methodRefused  = 0xFF

	authVersion = 1
	authOK      = 0

	commandConnect = 1
	typeIPv4       = 1
	typeName       = 3
	typeIPv6       = 4
	replyOK        = 0

	maxCredential = 255 // octets of a user name or password
)

// replies maps the reply codes of RFC 1928 §6 that concern the target. The
// others concern the proxy: its rules, or a failure that it does not explain.
// Proxies send "TTL expired" for a connection that timed out, and "address type
// not supported" if they have no IPv6.
var replies = map[byte]syscall.Errno{
	3: syscall.ENETUNREACH,
	4: syscall.EHOSTUNREACH,
	5: syscall.ECONNREFUSED,
	6: syscall.ETIMEDOUT,
	8: syscall.EAFNOSUPPORT,
}

// refusals puts those about the proxy in words.
var refusals = map[byte]string{
	1: "it could not connect, and does not say why",
	2: "its rules do not allow the connection",
	7: "it does not support CONNECT",
}

// DialContext connects to address, an IP address and port. The local address of
// the connection is the one that the proxy reports.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, fmt.Errorf("socks5: %q is not an IP address and port", address)
	}
	conn, err := d.Forward.DialContext(ctx, network, d.Proxy)
	if err != nil {
		return nil, &Error{withoutPlace(err)}
	}
	end := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	bound, err := d.connect(conn, target)
	if !end() { // whatever was read: the deadline may have passed meanwhile
		err = orEndOf(ctx, err)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &proxied{conn, bound}, nil
}

// withoutPlace removes the address that was dialled from a dialer's error:
// callers that report it know the address.
func withoutPlace(err error) error {
	var operation *net.OpError
	if errors.As(err, &operation) {
		return operation.Err
	}
	return err
}

// orEndOf is err with the end of ctx as its reason.
func orEndOf(ctx context.Context, err error) error {
	var broken *Error
	if errors.As(err, &broken) {
		return &Error{ctx.Err()}
	}
	return ctx.Err()
}

// connect negotiates with the proxy. It reads exactly the proxy's octets: the
// next one belongs to the target.
func (d *Dialer) connect(conn net.Conn, target netip.AddrPort) (bound net.Addr, err error) {
	if err := d.introduce(conn); err != nil {
		return nil, &Error{err}
	}
	if _, err := conn.Write(request(target)); err != nil {
		return nil, &Error{err}
	}
	var head [4]byte // version, reply, reserved, type of the address
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, err // it waits for the target as we do
		}
		return nil, &Error{err}
	}
	if head[0] != version {
		return nil, &Error{errNotSOCKS5}
	}
	if err := outcome(head[1], conn, target); err != nil {
		return nil, err
	}
	if bound, err = readBound(conn, head[3]); err != nil {
		return nil, &Error{err}
	}
	return bound, nil
}

var errNotSOCKS5 = errors.New("it does not speak SOCKS5")

// introduce negotiates a method of authentication (RFC 1928 §3) and
// authenticates.
func (d *Dialer) introduce(conn net.Conn) error {
	hello := []byte{version, 1, methodNone}
	if d.Username != "" {
		hello = []byte{version, 2, methodNone, methodPassword}
	}
	var answer [2]byte
	if err := exchange(conn, hello, answer[:]); err != nil {
		return err
	}
	switch method := answer[1]; {
	case answer[0] != version:
		return errNotSOCKS5
	case method == methodNone:
		return nil
	case method == methodPassword && d.Username != "":
		return d.authenticate(conn)
	case method == methodRefused && d.Username == "":
		return errors.New("it lets nobody in without a user name and password")
	case method == methodRefused:
		return errors.New("it lets nobody in by user name and password")
	}
	return fmt.Errorf("it chose method %d for authentication, which was not on offer", answer[1])
}

// authenticate sends user name and password (RFC 1929 §2).
func (d *Dialer) authenticate(conn net.Conn) error {
	if len(d.Username) > maxCredential || len(d.Password) > maxCredential {
		return fmt.Errorf("the user name or password is longer than %d octets", maxCredential)
	}
	message := append([]byte{authVersion, byte(len(d.Username))}, d.Username...)
	message = append(append(message, byte(len(d.Password))), d.Password...)
	var answer [2]byte
	if err := exchange(conn, message, answer[:]); err != nil {
		return err
	}
	if answer[1] != authOK {
		return errors.New("it refuses the user name and password")
	}
	return nil
}

func exchange(conn net.Conn, message, answer []byte) error {
	if _, err := conn.Write(message); err != nil {
		return err
	}
	_, err := io.ReadFull(conn, answer)
	return err
}

// request is the request for a connection to the target (RFC 1928 §4).
func request(target netip.AddrPort) []byte {
	addr := target.Addr().Unmap()
	message := []byte{version, commandConnect, 0, typeIPv6}
	if addr.Is4() {
		message[3] = typeIPv4
	}
	message = append(message, addr.AsSlice()...)
	return append(message, byte(target.Port()>>8), byte(target.Port()))
}

// outcome reads the code of the reply to the request.
func outcome(code byte, conn net.Conn, target netip.AddrPort) error {
	if code == replyOK {
		return nil
	}
	if errno, ok := replies[code]; ok {
		target := net.TCPAddrFromAddrPort(target)
		return &net.OpError{Op: "socks connect", Net: "tcp", Source: conn.RemoteAddr(), Addr: target, Err: errno}
	}
	if text, ok := refusals[code]; ok {
		return &Error{errors.New(text)}
	}
	return &Error{fmt.Errorf("it answers with the unknown code %d", code)}
}

// readBound reads the address that the proxy connects from. A name, which RFC
// 1928 §6 allows, is useless here and counts as an unknown address.
func readBound(conn net.Conn, kind byte) (net.Addr, error) {
	size := map[byte]int{typeIPv4: net.IPv4len, typeIPv6: net.IPv6len}[kind]
	if kind == typeName {
		var length [1]byte
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return nil, err
		}
		size = int(length[0])
	} else if size == 0 {
		return nil, errNotSOCKS5
	}
	const port = 2
	octets := make([]byte, size+port)
	if _, err := io.ReadFull(conn, octets); err != nil {
		return nil, err
	}
	if kind == typeName {
		return &net.TCPAddr{}, nil
	}
	return &net.TCPAddr{IP: octets[:size], Port: int(octets[size])<<8 | int(octets[size+1])}, nil
}

// proxied is a connection as its far end sees it.
type proxied struct {
	net.Conn
	bound net.Addr
}

// LocalAddr returns the proxy's address towards the target, or an unspecified
// one if the proxy does not report it.
func (c *proxied) LocalAddr() net.Addr { return c.bound }
