package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"golang.org/x/crypto/acme/autocert"
	"golang.org/x/net/idna"

	"github.com/rcpt/rcpt/internal/service/certificate"
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

// certificates returns what gets the certificates, or nil without a domain. It
// keeps them in the data folder.
func (f acmeFlags) certificates(data string, logger *slog.Logger) (*certificate.Manager, error) {
	if len(f.ACMEDomain) == 0 {
		if f.ACMEEmail != "" || f.ACMEDirectory != "" || f.ACMECA != "" || f.ACMEHTTP != "" {
			return nil, usage(errors.New("--acme-email, -directory, -ca and -http need --acme-domain"))
		}
		return nil, nil
	}
	if data == "" {
		return nil, usage(errors.New("there is no data folder for the certificates: name one with --data DIR"))
	}
	var domains []string
	for _, name := range f.ACMEDomain {
		domains = append(domains, string(name))
	}
	manager, err := certificate.New(certificate.Config{
		Domains: domains, Folder: data, Email: f.ACMEEmail, Directory: string(f.ACMEDirectory), Roots: f.ACMECA,
		Plain: string(f.ACMEHTTP), Log: logger,
	})
	if err != nil {
		return nil, usage(fmt.Errorf("--acme-ca %s: %w", f.ACMECA, err))
	}
	return manager, nil
}
