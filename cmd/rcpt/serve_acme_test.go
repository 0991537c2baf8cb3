//go:build unix

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/internal/testkit"
)

// acmeName is the name of the server in the tests of certificates.
const acmeName = "verify.acme.example"

// TestACME: a server gets a certificate from the certificate authority of Let's
// Encrypt's tests, by either challenge, renews it, keeps it where nobody else
// can read it, and uses it after a restart.
func TestACME(t *testing.T) {
	program, err := exec.LookPath("pebble")
	if err != nil {
		t.Skip("SKIPPED: pebble is not installed: go install github.com/letsencrypt/pebble/v2/cmd/pebble@v2.10.1")
	}
	for _, challenge := range []string{"tls-alpn-01", "http-01"} {
		t.Run(challenge, func(t *testing.T) {
			t.Parallel()
			dir, listen, plain := t.TempDir(), freePort(t), freePort(t)
			reached := map[string]string{"tlsPort": listen, "httpPort": plain}
			if challenge == "http-01" {
				reached["tlsPort"] = freePort(t) // where nobody listens
			}
			directory := startPebble(t, program, dir, reached)
			data := filepath.Join(dir, "data")
			settings := []string{"RCPT_LEVEL=syntax", "RCPT_RESOLVER=127.0.0.1:1", "RCPT_DATA=" + data, "RCPT_LISTEN=" + listen,
				"RCPT_ACME_DOMAIN=" + acmeName, "RCPT_API_KEY=rcpt_key-of-the-test"}
			args := []string{"serve", "--acme-email", "ops@acme.example", "--acme-directory", directory, "--acme-ca", dir + "/cert.pem", "--acme-http", plain}
			p := start(t, settings, args...)
			first := shownCertificate(t, listen, nil)
			if !strings.Contains(first.Issuer.CommonName, "Pebble") || first.VerifyHostname(acmeName) != nil {
				t.Errorf("the certificate is %s's, for %s", first.Issuer, first.DNSNames)
			}
			if out, err := exec.Command("env", append(settings, "rcpt", "health")...).CombinedOutput(); err != nil {
				t.Errorf("health: %v\n%s", err, out)
			}
			second := shownCertificate(t, listen, first)
			if !second.NotAfter.After(first.NotAfter) {
				t.Errorf("the certificate until %s came after that until %s", second.NotAfter, first.NotAfter)
			}
			speaksHTTP2(t, listen)
			isRedirected(t, plain)
			arePrivate(t, filepath.Join(data, "acme"))
			check(t, p.command.Process.Signal(os.Interrupt))
			p.wait()

			settings = append(settings, "RCPT_ACME_DIRECTORY=https://127.0.0.1:1/nobody")
			start(t, settings, "serve")
			if again := shownCertificate(t, listen, nil); again.SerialNumber.Cmp(first.SerialNumber) == 0 {
				t.Error("the first certificate was kept")
			}
		})
	}
}

// startPebble starts a certificate authority whose certificates hold for a
// minute, and returns the URL of its directory. The certificate of its own
// server is in cert.pem.
func startPebble(t *testing.T, program, dir string, reached map[string]string) (directory string) {
	t.Helper()
	names := dnstest.New(acmeName + ". A 127.0.0.1\n")
	resolver, err := names.Start()
	check(t, err)
	t.Cleanup(names.Close)
	writeCertificate(t, dir)
	listen := freePort(t)
	config := map[string]any{
		"listenAddress": listen, "managementListenAddress": freePort(t),
		"certificate": dir + "/cert.pem", "privateKey": dir + "/key.pem", "keyAlgorithm": "ecdsa",
		"retryAfter": map[string]int{"authz": 1, "order": 1},
		"profiles":   map[string]any{"default": map[string]any{"description": "short", "validityPeriod": 60}},
	}
	for name, address := range reached {
		addr, err := net.ResolveTCPAddr("tcp", address)
		check(t, err)
		config[name] = addr.Port
	}
	text, err := json.Marshal(map[string]any{"pebble": config})
	check(t, err)
	check(t, os.WriteFile(dir+"/pebble.json", text, 0o600))
	pebble := exec.CommandContext(t.Context(), program, "-config", dir+"/pebble.json", "-dnsserver", resolver)
	pebble.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1")
	log := new(testkit.Log)
	pebble.Stdout, pebble.Stderr = log, log
	check(t, pebble.Start())
	t.Cleanup(func() {
		_ = pebble.Wait()
		if t.Failed() {
			t.Log(log)
		}
	})
	testkit.Eventually(t, "pebble listens", func() bool {
		conn, err := net.Dial("tcp", listen)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return "https://" + listen + "/dir"
}

// shownCertificate waits until a server shows a certificate other than that
// before.
func shownCertificate(t *testing.T, listen string, before *x509.Certificate) (shown *x509.Certificate) {
	t.Helper()
	testkit.Eventually(t, "there is a certificate", func() bool {
		conn, err := tls.Dial("tcp", listen, &tls.Config{ServerName: acmeName, InsecureSkipVerify: true})
		if err != nil {
			return false
		}
		defer conn.Close()
		shown = conn.ConnectionState().PeerCertificates[0]
		return before == nil || shown.SerialNumber.Cmp(before.SerialNumber) != 0
	})
	return shown
}

// speaksHTTP2 checks that requests share a connection, that one may have a
// body, and that one whose body is not read ends nothing but itself.
func speaksHTTP2(t *testing.T, listen string) {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{ServerName: acmeName, InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	for _, c := range []struct {
		path, body string
		want       int
	}{
		{"/healthz", "", 200}, {"/api/v1/verify", `{"email":"alice@acme.example"}`, 200}, {"/api/v1/verify", strings.Repeat(" ", 1<<20), 413},
		{"/api/v1/verify?apikey=wrong", `{"email":"alice@acme.example"}`, 401}, {"/healthz", "", 200},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+listen+c.path, strings.NewReader(c.body))
		check(t, err)
		if c.body != "" {
			request.Method = http.MethodPost
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-API-Key", "rcpt_key-of-the-test")
		response, err := transport.RoundTrip(request)
		check(t, err)
		response.Body.Close()
		if response.StatusCode != c.want || response.ProtoMajor != 2 {
			t.Errorf("%s: %s %s, want %d", c.path, response.Proto, response.Status, c.want)
		}
	}
}

// isRedirected checks that plain requests are sent to HTTPS.
func isRedirected(t *testing.T, plain string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+plain+"/docs", nil)
	check(t, err)
	request.Host = acmeName
	response, err := http.DefaultTransport.RoundTrip(request)
	check(t, err)
	response.Body.Close()
	if got := response.Header.Get("Location"); got != "https://"+acmeName+"/docs" {
		t.Errorf("%s, to %q", response.Status, got)
	}
}

// arePrivate checks that only their owner can read the files of a folder.
func arePrivate(t *testing.T, folder string) {
	t.Helper()
	files := 0
	check(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		files++
		return err
	}))
	if files < 3 {
		t.Errorf("%s has %d files", folder, files-1)
	}
}

// TestACMEFlags: what cannot work is refused at the start.
func TestACMEFlags(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	check(t, os.WriteFile(empty, nil, 0o600))
	for want, args := range map[string][]string{
		"need --acme-domain":           {"--acme-email", "ops@acme.example"},
		"is not a domain name":         {"--acme-domain", "*.acme.example"},
		"use an HTTPS URL":             {"--acme-domain", acmeName, "--acme-directory", "http://ca.example"},
		"has no certificates in PEM":   {"--acme-domain", acmeName, "--acme-ca", empty},
		"is not HOST:PORT: use for ex": {"--acme-domain", acmeName, "--acme-http", "80"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), awaitTimeout)
		command := exec.CommandContext(ctx, "rcpt", append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
		command.Env = append(os.Environ(), "RCPT_DATA="+t.TempDir())
		out, err := command.CombinedOutput()
		cancel()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != exitUsage || !strings.Contains(string(out), want) {
			t.Errorf("%q: %v, want %q in\n%s", args, err, want, out)
		}
	}
}
