package api_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/internal/service/api"
)

// TestQuietConnections: connections that say nothing, or do not finish what
// they say, hold their places for five seconds, and idle ones not for one.
func TestQuietConnections(t *testing.T) {
	for said, most := range map[string]time.Duration{
		"": 5 * time.Second, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A": 5 * time.Second, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n": 0,
	} {
		synctest.Test(t, func(t *testing.T) {
			const places = 50
			listener, stop := listening(t, api.Config{MaxConnections: places})
			for range places {
				conn := listener.dial()
				go func() { _, _ = io.Copy(io.Discard, conn) }()
				go func() { _, _ = io.WriteString(conn, said) }()
			}
			synctest.Wait()
			started := time.Now()
			answer := exchangeOn(t, listener.dial(), "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			if waited := time.Since(started); waited > most || answer.StatusCode != http.StatusOK {
				t.Errorf("%q: status %d after %v, want %v", said, answer.StatusCode, waited, most)
			}
			stop()
		})
	}
}

// TestIdleLater: a connection that was busy while another waited gives way soon
// after its answer.
func TestIdleLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := newGate()
		busy.asked = make(chan struct{}, 1)
		listener, stop := listening(t, api.Config{MaxConnections: 1, Verifier: busy})
		first := listener.dial()
		go func() {
			_, _ = io.WriteString(first, "GET /api/v1/verify?email=a@b.example HTTP/1.1\r\nHost: x\r\nX-API-Key: "+key+"\r\n\r\n")
			_, _ = io.Copy(io.Discard, first)
		}()
		synctest.Wait()
		second := listener.dial()
		time.Sleep(10 * time.Second)
		close(busy.open)
		started := time.Now()
		answer := exchangeOn(t, second, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		if waited := time.Since(started); waited > time.Second || answer.StatusCode != http.StatusOK {
			t.Errorf("status %d after %v", answer.StatusCode, waited)
		}
		stop()
	})
}

// TestOneNetworkDoesNotTakeEveryPlace checks that clients of other networks get
// their answer at once while one network opens connections without an end, that
// the network gets places again when its connections end, and that its share
// binds neither a reverse proxy nor programs on this machine.
func TestOneNetworkDoesNotTakeEveryPlace(t *testing.T) {
	const whole = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	const places, share = 80, 10
	for _, said := range []string{
		"", "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A", "POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\ntoken=",
	} {
		for from, want := range map[string]int{"2001:db8::1": share, "203.0.113.9": share, "9.9.9.9": places - 1, "127.0.0.1": places - 1} {
			synctest.Test(t, func(t *testing.T) {
				listener, stop := listening(t, api.Config{
					MaxConnections: places, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("9.9.9.9/32")},
					Pages: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }),
				})
				var ended atomic.Int64
				for range places - 1 {
					conn := listener.dialFrom(from)
					go func() {
						_, _ = io.Copy(io.Discard, conn)
						ended.Add(1)
					}()
					go func() { _, _ = io.WriteString(conn, said) }()
				}
				synctest.Wait()
				if open := places - 1 - int(ended.Load()); open != want {
					t.Errorf("%q from %s: %d open, want %d", said, from, open, want)
				}
				started := time.Now()
				answer := exchangeOn(t, listener.dialFrom("10.0.0.1"), whole)
				if waited := time.Since(started); waited != 0 || answer.StatusCode != http.StatusOK {
					t.Errorf("%q from %s: status %d after %v", said, from, answer.StatusCode, waited)
				}
				time.Sleep(time.Minute)
				if answer := exchangeOn(t, listener.dialFrom(from), whole); answer.StatusCode != http.StatusOK {
					t.Errorf("%q from %s, a minute later: status %d", said, from, answer.StatusCode)
				}
				stop()
			})
		}
	}
}

// exchangeOn sends a request as it is and returns the answer, its body read.
func exchangeOn(t *testing.T, conn net.Conn, request string) *http.Response {
	t.Helper()
	go func() { _, _ = io.WriteString(conn, request) }()
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%.60q: %v", request, err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatalf("%.60q: %v", request, err)
	}
	answer.Body = io.NopCloser(strings.NewReader(string(body)))
	return answer
}

// TestCrowd: what finds neither a slot nor a place in the queue is refused at
// once, and the server's health can be asked meanwhile.
func TestCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slots, crowd = 10, 1000
		busy := newGate()
		busy.asked = make(chan struct{}, crowd)
		handler := newServer(t, api.Config{Verifier: busy, Concurrency: slots}).Handler()
		type ended struct {
			status int
			after  time.Duration
			retry  string
		}
		answers := make(chan ended, crowd)
		started := time.Now()
		for range crowd {
			go func() {
				response := get(handler, "/api/v1/verify?email=a@b.example")
				answers <- ended{response.Code, time.Since(started), response.Header().Get("Retry-After")}
			}()
		}
		synctest.Wait()
		if refused := len(answers); refused != crowd-2*slots {
			t.Errorf("%d refused at once, want %d", refused, crowd-2*slots)
		}
		if health := get(handler, "/healthz"); health.Code != http.StatusOK || time.Since(started) != 0 {
			t.Errorf("healthz: status %d after %v", health.Code, time.Since(started))
		}
		time.Sleep(5 * time.Second)
		close(busy.open)
		synctest.Wait()
		count := map[int]int{}
		for range crowd {
			answer := <-answers
			count[answer.status]++
			if answer.status == http.StatusServiceUnavailable && (answer.after > time.Second || answer.retry == "") {
				t.Errorf("503 after %v, Retry-After %q", answer.after, answer.retry)
			}
		}
		if count[http.StatusOK] != slots || count[http.StatusServiceUnavailable] != crowd-slots {
			t.Errorf("answers: %v", count)
		}
	})
}
