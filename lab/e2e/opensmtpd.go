//go:build e2e && linux

package e2e

import "os"

// startOpenSMTPD starts OpenSMTPD with a trace of its SMTP sessions.
func (w *world) startOpenSMTPD() error {
	r, err := newRoot(w, "opensmtpd", "opensmtpd", "base")
	if err != nil {
		return err
	}
	w.smtpd = r
	if err := r.makeCertificate(); err != nil {
		return err
	}
	if err := os.Chmod(r.path("etc/ssl/mx.key"), 0o600); err != nil {
		return err
	}
	if err := r.appendTo("etc/smtpd.conf", w.situations.smtpd()); err != nil {
		return err
	}
	// What the package's installation scripts do.
	if err := os.MkdirAll(r.path("var/lib/opensmtpd/empty"), 0o755); err != nil {
		return err
	}
	if err := r.start("opensmtpd", "/usr/sbin/smtpd", "-d", "-T", "smtp", "-f", "/etc/smtpd.conf"); err != nil {
		return err
	}
	return w.awaitListening("127.0.0.71:25")
}
