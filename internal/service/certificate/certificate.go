// Package certificate gets the certificates of a server that speaks TLS itself,
// by ACME (RFC 8555), renews them, and answers requests that come without TLS.
// It knows nothing of what the server serves.
package certificate

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"github.com/rcpt/rcpt/internal/sys/listen"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
)

// folder is the folder of the account's key and the certificates, in the
// data folder. Only its owner can read them.
const folder = "acme"

// certificateTimeout bounds a request to the certificate authority.
const certificateTimeout = time.Minute

// Config configures a [Manager].
type Config struct {
	// Domains are the names of the server, as A-labels; one is needed.
	Domains []string
	// Folder has the account's key and the certificates, in a folder of its own
	// that only its owner can read.
	Folder string
	// Email is an address at which the authority can reach the operator.
	// Default: none.
	Email string
	// Directory is the URL of the directory of the authority. Default: that of
	// Let's Encrypt.
	Directory string
	// Roots is a file with root certificates, in PEM, for the server of the
	// authority. Default: those of the system.
	Roots string
	// Plain is the address at which HTTP challenges are answered. Default: none
	// are.
	Plain string
	// Log says what became of the certificates.
	Log *slog.Logger
}

// Manager gets and renews the certificates of a server.
type Manager struct {
	manager *autocert.Manager
	names   []string
	plain   string
	logger  *slog.Logger
}

// New returns a Manager. The error is one of reading Roots.
func New(c Config) (*Manager, error) {
	m := &Manager{names: c.Domains, plain: c.Plain, logger: c.Log}
	client := &http.Client{Timeout: certificateTimeout}
	if c.Roots != "" {
		roots, err := rootsIn(c.Roots)
		if err != nil {
			return nil, err
		}
		client.Transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: roots},
		}
	}
	m.manager = &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		Cache:      autocert.DirCache(filepath.Join(c.Folder, folder)),
		HostPolicy: m.isOurs,
		Email:      c.Email,
		Client: &acme.Client{
			DirectoryURL: cmp.Or(c.Directory, autocert.DefaultACMEDirectory),
			HTTPClient:   client, UserAgent: "rcpt",
		},
	}
	return m, nil
}

// rootsIn reads certificates in PEM.
func rootsIn(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, wholefile.WithoutPath(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, errors.New("it has no certificates in PEM")
	}
	return roots, nil
}

// isOurs allows certificates and challenges for our names, with a port or not.
func (m *Manager) isOurs(_ context.Context, host string) error {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if !slices.Contains(m.names, strings.ToLower(host)) {
		return fmt.Errorf("%q is not in --acme-domain", host)
	}
	return nil
}

// TLS is for a server that speaks HTTP/2 and HTTP/1.1, and answers the TLS
// challenges of the certificate authority (RFC 8737). A nil Manager has none.
func (m *Manager) TLS() *tls.Config {
	if m == nil {
		return nil
	}
	config := m.manager.TLSConfig()
	config.MinVersion = tls.VersionTLS12
	return config
}

// URL is where clients reach a server that listens at an address.
func (m *Manager) URL(listening net.Addr) string {
	_, port, err := net.SplitHostPort(listening.String())
	if err != nil || port == "443" {
		return "https://" + m.names[0]
	}
	return "https://" + net.JoinHostPort(m.names[0], port)
}

// Fetch gets the certificates before the first client asks for them. The log
// says what is wrong.
func (m *Manager) Fetch(ctx context.Context) {
	for _, name := range m.names {
		certificate, err := m.manager.GetCertificate(&tls.ClientHelloInfo{
			ServerName: name, SupportedVersions: []uint16{tls.VersionTLS13},
			CipherSuites: []uint16{tls.TLS_AES_128_GCM_SHA256}, SupportedCurves: []tls.CurveID{tls.CurveP256},
			SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
		})
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			const text = "no certificate: can the authority reach port 443, or, with --acme-http, port 80?"
			m.logger.Error(text,
				slog.String("domain", name), slog.String("error", err.Error()))
		default:
			expires := slog.Time("expires", certificate.Leaf.NotAfter)
			m.logger.Info("certificate", slog.String("domain", name), expires)
		}
	}
}

// challengeTimeout is the time limit for a request with a challenge.
const challengeTimeout = 5 * time.Second

// Answer serves the HTTP challenges (RFC 8555, section 8.3), and redirects
// pages to HTTPS, until stop is called.
func (m *Manager) Answer() (stop func(), err error) {
	if m.plain == "" {
		return func() {}, nil
	}
	handler := m.manager.HTTPHandler(m.plainHandler()) // from now on there are HTTP challenges
	listener, err := listen.On("--acme-http", m.plain)
	if err != nil {
		return nil, err
	}
	plain := &http.Server{
		Handler: handler, ReadHeaderTimeout: challengeTimeout, ReadTimeout: challengeTimeout,
		DisableGeneralOptionsHandler: true,
	}
	go func() { _ = plain.Serve(listener) }() // stop ends it
	return func() { _ = plain.Close() }, nil
}
