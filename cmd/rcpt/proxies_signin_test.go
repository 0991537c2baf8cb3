//go:build unix

package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/service/store"
)

// signInProxies change the configurations of reverseProxies: people sign in at
// a gate.
var signInProxies = map[string]func(t *testing.T, dir, gate string){
	"caddy": func(t *testing.T, dir, gate string) {
		replaced(t, dir+"/Caddyfile", "\n"+publicName+" {\n", "\n}\n", siteOf(t, "Caddyfile.sign-in"),
			"\n"+publicName+" {\n", "\n"+publicName+" {\n\ttls "+dir+"/cert.pem "+dir+"/key.pem\n", "127.0.0.1:4180", gate)
	},
	"nginx": func(t *testing.T, dir, gate string) {
		replaced(t, dir+"/nginx.conf", "\n    location / {\n        proxy_pass", "\n    }\n", siteOf(t, "nginx-sign-in.conf"), "127.0.0.1:4180", gate)
	},
}

func siteOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "proxy", name))
	check(t, err)
	return string(text)
}

// replaced puts a text, after replacements in it, in place of a part of a file.
func replaced(t *testing.T, file, begin, end, by string, replacements ...string) {
	t.Helper()
	text, err := os.ReadFile(file)
	check(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no part from %q to %q", file, begin, end)
	}
	check(t, os.WriteFile(file, []byte(before+"\n"+strings.NewReplacer(replacements...).Replace(by)+after), 0o600))
}

// gate answers as oauth2-proxy does with --set-xauthrequest. The cookie has the
// name of the person that is signed in there. For "silent" the gate gives no
// name, as for a path that may be opened without a sign-in.
func gate(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := r.Cookie("gate")
		switch {
		case r.URL.Path != "/oauth2/auth":
			_, _ = io.WriteString(w, "the gate")
			return
		case err != nil:
			w.WriteHeader(http.StatusUnauthorized)
			return
		case who.Value != "silent":
			w.Header().Set("X-Auth-Request-User", who.Value)
		}
		if who.Value == "ann" {
			w.Header().Set("X-Auth-Request-Groups", "mail,ops")
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// nobody is the status of a request that is refused, in one way or another.
const nobody = 0

// TestSignInProxies: behind the proxies of deploy/proxy that ask a gate,
// somebody is who the gate says, whatever they claim, and round the proxy they
// are nobody.
func TestSignInProxies(t *testing.T) {
	for name, change := range signInProxies {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			key, _ := keyIn(t, folder, store.Key{Scopes: []store.Scope{store.ScopeUsage}})
			n := startNode(t, []string{"RCPT_RESOLVER=127.0.0.1:1"}, "--level", "syntax", "--data", folder,
				"--trusted-proxy", "127.0.0.1/32", "--public-url", "https://"+publicName, "--auth-header", "X-Forwarded-User",
				"--auth-groups-header", "X-Forwarded-Groups", "--auth-group", "admin=ops", "--auth-group", "member=mail")
			at := gate(t)
			configure := func(t *testing.T, dir, listen, plain, backend string) []string {
				line := reverseProxies[name](t, dir, listen, plain, backend)
				change(t, dir, at)
				site, file := "127.0.0.1:8080", dir+map[string]string{"caddy": "/Caddyfile", "nginx": "/nginx.conf"}[name]
				text, err := os.ReadFile(file)
				check(t, err)
				check(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), site, backend)), 0o600))
				return line
			}
			client := proxiedBy(t, name, configure, strings.TrimPrefix(n.url, "http://")).clientAt("127.0.0.1")
			client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			round := &http.Client{Timeout: awaitTimeout, CheckRedirect: client.CheckRedirect, Transport: &http.Transport{
				DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
					return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.0.9")}}).DialContext(ctx, network, address)
				},
			}}
			t.Cleanup(round.CloseIdleConnections)
			for _, c := range []struct {
				about, path, cookie string
				claims              bool
				client              *http.Client
				base, key           string
				status              int
				leads, says         string
			}{
				{about: "an admin", path: "/team", cookie: "ann", status: 200, says: "ann"},
				{about: "a viewer", path: "/account", cookie: "bob", status: 200, says: "<strong>bob</strong>, viewer"},
				{about: "a viewer who claims to be an admin", path: "/account", cookie: "bob", claims: true, status: 200, says: "<strong>bob</strong>, viewer"},
				{about: "a viewer who claims it at an admin's page", path: "/team", cookie: "bob", claims: true, status: 403},
				{about: "a stranger", path: "/usage", status: 302, leads: "/oauth2/sign_in?rd="},
				{about: "a stranger who claims", path: "/usage", claims: true, status: 302, leads: "/oauth2/sign_in?rd="},
				{about: "somebody without a name who claims", path: "/usage", cookie: "silent", claims: true, status: nobody},
				{about: "the gate's own pages", path: "/oauth2/sign_in", status: 200, says: "the gate"},
				{about: "a program with a key", path: "/api/v1/usage", key: key, status: 200},
				{about: "a program without one that claims", path: "/api/v1/usage", claims: true, status: 401},
				{about: "round the proxy", path: "/usage", claims: true, client: round, base: n.url, status: 303, leads: "/sign-in"},
				{about: "a way round the gate", path: "/api/../team", claims: true, status: nobody},
			} {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+publicName+c.path, nil)
				check(t, err)
				if c.base != "" {
					request, err = http.NewRequestWithContext(t.Context(), http.MethodGet, c.base+c.path, nil)
					check(t, err)
				}
				if c.cookie != "" {
					request.AddCookie(&http.Cookie{Name: "gate", Value: c.cookie})
				}
				if c.key != "" {
					request.Header.Set("X-API-Key", c.key)
				}
				if c.claims {
					request.Header["X-Forwarded-User"], request.Header["X-Forwarded-Groups"] = []string{"ann"}, []string{"ops"}
					request.Header["X-Auth-Request-User"], request.Header["X-Forwarded-For"] = []string{"ann"}, []string{"127.0.0.1"}
				}
				if c.client == nil {
					c.client = client
				}
				response, err := c.client.Do(request)
				check(t, err)
				body, err := io.ReadAll(response.Body)
				check(t, err)
				response.Body.Close()
				if c.status == nobody && response.StatusCode >= 300 {
					c.status = response.StatusCode
				}
				if leads := response.Header.Get("Location"); response.StatusCode != c.status || !strings.Contains(leads, c.leads) || !strings.Contains(string(body), c.says) {
					t.Errorf("%s: %d to %q", c.about, response.StatusCode, leads)
				}
			}
		})
	}
}
