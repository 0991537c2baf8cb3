package api_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/api"
)

// TestSlowRequest: a client that does not finish its request does not keep its
// connection.
func TestSlowRequest(t *testing.T) {
	for sent, timeout := range map[string]time.Duration{
		"":                                     5 * time.Second,
		"GET /healthz HTTP/1.1\r\nHost: x\r\n": 5 * time.Second,
		"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n": 30 * time.Second, // whole, then idle
	} {
		synctest.Test(t, func(t *testing.T) {
			listener, stop := listening(t, api.Config{})

			started := time.Now()
			conn := listener.dial()
			go func() { _, _ = io.WriteString(conn, sent) }()
			_, _ = io.Copy(io.Discard, conn) // until the server hangs up
			if took := time.Since(started); took != timeout {
				t.Errorf("after %q the connection stayed for %v, want %v", sent, took, timeout)
			}
			stop()
		})
	}
}

// TestConnectionLimit: a connection beyond the limit waits while each of the
// others has a request under way, and up to a second for one that is idle then.
func TestConnectionLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := newGate()
		listener, stop := listening(t, api.Config{Verifier: busy, MaxConnections: 2})

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
		if waited := time.Since(started); waited < 10*time.Second || waited > 11*time.Second {
			t.Errorf("the third connection waited for %v, want 10s to 11s", waited)
		}
		stop()
	})
}

// TestCutOff: a verification that does not end cannot keep the server from
// ending.
func TestCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, release := make(chan struct{}), make(chan struct{})
		listener, stop := listening(t, api.Config{Timeout: 20 * time.Second, Verifier: verifierFunc(func(context.Context, string) (rcpt.Result, error) {
			close(asked)
			<-release
			return rcpt.Result{}, nil
		})})
		conn := listener.dial()
		hungUp := make(chan time.Time, 1)
		go func() {
			_, _ = io.Copy(io.Discard, conn)
			hungUp <- time.Now()
		}()
		fmt.Fprintf(conn, "GET /api/v1/verify?email=a@b.example&apikey=%s HTTP/1.1\r\nHost: x\r\n\r\n", key)
		<-asked

		started := time.Now()
		stop()
		if took := time.Since(started); took != 25*time.Second {
			t.Errorf("ended after %v, want 25s", took)
		}
		if took := (<-hungUp).Sub(started); took != 25*time.Second {
			t.Errorf("hung up after %v, want 25s", took)
		}
		close(release)
	})
}
