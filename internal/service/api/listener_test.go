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

// TestStrictTransport: a server that speaks TLS itself has browsers keep to it;
// one without TLS says nothing.
func TestStrictTransport(t *testing.T) {
	certificate := httptest.NewTLSServer(nil)
	certificate.Close()
	for scheme, want := range map[string]string{"https": "max-age=31536000", "http": ""} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		url := scheme + "://" + listener.Addr().String() + "/healthz"
		if scheme == "https" {
			listener = tls.NewListener(listener, &tls.Config{Certificates: certificate.TLS.Certificates})
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		s := newServer(t, api.Config{Verifier: verifierFunc(accepts)})
		go func() { ended <- s.Serve(ctx, listener) }()
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		response, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if got := response.Header.Get("Strict-Transport-Security"); got != want {
			t.Errorf("%s: %q, want %q", scheme, got, want)
		}
		client.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
