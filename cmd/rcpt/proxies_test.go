//go:build unix

package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/testkit"
)

// publicName is the name in the configurations of deploy/proxy.
const publicName = "verify.example.com"

// reverseProxies start the proxies of deploy/proxy before a server, at two
// addresses of this machine: one with TLS, and a plain one. An entry returns
// the command line.
var reverseProxies = map[string]func(t *testing.T, dir, listen, plain, backend string) []string{
	"nginx": func(t *testing.T, dir, listen, plain, backend string) []string {
		site := adapted(t, "nginx.conf", []string{
			"listen 80;", "listen " + plain + ";", "    listen [::]:80;\n", "",
			"listen 443", "listen " + listen, "    listen [::]:443 ssl http2;\n", "", "/var/www/html", dir,
			"/etc/letsencrypt/live/" + publicName + "/fullchain.pem", dir + "/cert.pem",
			"/etc/letsencrypt/live/" + publicName + "/privkey.pem", dir + "/key.pem",
			"/var/log/nginx", dir, "127.0.0.1:8080", backend,
		})
		user := ""
		if os.Geteuid() == 0 {
			user = "user root; " // another could not read the folder of the test
		}
		main := fmt.Sprintf("%[3]sdaemon off; worker_processes 1; pid %[1]s/pid; error_log stderr;\nevents {}\nhttp {\nclient_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;\n%[2]s}\n", dir, site, user)
		check(t, os.WriteFile(dir+"/nginx.conf", []byte(main), 0o600))
		return []string{"nginx", "-e", "stderr", "-c", dir + "/nginx.conf"}
	},
	"caddy": func(t *testing.T, dir, listen, plain, backend string) []string {
		site := adapted(t, "Caddyfile", []string{
			"\n" + publicName + " {\n", fmt.Sprintf("\n%s {\n\ttls %s/cert.pem %s/key.pem\n", publicName, dir, dir),
			"127.0.0.1:8080", backend,
		})
		site = fmt.Sprintf("{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\thttp_port %s\n\thttps_port %s\n}\n",
			portOf(t, plain), portOf(t, listen)) + site
		check(t, os.WriteFile(dir+"/Caddyfile", []byte(site), 0o600))
		return []string{"caddy", "run", "--adapter", "caddyfile", "--config", dir + "/Caddyfile"}
	},
	"traefik": func(t *testing.T, dir, listen, plain, backend string) []string {
		routes := adapted(t, "traefik.yaml", []string{
			"tls:\n        certResolver: letsencrypt\n", "tls: {}\n", "127.0.0.1:8080", backend,
		})
		routes += fmt.Sprintf("tls:\n  certificates: [{certFile: %[1]s/cert.pem, keyFile: %[1]s/key.pem}]\n", dir)
		check(t, os.WriteFile(dir+"/rcpt.yaml", []byte(routes), 0o600))
		return []string{"traefik", "--global.checkNewVersion=false", "--log.noColor",
			"--entryPoints.websecure.address=" + listen, "--entryPoints.web.address=" + plain,
			"--providers.file.filename=" + dir + "/rcpt.yaml"}
	},
}

// adapted is a file of deploy/proxy for this machine. Each text to replace must
// be there.
func adapted(t *testing.T, name string, replacements []string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "proxy", name))
	check(t, err)
	for i := 0; i < len(replacements); i += 2 {
		if !strings.Contains(string(text), replacements[i]) {
			t.Fatalf("%s lacks %q", name, replacements[i])
		}
	}
	return strings.NewReplacer(replacements...).Replace(string(text))
}

// portOf is the port of an address.
func portOf(t *testing.T, address string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	check(t, err)
	return port
}

// frontend is a reverse proxy before a server.
type frontend struct {
	clientAt func(client string) *http.Client // that asks it over TLS as a client with an address
	plain    string                           // where it listens without TLS
	folder   string                           // of files that it serves
}

// proxied starts a reverse proxy before a server.
func proxied(t *testing.T, name, backend string) frontend {
	t.Helper()
	return proxiedBy(t, name, reverseProxies[name], backend)
}

// proxiedBy is proxied with another configuration.
func proxiedBy(t *testing.T, name string, configure func(t *testing.T, dir, listen, plain, backend string) []string, backend string) frontend {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip(name + " is not installed")
	}
	dir, listen, plain := t.TempDir(), freePort(t), freePort(t)
	writeCertificate(t, dir)
	line := configure(t, dir, listen, plain, backend)
	command := exec.Command(line[0], line[1:]...) // to be ended in order: a killed nginx leaves its workers
	command.Env = append(os.Environ(), "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	log := new(testkit.Log)
	command.Stdout, command.Stderr = log, log
	check(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
		if t.Failed() {
			t.Log(log)
		}
	})
	clientAt := func(client string) *http.Client {
		dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(client)}}
		transport := &http.Transport{
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true, ServerName: publicName},
		}
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", listen)
		}
		t.Cleanup(transport.CloseIdleConnections)
		return &http.Client{Transport: transport, Timeout: awaitTimeout}
	}
	testkit.Eventually(t, name+" passes requests on", func() bool {
		response, err := clientAt("127.0.0.1").Get("https://" + publicName + "/healthz")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	return frontend{clientAt, plain, dir}
}

// freePort returns an address that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprint("127.0.0.1:", 10_000+rand.IntN(20_000)) // systems give others to outgoing connections
		if listener, err := net.Listen("tcp", address); err == nil {
			listener.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

// writeCertificate writes the certificate of package httptest and its key.
func writeCertificate(t *testing.T, dir string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	server.Close()
	pair := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	check(t, err)
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, "key.pem": {Type: "PRIVATE KEY", Bytes: key},
	} {
		check(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600))
	}
}

// TestReverseProxies: behind the proxies of deploy/proxy, a key works for the
// network of its clients alone, whatever address they claim, and cookies are
// secure.
func TestReverseProxies(t *testing.T) {
	for name := range reverseProxies {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			key, _ := keyIn(t, folder, store.Key{Scopes: []store.Scope{store.ScopeVerify}, Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.7/32")}})
			n := startNode(t, []string{"RCPT_RESOLVER=127.0.0.1:1"}, "--level", "syntax", "--data", folder,
				"--trusted-proxy", "127.0.0.1/32", "--public-url", "https://"+publicName)
			clientAt := proxied(t, name, strings.TrimPrefix(n.url, "http://")).clientAt
			for _, c := range []struct {
				client, claims, key string
				want                int
			}{
				{"127.0.0.7", "", key, 200},
				{"127.0.0.8", "", key, 403},
				{"127.0.0.8", "127.0.0.7", key, 403},
				{"127.0.0.7", "127.0.0.8", key, 200},
				{"127.0.0.7", "", "", 401},
			} {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+publicName+"/api/v1/verify?email=a@acme.example", nil)
				check(t, err)
				request.Header.Set("Authorization", "Bearer "+c.key)
				if c.claims != "" {
					request.Header.Set("X-Forwarded-For", c.claims)
				}
				response, err := clientAt(c.client).Do(request)
				check(t, err)
				response.Body.Close()
				if response.StatusCode != c.want {
					t.Errorf("%+v: got %d", c, response.StatusCode)
				}
			}
			response, err := clientAt("127.0.0.7").Get("https://" + publicName + "/sign-in")
			check(t, err)
			response.Body.Close()
			if cookie := response.Header.Get("Set-Cookie"); !strings.HasPrefix(cookie, "__Host-") || !strings.Contains(cookie, "; Secure") {
				t.Errorf("the cookie is %q", cookie)
			}
		})
	}
}

// TestReverseProxiesRefuse: behind the proxies of deploy/proxy, a client that
// sends a long list gets the answer that refuses it, and not an error of the
// proxy.
func TestReverseProxiesRefuse(t *testing.T) {
	const long, times = 32 << 20, 20
	for name := range reverseProxies {
		t.Run(name, func(t *testing.T) {
			n := startNode(t, []string{"RCPT_RESOLVER=127.0.0.1:1"}, "--level", "syntax", "--data", t.TempDir(), "--trusted-proxy", "127.0.0.1/32")
			clientAt := proxied(t, name, strings.TrimPrefix(n.url, "http://")).clientAt
			statuses := map[int]int{}
			for range times {
				// Each has its own connection: nginx ends
				// one that it has answered before it had
				// the whole body, without a word.
				response, err := clientAt("127.0.0.1").Post("https://"+publicName+"/api/v1/bulk", "text/csv", io.LimitReader(zeros{}, long))
				if err != nil {
					statuses[0]++
					t.Log(err)
					continue
				}
				response.Body.Close()
				statuses[response.StatusCode]++
			}
			if statuses[http.StatusUnauthorized] != times {
				t.Errorf("the statuses are %v", statuses)
			}
		})
	}
}

// TestReverseProxiesStream: behind the proxies of deploy/proxy, a server gets a
// long body and a client gets events while the other end still writes.
func TestReverseProxiesStream(t *testing.T) {
	for name := range reverseProxies {
		t.Run(name, func(t *testing.T) {
			heard := make(chan string)
			backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/upload": // answers at the end of the body, and tells of its first line before
					body := bufio.NewReader(r.Body)
					line, _ := body.ReadString('\n')
					select {
					case heard <- line:
					case <-r.Context().Done():
					}
					rest, _ := io.Copy(io.Discard, body)
					fmt.Fprint(w, rest)
				case "/events": // says one event, waits until the client has it, and says another
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprint(w, "data: one\n\n")
					w.(http.Flusher).Flush()
					select {
					case event := <-heard:
						fmt.Fprintf(w, "data: %s\n\n", event)
					case <-r.Context().Done():
					}
				}
			}))
			t.Cleanup(backend.Close)
			client := proxied(t, name, backend.Listener.Addr().String()).clientAt("127.0.0.1")

			const long = 64 << 20
			body, writer := io.Pipe()
			go func() {
				fmt.Fprintln(writer, "first")
				<-heard // only now comes the rest
				_, err := io.CopyN(writer, zeros{}, long)
				writer.CloseWithError(err)
			}()
			response, err := client.Post("https://"+publicName+"/upload", "text/csv", body)
			check(t, err)
			defer response.Body.Close()
			if got, err := io.ReadAll(response.Body); err != nil || string(got) != fmt.Sprint(long) {
				t.Errorf("the server got %s octets, %v", got, err)
			}

			response, err = client.Get("https://" + publicName + "/events")
			check(t, err)
			defer response.Body.Close()
			events := bufio.NewReader(response.Body)
			line, err := events.ReadString('\n')
			check(t, err)
			heard <- "two"
			rest, err := io.ReadAll(events)
			if line != "data: one\n" || !strings.Contains(string(rest), "data: two") || err != nil {
				t.Errorf("got %q, then %q, %v", line, rest, err)
			}
		})
	}
}

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
