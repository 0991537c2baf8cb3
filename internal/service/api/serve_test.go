package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
)

// gate is a verifier that tells when it was asked, and answers when it is let.
type gate struct {
	forgetful
	asked, open chan struct{}
}

func newGate() gate { return gate{asked: make(chan struct{}, 10), open: make(chan struct{})} }

func (g gate) VerifyWith(ctx context.Context, address string, o engine.VerifyOptions) (rcpt.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	return g.Verify(ctx, address)
}

func (g gate) VerifyGroup(
	ctx context.Context, addresses []string, _ engine.GroupOptions, done func(int, rcpt.Result, error),
) {
	eachOf(ctx, addresses, g.Verify, done)
}

func (g gate) Verify(ctx context.Context, address string) (rcpt.Result, error) {
	g.asked <- struct{}{}
	select {
	case <-g.open:
		return accepts(ctx, address)
	case <-ctx.Done():
		return rcpt.Result{Email: address, Verdict: rcpt.VerdictUnknown}, ctx.Err()
	}
}

// TestConcurrency: who finds no slot waits a second and is told to come back;
// slots that become free are used.
func TestConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := newGate()
		handler := newServer(t, api.Config{Verifier: busy, Concurrency: 1}).Handler()
		first := make(chan int)
		go func() { first <- get(handler, "/api/v1/verify?email=a@b.example").Code }()
		<-busy.asked

		started := time.Now()
		second := get(handler, "/api/v1/verify?email=a@b.example")
		if second.Code != http.StatusServiceUnavailable || second.Header().Get("Retry-After") == "" {
			t.Errorf("status %d, Retry-After %q", second.Code, second.Header().Get("Retry-After"))
		}
		if !strings.HasPrefix(second.Body.String(), `{"message":"`) {
			t.Errorf("body %s", second.Body)
		}
		if waited := time.Since(started); waited != time.Second {
			t.Errorf("waited %v for a slot, want 1s", waited)
		}
		if health := get(handler, "/healthz"); health.Code != http.StatusOK {
			t.Errorf("healthz: status %d while busy", health.Code)
		}
		close(busy.open)
		if code := <-first; code != http.StatusOK {
			t.Errorf("the first request got %d", code)
		}
		if third := get(handler, "/api/v1/verify?email=a@b.example"); third.Code != http.StatusOK {
			t.Errorf("the third request got %d", third.Code)
		}
	})
}

// start serves on a loopback port. The returned functions ask for the end, and
// wait for it.
func start(t *testing.T, config api.Config) (url string, stop context.CancelFunc, end func() error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	s := newServer(t, config)
	go func() { ended <- s.Serve(ctx, listener) }()
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return "http://" + listener.Addr().String(), stop, func() error { return <-ended }
}

func fetch(url string) (int, error) {
	response, err := http.Get(url + "/api/v1/verify?email=a@b.example&apikey=" + key)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

// TestGracefulShutdown: a request under way gets its answer, a new one finds
// nobody.
func TestGracefulShutdown(t *testing.T) {
	busy := newGate()
	url, stop, end := start(t, api.Config{Verifier: busy})
	status := make(chan int)
	go func() {
		code, err := fetch(url)
		if err != nil {
			t.Error(err)
		}
		status <- code
	}()
	<-busy.asked
	stop()
	for listens(url) {
	}
	close(busy.open)
	if code := <-status; code != http.StatusOK {
		t.Errorf("the request under way got %d", code)
	}
	if err := end(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func listens(url string) bool {
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// TestClientGone checks that a verification goes on without its client until
// its time is over, and that the end of the server does not wait for it.
func TestClientGone(t *testing.T) {
	for stopAfter, lasts := range map[time.Duration]time.Duration{time.Minute: 7 * time.Second, 3 * time.Second: 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			var lasted time.Duration
			listener, stop := listening(t, api.Config{Timeout: 7 * time.Second, Verifier: verifierFunc(func(ctx context.Context, _ string) (rcpt.Result, error) {
				<-ctx.Done()
				lasted = time.Since(began)
				return rcpt.Result{}, ctx.Err()
			})})
			conn := listener.dial()
			fmt.Fprintf(conn, "GET /api/v1/verify?email=a@b.example&apikey=%s HTTP/1.1\r\nHost: x\r\n\r\n", key)
			synctest.Wait()
			conn.Close()
			time.Sleep(stopAfter)
			stop()
			if took := time.Since(began); lasted != lasts || took > stopAfter+time.Second {
				t.Errorf("it lasted %v, want %v; the server ended after %v, was to after %v", lasted, lasts, took, stopAfter)
			}
		})
	}
}

// TestHeaderLimit: a header that never ends is cut off.
func TestHeaderLimit(t *testing.T) {
	url, stop, end := start(t, api.Config{})
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		_, _ = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("x", 64<<10))
	}()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d", response.StatusCode)
	}
	stop()
	if err := end(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// TestListenerFails: Serve says why it cannot work.
func TestListenerFails(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	if err := newServer(t, api.Config{}).Serve(t.Context(), listener); err == nil {
		t.Error("no error")
	}
}

// TestUnusualRequests: what net/http would answer by itself gets our answers
// too.
func TestUnusualRequests(t *testing.T) {
	url, stop, end := start(t, api.Config{})
	for head, want := range map[string]int{
		"OPTIONS * HTTP/1.1":               http.StatusNotFound,
		"CONNECT acme.example:25 HTTP/1.1": http.StatusNotFound,
		"CONNECT /healthz HTTP/1.1":        http.StatusMethodNotAllowed,
		"GET http://x//healthz HTTP/1.1":   http.StatusNotFound,
	} {
		response, body := exchange(t, url, head)
		if response.StatusCode != want || response.Header.Get("X-Request-Id") == "" || !strings.HasPrefix(body, `{"message":"`) {
			t.Errorf("%s: status %d, header %v, body %s", head, response.StatusCode, response.Header, body)
		}
	}
	stop()
	if err := end(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// TestHeadOfHealth: load balancers ask for no body, and get none.
func TestHeadOfHealth(t *testing.T) {
	url, stop, end := start(t, api.Config{})
	if response, body := exchange(t, url, "HEAD /healthz HTTP/1.1"); response.StatusCode != http.StatusOK || body != "" {
		t.Errorf("status %d, body %q", response.StatusCode, body)
	}
	stop()
	if err := end(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// exchange sends a request line and returns the answer, with all that comes
// after its header.
func exchange(t *testing.T, url, requestLine string) (*http.Response, string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s\r\nHost: x\r\nConnection: close\r\n\r\n", requestLine)
	answer := bufio.NewReader(conn)
	response, err := http.ReadResponse(answer, &http.Request{Method: http.MethodHead}) // as if there were no body
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}
