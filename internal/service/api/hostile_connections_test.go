package api_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/internal/service/api"
)

// TestQuietConnections: connections that say nothing, or do not finish what
// they say, give way to one that asks; at once where they had an answer.
func TestQuietConnections(t *testing.T) {
	for name, said := range map[string]string{
		"silent": "", "slow header": "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A", "idle": "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			const most = 50
			listener, stop := listening(t, api.Config{MaxConnections: most})
			for range 3 * most {
				conn := listener.dial()
				go func() { _, _ = io.Copy(io.Discard, conn) }()
				_, _ = io.WriteString(conn, said)
			}

			time.Sleep(5 * time.Second)
			started := time.Now()
			answer := exchangeOn(t, listener.dial(), "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			if waited := time.Since(started); waited != 0 || answer.StatusCode != http.StatusOK {
				t.Errorf("%s: status %d after %v", name, answer.StatusCode, waited)
			}
			stop()
		})
	}
}

// TestOneNetworkDoesNotTakeEveryPlace checks that clients of other networks get
// their answer at once while one network opens connections without an end, and
// that its share does not bind a reverse proxy.
func TestOneNetworkDoesNotTakeEveryPlace(t *testing.T) {
	const whole = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	for name, said := range map[string]string{
		"silent": "", "slow header": "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A",
		"slow body": "POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\ntoken=",
	} {
		for from, want := range map[string]time.Duration{"2001:db8::1": 0, "9.9.9.9": 5 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				const most = 80
				listener, stop := listening(t, api.Config{
					MaxConnections: most, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("9.9.9.9/32")},
					Pages: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }),
				})
				open := func(from string) net.Conn {
					conn := listener.dialFrom(from)
					go func() { _, _ = io.Copy(io.Discard, conn) }()
					go func() { _, _ = io.WriteString(conn, said) }()
					synctest.Wait()
					return conn
				}
				for range most {
					open(from)
				}
				started := time.Now()
				answer := exchangeOn(t, listener.dialFrom("10.0.0.1"), whole)
				if waited := time.Since(started); waited != want || answer.StatusCode != http.StatusOK {
					t.Errorf("%s from %s: status %d after %v, want %v", name, from, answer.StatusCode, waited, want)
				}
				stop()
			})
		}
	}
}

// TestQuietestFirst: of idle connections the one that has been so for longest
// gives way, and one that has just been opened does not.
func TestQuietestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener, stop := listening(t, api.Config{MaxConnections: 3})
		const question = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
		first, second := listener.dial(), listener.dial()
		exchangeOn(t, first, question)
		exchangeOn(t, second, question)
		time.Sleep(time.Second)
		exchangeOn(t, first, question) // now the second has been idle for longer
		opened := listener.dial()
		synctest.Wait()
		another := listener.dial()
		if _, err := second.Read(make([]byte, 1)); err == nil {
			t.Error("the second connection is open")
		}
		for _, conn := range []net.Conn{opened, first, another} {
			if answer := exchangeOn(t, conn, question); answer.StatusCode != http.StatusOK {
				t.Errorf("status %d", answer.StatusCode)
			}
		}
		stop()
	})
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
