package wire

import (
	"crypto/tls"
	"strings"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// startTLS does the handshake and continues over TLS; it returns the protocol
// version. The caller has made sure that nothing is buffered. The host is told
// which host it is taken for only where that can be a host's name: many end the
// handshake over an odd one.
func (s *stream) startTLS(host string) (version string, err error) {
	config := tlsConfig()
	if isHostName(host) {
		config.ServerName = host
	}
	over := tls.Client(s.tcp, config)
	if err := over.Handshake(); err != nil {
		return "", err
	}
	s.Conn = over
	s.in.Reset(over)
	s.usable = true
	version = tls.VersionName(over.ConnectionState().Version)
	s.log.add(smtp.FromProber, version+" established")
	return version, nil
}

// tlsConfig is for opportunistic TLS (RFC 7435): whatever encrypts is better
// than the plain text that would be spoken otherwise.
func tlsConfig() *tls.Config {
	return &tls.Config{
		// Certificates of mail exchangers are mostly self-signed or for another
		// name, and the name itself came from unsigned DNS (RFC 7672 §1.3): to
		// verify would only mean to speak in plain text instead. No secret is
		// sent.
		InsecureSkipVerify: true,
		// Old hosts are still on TLS 1.0; crypto/tls has nothing older.
		MinVersion: tls.VersionTLS10,
	}
}

// isHostName reports whether s has only the bytes of mail hosts' names: the
// RFC's (RFC 5321 §2.3.5) and the underscore of some.
func isHostName(s string) bool {
	const bytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_"
	return s != "" && len(s) <= maxDomain && strings.Trim(s, bytes) == ""
}
