package smtptest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"strings"
	"time"
)

// TLSMode says whether a host offers STARTTLS, and what then goes wrong: it is
// what the host says to STARTTLS, a text as [Host] has them.
type TLSMode string

// The modes. All but TLSNone offer STARTTLS.
const (
	TLSNone    TLSMode = ""
	TLSWorks   TLSMode = tlsReady + "\nstarttls" // with a certificate that the host made itself
	TLSRefused TLSMode = "454 4.7.0 TLS not available due to a local problem"
	TLSCloses  TLSMode = tlsReady + "\nclose" // agrees and hangs up
	TLSStalls  TLSMode = tlsReady + "\nhang"  // agrees and says nothing more
	// agrees and answers the handshake with text
	TLSGarbage TLSMode = tlsReady + "\nbyte\nS: this is not TLS, whatever the reply to STARTTLS said\nclose"
	// agrees, with a reply in clear behind it, as an attacker in between would
	// insert it
	TLSInjects TLSMode = tlsReady + "\n250 2.0.0 this line was not sent by the host\nstarttls"
)

const tlsReady = "220 2.0.0 Ready to start TLS"

// startTLS makes a handshake as a host with such a certificate, and forgets all
// that was said before (RFC 3207 §4.2).
func (t *talk) startTLS(kind string) bool {
	if !t.flush() || t.wire.startTLS(t.host.tls(kind).config) != nil {
		return false
	}
	t.in.Reset(t.wire)
	t.greeted, t.offered, t.mailing = false, false, false
	if t.visit != nil {
		t.visit.TLS = true
	}
	return true
}

// Certificate is what the host shows after STARTTLS, to clients that verify it.
func (h *Host) Certificate() *x509.Certificate {
	_, kind, _ := strings.Cut(string(h.STARTTLS), "\nstarttls ")
	return h.tls(kind).leaf
}

// hostTLS is a host's certificate, and what else it has for TLS.
type hostTLS struct {
	config *tls.Config
	leaf   *x509.Certificate
}

// tls returns what the host has for a kind of the step starttls.
func (h *Host) tls(kind string) hostTLS {
	h.mu.Lock()
	defer h.mu.Unlock()
	made, ok := h.certificates[kind]
	if !ok {
		made = newTLS(h.name(), kind)
		if h.certificates == nil {
			h.certificates = make(map[string]hostTLS)
		}
		h.certificates[kind] = made
	}
	return made
}

// Certificates are valid now and in the year 2000, where the clock of a
// testing/synctest bubble begins, or in neither.
var (
	notBefore = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	notAfter  = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	expired   = time.Date(1999, 2, 1, 0, 0, 0, 0, time.UTC)
)

// newTLS makes a self-signed certificate for name, or as the kind says.
func newTLS(name, kind string) hostTLS {
	until := notAfter
	switch kind {
	case "expired":
		until = expired
	case "other-name":
		name = "other." + name
	}
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
	config := &tls.Config{Certificates: []tls.Certificate{pair}}
	switch kind {
	case "wants-certificate":
		config.ClientAuth = tls.RequireAnyClientCert
	case "old":
		config.MinVersion, config.MaxVersion = tls.VersionTLS10, tls.VersionTLS10
	}
	return hostTLS{leaf: leaf, config: config}
}
