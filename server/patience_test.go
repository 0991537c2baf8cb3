package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/server"
)

// pipeListener is a listener in memory, so that a minute of waiting takes no time under synctest.
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

// TestSlowRequest: a client that does not finish its request does not keep its connection.
func TestSlowRequest(t *testing.T) {
	for sent, patience := range map[string]time.Duration{
		"":                                     5 * time.Second,
		"GET /healthz HTTP/1.1\r\nHost: x\r\n": 5 * time.Second,
		"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n": 30 * time.Second, // whole, then idle
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			listener := newPipeListener()
			ended := make(chan error)
			go func() { ended <- newServer(t, server.Config{}).Serve(ctx, listener) }()

			started := time.Now()
			conn := listener.dial()
			go func() { _, _ = io.WriteString(conn, sent) }()
			_, _ = io.Copy(io.Discard, conn) // until the server hangs up
			if took := time.Since(started); took != patience {
				t.Errorf("after %q the connection stayed for %v, want %v", sent, took, patience)
			}
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestConnectionLimit: a connection beyond the limit waits while each of the others has a request under way.
func TestConnectionLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := newGate()
		ctx, stop := context.WithCancel(t.Context())
		listener := newPipeListener()
		ended := make(chan error)
		go func() { ended <- newServer(t, server.Config{Verifier: busy, MaxConnections: 2}).Serve(ctx, listener) }()

		started := time.Now()
		time.AfterFunc(10*time.Second, func() { close(busy.open) })
		for range 2 {
			conn := listener.dial()
			go func() { _, _ = io.Copy(io.Discard, conn) }()
			fmt.Fprintf(conn, "GET /api/v1/verify?email=a@b.example&apikey=%s HTTP/1.1\r\nHost: x\r\n\r\n", key)
			<-busy.asked
		}
		conn := listener.dial()
		go func() { _, _ = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") }()
		_, _ = io.Copy(io.Discard, conn)
		if waited := time.Since(started); waited != 10*time.Second {
			t.Errorf("the third connection waited for %v, want 10s", waited)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestCutOff: a verification that does not end cannot keep the server from ending.
func TestCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, release := make(chan struct{}), make(chan struct{})
		s := newServer(t, server.Config{Timeout: 20 * time.Second, Verifier: verifierFunc(func(context.Context, string) (engine.Result, error) {
			close(asked)
			<-release
			return engine.Result{}, nil
		})})
		ctx, stop := context.WithCancel(t.Context())
		listener := newPipeListener()
		ended := make(chan error)
		go func() { ended <- s.Serve(ctx, listener) }()
		conn := listener.dial()
		hungUp := make(chan time.Time, 1)
		go func() {
			_, _ = io.Copy(io.Discard, conn)
			hungUp <- time.Now()
		}()
		fmt.Fprintf(conn, "GET /api/v1/verify?email=a@b.example&apikey=%s HTTP/1.1\r\nHost: x\r\n\r\n", key)
		<-asked

		stop()
		started := time.Now()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if took := time.Since(started); took != 25*time.Second {
			t.Errorf("ended after %v, want 25s", took)
		}
		if took := (<-hungUp).Sub(started); took != 25*time.Second {
			t.Errorf("hung up after %v, want 25s", took)
		}
		close(release)
	})
}
