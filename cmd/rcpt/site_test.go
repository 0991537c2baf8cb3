//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/testkit"
)

// keyIn creates a key in the embedded database of a folder.
func keyIn(t *testing.T, folder string, key store.Key) (text, id string) {
	t.Helper()
	s := openState(t, store.Options{DataDir: folder})
	text, created, err := keyring.NewKey(t.Context(), s, store.ByCommand("test"), key)
	check(t, err)
	check(t, s.Close())
	return text, created.ID
}

// behindProxy is a request as a trusted reverse proxy sends it for a client
// that uses TLS.
func behindProxy(t *testing.T, method, target, client string, body io.Reader) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, target, body)
	check(t, err)
	request.Header.Set("X-Forwarded-For", client)
	request.Header.Set("X-Forwarded-Proto", "https")
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return request
}

func answered(t *testing.T, request *http.Request) (*http.Response, string) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	check(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	check(t, err)
	return response, string(body)
}

// TestBehindAProxy: --trusted-proxy decides which address and scheme of a
// request count, for the networks of keys, the limits of the sign-in and
// cookies; links begin with --public-url.
func TestBehindAProxy(t *testing.T) {
	folder := t.TempDir()
	key, _ := keyIn(t, folder, store.Key{Scopes: []store.Scope{store.ScopeVerify}, Networks: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}})
	p := start(t, []string{"RCPT_RESOLVER=127.0.0.1:1"}, "serve", "--listen", "127.0.0.1:0", "--level", "syntax", "--data", folder,
		"--trusted-proxy", "127.0.0.0/8", "--public-url", "https://verify.example.com", "--metrics-listen", "127.0.0.1:0")
	metrics := p.await(p.stderr, `^Metrics are at (http://.*)$`)[1]
	at := p.await(p.stderr, `^rcpt listens on (http://.*)$`)[1]
	p.await(p.stderr, `: https://verify.example.com/setup\?token=.*$`)
	go func() { _, _ = io.Copy(io.Discard, p.stderr) }()
	t.Cleanup(func() { _ = p.command.Process.Kill(); _ = p.command.Wait() })

	ask := func(client string) int {
		request := behindProxy(t, http.MethodGet, at+"/api/v1/verify?email=a@acme.example", client, nil)
		request.Header.Set("X-API-Key", key)
		response, _ := answered(t, request)
		return response.StatusCode
	}
	if here, there := ask("203.0.113.9"), ask("198.51.100.9"); here != 200 || there != 403 {
		t.Errorf("from the key's network %d, from another %d", here, there)
	}

	response, body := answered(t, behindProxy(t, http.MethodGet, at+"/sign-in", "203.0.113.9", nil))
	cookie := response.Header.Get("Set-Cookie")
	token := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(body)
	if !strings.HasPrefix(cookie, "__Host-") || !strings.Contains(cookie, "; Secure") || token == nil {
		t.Fatalf("cookie %q, token %q", cookie, token)
	}
	guess := func(login, client string) int {
		form := url.Values{"token": {token[1]}, "login": {login}, "password": {"a guess"}}
		request := behindProxy(t, http.MethodPost, at+"/sign-in", client, strings.NewReader(form.Encode()))
		request.Header.Set("Cookie", strings.SplitN(cookie, ";", 2)[0])
		response, _ := answered(t, request)
		return response.StatusCode
	}
	last := 0
	for i := 0; i < 10 && last != 429; i++ { // on a slow machine the first waits are over sooner than the guess
		last = guess(fmt.Sprint("login", i), "203.0.113.9")
	}
	if other := guess("another", "198.51.100.9"); last != 429 || other != 403 {
		t.Errorf("a client with many logins gets %d, another %d", last, other)
	}
	if response, body := answered(t, behindProxy(t, http.MethodGet, metrics, "203.0.113.9", nil)); !strings.Contains(body, "rcpt_http_requests_total{") {
		t.Errorf("metrics: %s %s", response.Status, body)
	}
}

// TestWhatServeKeeps: usage is counted and told, units of a quota that were set
// aside are given back at the end, and results are remembered unless
// --remember says 0.
func TestWhatServeKeeps(t *testing.T) {
	for remember, cached := range map[string]bool{"100": true, "0": false} {
		t.Run(remember, func(t *testing.T) {
			folder := t.TempDir()
			key, id := keyIn(t, folder, store.Key{Scopes: []store.Scope{store.ScopeVerify, store.ScopeUsage}, MonthlyQuota: 100_000})
			n := startNode(t, []string{"RCPT_RESOLVER=127.0.0.1:1"}, "--level", "syntax", "--data", folder, "--remember", remember)
			const asked = 200
			ask := func() (last reply) {
				for answered, putOff := 0, 0; answered < asked; {
					if last = n.mustVerify(key, "a@acme.example"); last.status == http.StatusOK {
						answered++
					} else if putOff++; !last.busy() || putOff > asked/10 {
						t.Fatalf("%d %s", last.status, last.body)
					}
				}
				return last
			}
			if last := ask(); last.remembered() != cached {
				t.Errorf("%s, want it remembered: %t", last.body, cached)
			}
			testkit.Eventually(t, "usage is reported", func() bool {
				answer, err := n.get(t.Context(), "/api/v1/usage", key)
				check(t, err)
				var usage struct{ Days []struct{ Verifications int } }
				check(t, json.Unmarshal([]byte(answer.body), &usage))
				counted := 0
				for _, day := range usage.Days {
					counted += day.Verifications
				}
				return counted == asked
			})
			ask() // so that a block is at hand
			if code := n.stop(); code != 0 {
				t.Errorf("exit code %d: %s", code, n.log.String())
			}
			s := openState(t, store.Options{DataDir: folder})
			used, err := s.QuotaUsed(t.Context(), id, time.Now())
			if err != nil || used != 2*asked {
				t.Errorf("%d units used, %v, want %d", used, err, 2*asked)
			}
		})
	}
}

// TestPublicURL: whichever way the URL is written, it is the one that browsers
// use, so that their requests are recognized.
func TestPublicURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://verify.example.com": "https://verify.example.com", "https://verify.example.com/": "https://verify.example.com",
		"https://Verify.Example.com:443": "https://verify.example.com", "http://verify.example.com:80": "http://verify.example.com",
		"https://verify.example.com:80": "https://verify.example.com:80", "https://verify.example.com:": "https://verify.example.com",
		"HTTPS://verify.example.com.": "https://verify.example.com", "https://verify.example.com.:8443": "https://verify.example.com:8443",
		"https://bücher.example": "https://xn--bcher-kva.example", "https://BÜCHER.example:443": "https://xn--bcher-kva.example",
		"https://xn--BCHER-kva.example": "https://xn--bcher-kva.example", "http://127.0.0.1:8080": "http://127.0.0.1:8080",
		"https://[2001:DB8::1]:443": "https://[2001:db8::1]", "http://[::1]:8080": "http://[::1]:8080", "http://my_host": "http://my_host",
		"https://": "", "https://:443": "", "https://.": "", "https://verify.example.com..": "", "https://ü..example": "", "https://a b.example": "",
		"ftp://verify.example.com": "", "https://u@verify.example.com": "", "https://verify.example.com/a": "", "https://verify.example.com?a": "",
	} {
		var got siteURL
		if err := got.UnmarshalText([]byte(text)); (err == nil) != (want != "") || err == nil && string(got) != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

// TestForwarderNotTrusted: a reverse proxy that is not in --trusted-proxy is
// told of once, in the log and on the page Health.
func TestForwarderNotTrusted(t *testing.T) {
	folder := t.TempDir()
	key, _ := keyIn(t, folder, store.Key{Scopes: []store.Scope{store.ScopeVerify}})
	for trusted, want := range map[string]int{"127.0.0.1/32": 0, "10.0.0.0/8": 1} {
		n := startNode(t, []string{"RCPT_RESOLVER=127.0.0.1:1"}, "--level", "syntax", "--data", folder, "--trusted-proxy", trusted)
		for range 3 {
			request := behindProxy(t, http.MethodGet, n.url+"/api/v1/verify?email=a@acme.example", "203.0.113.9", nil)
			request.Header.Set("X-API-Key", key)
			answered(t, request)
		}
		n.stop()
		if got := strings.Count(n.log.String(), "X-Forwarded-For is not believed from this peer"); got != want {
			t.Errorf("%s: %d warnings, want %d\n%s", trusted, got, want, n.log.String())
		}
	}
}
