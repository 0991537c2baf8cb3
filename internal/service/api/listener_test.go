package api_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"

	"github.com/rcpt/rcpt/internal/service/api"
)

// pipeListener is a listener in memory, so that a minute of waiting takes no
// time under synctest.
type pipeListener struct {
	dialled chan net.Conn
	closed  chan struct{}
	close   sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{dialled: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.dialled:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

func (l *pipeListener) dial() net.Conn {
	client, served := net.Pipe()
	l.dialled <- served
	return client
}

// dialFrom is dial from an address.
func (l *pipeListener) dialFrom(ip string) net.Conn {
	client, served := net.Pipe()
	l.dialled <- &connFrom{served, net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(ip), 4711))}
	return client
}

// connFrom is a connection from an address.
type connFrom struct {
	net.Conn
	from net.Addr
}

func (c *connFrom) RemoteAddr() net.Addr { return c.from }

// listening has a server with this configuration serve in memory, in the bubble
// of a test. stop ends it.
func listening(t *testing.T, config api.Config) (listener *pipeListener, stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	listener, s := newPipeListener(), newServer(t, config)
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, listener) }()
	return listener, func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestStrictTransport: a server that speaks TLS itself speaks HTTP/2, and has
// browsers keep to TLS; one without TLS says nothing.
func TestStrictTransport(t *testing.T) {
	certificate := httptest.NewTLSServer(nil)
	certificate.Close()
	for _, c := range []struct {
		scheme, want string
		protocols    []string
		version      int
	}{
		{"https", "max-age=31536000", []string{"h2", "http/1.1"}, 2},
		{"https", "max-age=31536000", []string{"http/1.1"}, 1},
		{"http", "", nil, 1},
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		url := c.scheme + "://" + listener.Addr().String() + "/healthz"
		config := api.Config{Verifier: verifierFunc(accepts)}
		if c.scheme == "https" {
			config.TLS = &tls.Config{Certificates: certificate.TLS.Certificates, NextProtos: c.protocols}
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		s := newServer(t, config)
		go func() { ended <- s.Serve(ctx, listener) }()
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}}
		response, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if got := response.Header.Get("Strict-Transport-Security"); got != c.want || response.ProtoMajor != c.version {
			t.Errorf("%s, %v: %q in %s, want %q", c.scheme, c.protocols, got, response.Proto, c.want)
		}
		client.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
