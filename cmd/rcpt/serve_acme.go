package main

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
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
	"golang.org/x/net/idna"

	"github.com/rcpt/rcpt/internal/sys/wholefile"
)

// acmeFlags make the server get its certificates itself, by ACME (RFC 8555).
type acmeFlags struct {
	ACMEDomain    []acmeDomain  `name:"acme-domain" placeholder:"NAME" help:"Speak TLS, with a certificate for this name from Let's Encrypt; repeatable. The certificate authority must reach --listen at port 443 of the name, or --acme-http at port 80. Its terms of service are accepted."`
	ACMEEmail     string        `name:"acme-email" placeholder:"ADDR" help:"Address at which the certificate authority can reach the operator."`
	ACMEDirectory acmeDirectory `name:"acme-directory" placeholder:"URL" help:"Directory of another certificate authority."`
	ACMECA        string        `name:"acme-ca" type:"existingfile" placeholder:"FILE" help:"Root certificates, in PEM, of the certificate authority's HTTPS server, if the system does not know them."`
	ACMEHTTP      listenAddress `name:"acme-http" placeholder:"ADDR" help:"Also listen there for the HTTP challenges of the certificate authority, such as :80. Pages are redirected to HTTPS, and requests to the API refused."`
}

// acmeDomain is the name of a server, as A-labels.
type acmeDomain string

func (d *acmeDomain) UnmarshalText(text []byte) error {
	ascii, err := idna.Lookup.ToASCII(string(text))
	if err != nil || !strings.Contains(ascii, ".") || strings.ContainsAny(ascii, "*:/") {
		return fmt.Errorf("%q is not a domain name, such as verify.example.com", text)
	}
	*d = acmeDomain(ascii)
	return nil
}

// acmeDirectory is the URL of the directory of a certificate authority.
type acmeDirectory string

func (d *acmeDirectory) UnmarshalText(text []byte) error {
	parsed, err := url.Parse(string(text))
	if err != nil || parsed.Scheme != "https" || parsed.Host == "" {
		return fmt.Errorf("%q: use an HTTPS URL, such as %s", text, autocert.DefaultACMEDirectory)
	}
	*d = acmeDirectory(text)
	return nil
}

// acmeFolder is the folder of the account's key and the certificates, in the
// data folder. Only its owner can read them.
const acmeFolder = "acme"

// certificateTimeout bounds a request to the certificate authority.
const certificateTimeout = time.Minute

// certifier gets and renews the certificates of a server.
type certifier struct {
	manager *autocert.Manager
	names   []string // of the server, as A-labels
	plain   listenAddress
	logger  *slog.Logger
}

// certifier returns what gets the certificates, or nil without a domain. It
// keeps them in the data folder.
func (f acmeFlags) certifier(data string, logger *slog.Logger) (*certifier, error) {
	if len(f.ACMEDomain) == 0 {
		if f.ACMEEmail != "" || f.ACMEDirectory != "" || f.ACMECA != "" || f.ACMEHTTP != "" {
			return nil, usage(errors.New("--acme-email, -directory, -ca and -http need --acme-domain"))
		}
		return nil, nil
	}
	if data == "" {
		return nil, usage(errors.New("there is no data folder for the certificates: name one with --data DIR"))
	}
	c := &certifier{plain: f.ACMEHTTP, logger: logger}
	for _, name := range f.ACMEDomain {
		c.names = append(c.names, string(name))
	}
	client := &http.Client{Timeout: certificateTimeout}
	if f.ACMECA != "" {
		roots, err := rootsIn(f.ACMECA)
		if err != nil {
			return nil, usage(fmt.Errorf("--acme-ca %s: %w", f.ACMECA, err))
		}
		client.Transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: roots},
		}
	}
	c.manager = &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		Cache:      autocert.DirCache(filepath.Join(data, acmeFolder)),
		HostPolicy: c.isOurs,
		Email:      f.ACMEEmail,
		Client: &acme.Client{
			DirectoryURL: cmp.Or(string(f.ACMEDirectory), autocert.DefaultACMEDirectory),
			HTTPClient:   client, UserAgent: "rcpt",
		},
	}
	return c, nil
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
func (c *certifier) isOurs(_ context.Context, host string) error {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if !slices.Contains(c.names, strings.ToLower(host)) {
		return fmt.Errorf("%q is not in --acme-domain", host)
	}
	return nil
}

// listener returns a listener that speaks TLS, and answers the TLS challenges
// of the certificate authority (RFC 8737).
func (c *certifier) listener(plain net.Listener) net.Listener {
	config := c.manager.TLSConfig()
	config.NextProtos = []string{"http/1.1", acme.ALPNProto}
	config.MinVersion = tls.VersionTLS12
	return tls.NewListener(plain, config)
}

// url is where clients reach a server that listens at an address.
func (c *certifier) url(listening net.Addr) siteURL {
	_, port, err := net.SplitHostPort(listening.String())
	if err != nil || port == "443" {
		return siteURL("https://" + c.names[0])
	}
	return siteURL("https://" + net.JoinHostPort(c.names[0], port))
}

// fetch gets the certificates before the first client asks for them. The log
// says what is wrong.
func (c *certifier) fetch(ctx context.Context) {
	for _, name := range c.names {
		certificate, err := c.manager.GetCertificate(&tls.ClientHelloInfo{
			ServerName: name, SupportedVersions: []uint16{tls.VersionTLS13},
			CipherSuites: []uint16{tls.TLS_AES_128_GCM_SHA256}, SupportedCurves: []tls.CurveID{tls.CurveP256},
			SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
		})
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			const text = "no certificate: can the authority reach port 443, or, with --acme-http, port 80?"
			c.logger.Error(text,
				slog.String("domain", name), slog.String("error", err.Error()))
		default:
			expires := slog.Time("expires", certificate.Leaf.NotAfter)
			c.logger.Info("certificate", slog.String("domain", name), expires)
		}
	}
}

// challengeTimeout is the time limit for a request with a challenge.
const challengeTimeout = 5 * time.Second

// answer serves the HTTP challenges (RFC 8555, section 8.3), and redirects
// pages to HTTPS, until stop is called.
func (c *certifier) answer() (stop func(), err error) {
	if c.plain == "" {
		return func() {}, nil
	}
	handler := c.manager.HTTPHandler(c.plainHandler()) // from now on there are HTTP challenges
	listener, err := listenOn("--acme-http", string(c.plain))
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
