package service

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// once is a listener with one connection.
type once struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l once) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l once) Close() error   { close(l.closed); return nil }
func (l once) Addr() net.Addr { return &net.TCPAddr{} }

// TestQuietConnectionsToMetrics: an idle connection to the metrics is closed.
func TestQuietConnectionsToMetrics(t *testing.T) {
	for name, asks := range map[string]int{"nothing asked": 0, "once asked": 1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := metricsServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "figures") }), http.NotFoundHandler())
				here, there := net.Pipe()
				listener := once{make(chan net.Conn, 1), make(chan struct{})}
				listener.conns <- there
				go func() { _ = site.Serve(listener) }()
				began, read := time.Now(), bufio.NewReader(here)
				for range asks {
					go func() { _, _ = io.WriteString(here, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n") }()
					response, err := http.ReadResponse(read, nil)
					check(t, err)
					_, err = io.Copy(io.Discard, response.Body)
					check(t, err)
				}
				go func() {
					time.Sleep(time.Hour)
					_ = here.Close()
				}()
				_, _ = read.ReadByte() // the end
				if took := time.Since(began); took > metricsIdle {
					t.Errorf("it was open for %v", took)
				}
				_ = site.Close()
				time.Sleep(time.Hour)
			})
		})
	}
}
