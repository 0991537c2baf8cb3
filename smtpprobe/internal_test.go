package smtpprobe

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cancelledContext is one whose caller has given up.
func cancelledContext() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// lateContext is one whose deadline has passed, as the clock says, and that has
// not noticed yet.
type lateContext struct{ context.Context }

func (lateContext) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

func TestConnectKind(t *testing.T) {
	background := context.Background()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		err  error
		want Kind
	}{
		{"refused", background, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, KindRefused},
		{"reset", background, os.NewSyscallError("connect", syscall.ECONNRESET), KindReset},
		{"no route", background, os.NewSyscallError("connect", syscall.ENETUNREACH), KindUnreachable},
		{"timeout of the network", background, os.NewSyscallError("connect", syscall.ETIMEDOUT), KindTimeout},
		{"timeout of the dial", background, &net.OpError{Op: "dial", Err: context.DeadlineExceeded}, KindTimeout},
		{"a dialer's own error at the deadline", lateContext{background}, errors.New("proxy gave up"), KindTimeout},
		{"a dialer's own error", background, errors.New("proxy gave up"), KindUnreachable},
		{"cancelled", cancelledContext(), errors.New("operation was canceled"), KindCancelled},
	} {
		if got := connectKind(tt.ctx, tt.ctx, tt.err); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestTalkKind(t *testing.T) {
	for _, tt := range []struct {
		name string
		ctx  context.Context
		err  error
		want Kind
	}{
		{"closed", context.Background(), io.EOF, KindClosed},
		{"closed before we wrote", context.Background(), os.NewSyscallError("write", syscall.EPIPE), KindClosed},
		{"reset", context.Background(), fmt.Errorf("read: %w", syscall.ECONNRESET), KindReset},
		{"timeout", context.Background(), os.ErrDeadlineExceeded, KindTimeout},
		{"TLS alert", context.Background(), &net.OpError{Op: "remote error", Err: tls.AlertError(40)}, KindTLS},
		{"cancelled", cancelledContext(), os.ErrDeadlineExceeded, KindCancelled},
		{"a breach is one even when cancelled", cancelledContext(), protocolError("mixed"), KindProtocol},
	} {
		if got := talkKind(tt.ctx, tt.err); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestArmSeesACancelThatCameBefore(t *testing.T) {
	client, server := net.Pipe()
	defer func() { _, _ = client.Close(), server.Close() }()
	c := newConn(client, &transcript{})
	if err := c.arm(cancelledContext(), time.Now().Add(time.Hour)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTourIsLimited(t *testing.T) {
	hosts := []Host{{Name: "mx", Addrs: make([]netip.Addr, 100)}}
	for i := range hosts[0].Addrs {
		hosts[0].Addrs[i] = netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})
	}
	tour := newTour(hosts, defaultPort, Egresses{{}})
	if got := len(tour.routes); got != maxRoutes {
		t.Errorf("%d routes, want %d", got, maxRoutes)
	}
	for n := 1; ; n++ {
		r, ok := tour.next()
		if !ok {
			if n != maxConnections+1 {
				t.Errorf("%d connections, want %d", n-1, maxConnections)
			}
			return
		}
		if want := n == maxConnections; r.last != want {
			t.Errorf("connection %d is the last: %t, want %t", n, r.last, want)
		}
	}
}

// TestOldTLS sees that a host whose TLS is old is spoken to over it, and is
// told which host it is taken for, where that can be a host's name.
func TestOldTLS(t *testing.T) {
	for host, want := range map[string]string{
		"mx.example":              "mx.example",
		"mx_1.example.":           "mx_1.example",
		"mx example":              "",
		"mx\r\n.example":          "",
		"[192.0.2.1]":             "",
		"mx.example:25":           "",
		"bücher.example":          "",
		"":                        "",
		strings.Repeat("a.", 128): "",
	} {
		if name := shakeHands(t, host); name != want {
			t.Errorf("%q was asked for as %q, want %q", host, name, want)
		}
	}
}

// shakeHands returns the name that a host is asked for.
func shakeHands(t *testing.T, host string) string {
	t.Helper()
	client, server := net.Pipe()
	defer func() { _, _ = client.Close(), server.Close() }()
	asked := make(chan string, 1)
	config := &tls.Config{
		Certificates: []tls.Certificate{selfSigned(t)},
		MinVersion:   tls.VersionTLS10,
		MaxVersion:   tls.VersionTLS10,
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			asked <- hello.ServerName
			return nil, nil
		},
	}
	go func() { _ = tls.Server(server, config).Handshake() }()
	c := &conn{Conn: client, tcp: client, in: bufio.NewReader(client), log: &transcript{}}
	version, err := c.startTLS(host)
	if err != nil || version != "TLS 1.0" {
		t.Errorf("got %s, %v", version, err)
	}
	return <-asked
}

func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
