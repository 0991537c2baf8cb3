//go:build e2e && linux

package e2e

import "os"

// startExim starts Exim, which is all the hosts of exim4.conf, and a second one
// that has no room for anybody.
func (w *world) startExim() error {
	r, err := newRoot(w, "exim", "exim", "base")
	if err != nil {
		return err
	}
	w.exim = r
	if err := r.makeCertificate(); err != nil {
		return err
	}
	// What the package's installation scripts do.
	for _, dir := range []string{
		"var/spool/exim4", "var/log/exim4", "var/spool/exim4-full", "var/log/exim4-full", "var/log/exim4-situations",
	} {
		if err := os.MkdirAll(r.path(dir), 0o750); err != nil {
			return err
		}
		if err := os.Chown(r.path(dir), uidExim, uidExim); err != nil {
			return err
		}
	}
	if err := os.Chown(r.path("var/mail/full"), uidAlice, uidAlice); err != nil {
		return err
	}
	if err := r.start("exim", "/usr/sbin/exim4", "-bdf"); err != nil {
		return err
	}
	if err := r.start("exim-full", "/usr/sbin/exim4", "-bdf", "-C", "/etc/exim4/full.conf"); err != nil {
		return err
	}
	if err := w.startEximSituations(r); err != nil {
		return err
	}
	return w.awaitListening("127.0.0.41:25", "127.0.0.49:25")
}
