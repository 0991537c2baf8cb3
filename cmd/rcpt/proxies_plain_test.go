//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/certificate"
)

// plainRequests are what must become of requests without TLS, whatever answers
// them: no key is sent on, nobody is sent to another host, and nothing of a
// path becomes a header field, a query or a fragment.
var plainRequests = []struct {
	method, target, host string
	want                 int
	location             string
}{
	{"GET", "/", publicName, 301, "/"},
	{"GET", "/keys?apikey=rcpt_SECRET", publicName, 301, "/keys"},
	{"GET", "/keys", "VERIFY.example.com", 301, "/keys"},
	{"GET", "/a%0d%0aSet-Cookie:%20injected=1", publicName, 301, "/a%0d%0aSet-Cookie:%20injected=1"},
	{"GET", "/a%0D%0A%0D%0A<script>", publicName, 301, "/a%0D%0A%0D%0A<script>"},
	{"GET", "/a%3Fb%23c?d", publicName, 301, "/a%3Fb%23c"},
	{"GET", "//evil.example/a", publicName, 301, "//evil.example/a"},
	{"GET", "/a/%2e%2e/b", publicName, 301, "/a/%2e%2e/b"},
	{"GET", "/api/v1/verify?email=a@b.example&apikey=rcpt_SECRET", publicName, 403, ""},
	{"POST", "/api/v1/verify?apikey=rcpt_SECRET", publicName, 403, ""},
	{"GET", "//api/v1/verify?apikey=rcpt_SECRET", publicName, 403, ""},
	{"GET", "/api%2fv1/verify?apikey=rcpt_SECRET", publicName, 403, ""},
	{"GET", "/a/../api/v1/verify?apikey=rcpt_SECRET", publicName, 403, ""},
	{"GET", "/keys", "evil.example", 421, ""},
	{"GET", "/keys", publicName + ".evil.example", 421, ""},
	{"GET", "http://evil.example/keys", publicName, 421, ""},
	{"GET", "/api/v1/verify?apikey=rcpt_SECRET", "evil.example", 421, ""},
}

// answersPlain puts plainRequests to an address.
func answersPlain(t *testing.T, address string) {
	t.Helper()
	for _, c := range plainRequests {
		response := rawRequest(t, address, fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", c.method, c.target, c.host))
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		check(t, err)
		location := ""
		if c.location != "" {
			location = "https://" + publicName + c.location
		}
		got := response.Header.Get("Location")
		if response.StatusCode != c.want || !sameTarget(got, location) || response.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s %s at %s: %s, to %q; want %d, to %q", c.method, c.target, c.host, response.Status, got, c.want, location)
		}
		if strings.Contains(fmt.Sprint(response.Header, string(body)), "rcpt_SECRET") {
			t.Errorf("%s %s at %s: the key is in the answer", c.method, c.target, c.host)
		}
	}
}

// sameTarget compares URLs. An escape may be written in capitals or not, and
// "<" and ">" may be escaped.
func sameTarget(a, b string) bool {
	escaped := strings.NewReplacer("<", "%3C", ">", "%3E")
	return strings.EqualFold(escaped.Replace(a), escaped.Replace(b))
}

// rawRequest sends the text of a request.
func rawRequest(t *testing.T, address, text string) *http.Response {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, awaitTimeout)
	check(t, err)
	t.Cleanup(func() { conn.Close() })
	check(t, conn.SetDeadline(time.Now().Add(awaitTimeout)))
	_, err = io.WriteString(conn, text)
	check(t, err)
	method, _, _ := strings.Cut(text, " ")
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	check(t, err)
	return response
}

// TestReverseProxiesPlain: the proxies of deploy/proxy redirect pages to HTTPS,
// and nothing else.
func TestReverseProxiesPlain(t *testing.T) {
	for _, name := range []string{"nginx", "caddy"} { // the file for Traefik has no plain entry point
		t.Run(name, func(t *testing.T) {
			backend := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			t.Cleanup(backend.Close)
			front := proxied(t, name, backend.Listener.Addr().String())
			answersPlain(t, front.plain)
			if name == "nginx" { // Caddy answers the challenges of its own certificates
				servesChallenge(t, front)
			}
		})
	}
}

// servesChallenge checks that a file of certbot's is served.
func servesChallenge(t *testing.T, front frontend) {
	t.Helper()
	folder := filepath.Join(front.folder, ".well-known", "acme-challenge")
	check(t, os.MkdirAll(folder, 0o755))
	check(t, os.WriteFile(filepath.Join(folder, "token"), []byte("answer"), 0o644))
	response := rawRequest(t, front.plain, "GET /.well-known/acme-challenge/token HTTP/1.1\r\nHost: "+publicName+"\r\nConnection: close\r\n\r\n")
	body, err := io.ReadAll(response.Body)
	check(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusOK || string(body) != "answer" {
		t.Errorf("%s: %q", response.Status, body)
	}
}

// TestReverseProxiesHost: over TLS, too, the proxies of deploy/proxy answer for
// their name alone, and the server behind them hears no other.
func TestReverseProxiesHost(t *testing.T) {
	for name := range reverseProxies {
		t.Run(name, func(t *testing.T) {
			hosts := make(chan string, 100)
			backend := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { hosts <- r.Host }))
			t.Cleanup(backend.Close)
			front := proxied(t, name, backend.Listener.Addr().String())
			for _, host := range []string{publicName, "evil.example", publicName + ".evil.example"} {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+publicName+"/keys", nil)
				check(t, err)
				request.Host = host
				response, err := front.clientAt("127.0.0.1").Do(request)
				check(t, err)
				response.Body.Close()
			}
			close(hosts)
			for host := range hosts {
				if host != publicName {
					t.Errorf("the server was asked for %q", host)
				}
			}
		})
	}
}

// TestPlainListener: port 80 of --acme-http answers like the proxies.
func TestPlainListener(t *testing.T) {
	plain := freePort(t)
	c, err := certificate.New(certificate.Config{Domains: []string{publicName}, Folder: t.TempDir(), Plain: plain})
	check(t, err)
	stop, err := c.Answer()
	check(t, err)
	t.Cleanup(stop)
	answersPlain(t, plain)
	response := rawRequest(t, plain, "GET /api/v1/usage HTTP/1.1\r\nHost: "+publicName+"\r\nConnection: close\r\n\r\n")
	body, err := io.ReadAll(response.Body)
	check(t, err)
	response.Body.Close()
	const want = `{"success":false,"message":"This address speaks TLS only: use https://verify.example.com. A key that was sent without TLS can have been read on the way: replace it.","code":"tls_required"}` + "\n"
	if string(body) != want || response.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("got %s", body)
	}
	for target, status := range map[string]int{
		"/.well-known/acme-challenge/unknown": http.StatusNotFound, "*": http.StatusBadRequest,
	} {
		method := map[bool]string{true: "OPTIONS", false: "GET"}[target == "*"]
		response := rawRequest(t, plain, method+" "+target+" HTTP/1.1\r\nHost: "+publicName+"\r\nConnection: close\r\n\r\n")
		response.Body.Close()
		if response.StatusCode != status {
			t.Errorf("%s: %s", target, response.Status)
		}
	}
}
