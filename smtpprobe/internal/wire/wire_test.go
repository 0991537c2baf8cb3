package wire

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
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// cancelledContext is one whose caller has given up.
func cancelledContext() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestConnectKind(t *testing.T) {
	background, soon := context.Background(), time.Now().Add(time.Hour)
	for _, tt := range []struct {
		name     string
		ctx      context.Context
		deadline time.Time
		err      error
		want     smtp.Kind
	}{
		{"refused", background, soon, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, smtp.KindRefused},
		{"reset", background, soon, os.NewSyscallError("connect", syscall.ECONNRESET), smtp.KindReset},
		{"no route", background, soon, os.NewSyscallError("connect", syscall.ENETUNREACH), smtp.KindUnreachable},
		{"timeout of the network", background, soon, os.NewSyscallError("connect", syscall.ETIMEDOUT), smtp.KindTimeout},
		{"timeout of the dial", background, soon, &net.OpError{Op: "dial", Err: context.DeadlineExceeded}, smtp.KindTimeout},
		{"a dialer's own error at the deadline", background, time.Now(), errors.New("proxy gave up"), smtp.KindTimeout},
		{"a dialer's own error", background, soon, errors.New("proxy gave up"), smtp.KindUnreachable},
		{"cancelled", cancelledContext(), soon, errors.New("operation was canceled"), smtp.KindCancelled},
	} {
		if got := connectKind(tt.ctx, tt.deadline, tt.err); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestTalkKind(t *testing.T) {
	for _, tt := range []struct {
		name string
		ctx  context.Context
		err  error
		want smtp.Kind
	}{
		{"closed", context.Background(), io.EOF, smtp.KindClosed},
		{"closed before we wrote", context.Background(), os.NewSyscallError("write", syscall.EPIPE), smtp.KindClosed},
		{"reset", context.Background(), fmt.Errorf("read: %w", syscall.ECONNRESET), smtp.KindReset},
		{"timeout", context.Background(), os.ErrDeadlineExceeded, smtp.KindTimeout},
		{"TLS alert", context.Background(), &net.OpError{Op: "remote error", Err: tls.AlertError(40)}, smtp.KindTLS},
		{"cancelled", cancelledContext(), os.ErrDeadlineExceeded, smtp.KindCancelled},
		{"a breach is one even when cancelled", cancelledContext(), smtp.ProtocolError("mixed"), smtp.KindProtocol},
	} {
		if got := talkKind(tt.ctx, tt.err); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestArmSeesACancelThatCameBefore(t *testing.T) {
	client, server := net.Pipe()
	defer func() { _, _ = client.Close(), server.Close() }()
	c := newStream(client, &transcript{})
	for _, arm := range []func(context.Context, time.Time) error{c.armRead, c.armWrite} {
		if err := arm(cancelledContext(), time.Now().Add(time.Hour)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

// TestTooLateToWrite sees that nothing is written when the time is over: a
// connection with half a command could not even end with QUIT.
func TestTooLateToWrite(t *testing.T) {
	client, server := net.Pipe()
	defer func() { _, _ = client.Close(), server.Close() }()
	c := &Conn{}
	c.stream = newStream(client, &c.log)
	c.stream.usable = true
	c.Bound(time.Now())
	_, err := c.Send(t.Context(), smtp.PhaseMAIL, "MAIL FROM:<>")
	var failure *smtp.Failure
	if !errors.As(err, &failure) || failure.Kind != smtp.KindTimeout || !c.stream.usable {
		t.Errorf("%v, usable %t", err, c.stream.usable)
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
	c := &stream{Conn: client, tcp: client, in: bufio.NewReader(client), log: &transcript{}}
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
