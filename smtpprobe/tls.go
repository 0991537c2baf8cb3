package smtpprobe

import "crypto/tls"

// startTLS does the handshake and continues over TLS; it returns the protocol
// version. The caller has made sure that nothing is buffered. The host is told
// which host it is taken for only where that can be a host's name: many end the
// handshake over an odd one.
func (c *conn) startTLS(host string) (version string, err error) {
	config := tlsConfig()
	if isHostName(host) {
		config.ServerName = host
	}
	over := tls.Client(c.tcp, config)
	if err := over.Handshake(); err != nil {
		return "", err
	}
	c.Conn = over
	c.in.Reset(over)
	c.usable = true
	version = tls.VersionName(over.ConnectionState().Version)
	c.log.add(fromProber, version+" established")
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
