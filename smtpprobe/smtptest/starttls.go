package smtptest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"time"
)

// TLSMode says whether a host offers STARTTLS, and what then goes wrong.
type TLSMode int

// The modes. All but TLSNone offer STARTTLS.
const (
	TLSNone    TLSMode = iota
	TLSWorks           // with a certificate that the host made itself
	TLSRefused         // answers 454
	TLSCloses          // agrees and hangs up
	TLSStalls          // agrees and says nothing more
	TLSGarbage         // agrees and answers the handshake with text
	TLSInjects         // agrees, with a reply in clear behind it, as an attacker in between would insert it

	// of hostile hosts
	tlsWantsCertificate // works for clients that show a certificate
	tlsExpired          // works, with a certificate that has expired
	tlsOtherName        // works, with a certificate for another name
	tlsOld              // works, in version 1.0 only
	tlsFallsSilent      // makes the handshake and says nothing more
	tlsBreaksOff        // makes the handshake, and closes TLS in the middle of its first reply
	tlsFloods           // makes the handshake, and never comes to the end of its first reply
)

// Replies to STARTTLS.
const (
	tlsReady    = "220 2.0.0 Ready to start TLS"
	tlsRefusal  = "454 4.7.0 TLS not available due to a local problem"
	tlsInjected = "250 2.0.0 this line was not sent by the host"
	tlsHalf     = "250-mx.smtptest.example\r\n250 PIP"
	tlsGarbage  = "this is not TLS, whatever the reply to STARTTLS said"
)

// hostTLS is a host's certificate.
type hostTLS struct {
	config *tls.Config
	leaf   *x509.Certificate
}

// certificate returns the certificate that h shows after STARTTLS, for clients
// that want to verify it.
func (h *Host) certificate() *x509.Certificate {
	h.tlsConfig()
	return h.tls.leaf
}

func (h *Host) tlsConfig() *tls.Config {
	h.tlsOnce.Do(func() { h.tls = h.newTLS() })
	return h.tls.config
}

// Certificates are valid now and in the year 2000, where the clock of a
// testing/synctest bubble begins, or in neither.
var (
	notBefore = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	notAfter  = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	expired   = time.Date(1999, 2, 1, 0, 0, 0, 0, time.UTC)
)

// newTLS makes what the host's mode asks for.
func (h *Host) newTLS() hostTLS {
	made := newTLS(h.name(), notAfter)
	switch h.STARTTLS {
	case tlsWantsCertificate:
		made.config.ClientAuth = tls.RequireAnyClientCert
	case tlsExpired:
		made = newTLS(h.name(), expired)
	case tlsOtherName:
		made = newTLS("other."+h.name(), notAfter)
	case tlsOld:
		made.config.MinVersion, made.config.MaxVersion = tls.VersionTLS10, tls.VersionTLS10
	}
	return made
}

// newTLS makes a self-signed certificate for name.
func newTLS(name string, until time.Time) hostTLS {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic("smtptest: " + err.Error())
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: name},
		DNSNames:              []string{name},
		NotBefore:             notBefore,
		NotAfter:              until,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic("smtptest: " + err.Error())
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		panic("smtptest: " + err.Error())
	}
	pair := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
	return hostTLS{leaf: leaf, config: &tls.Config{Certificates: []tls.Certificate{pair}}}
}
