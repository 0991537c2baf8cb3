//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
)

// startPostfix starts Postfix, with one smtpd or postscreen for each address in
// master.cf, and postgrey, its greylisting policy service.
func (w *world) startPostfix() error {
	r, err := newRoot(w, "postfix", "postfix", "base")
	if err != nil {
		return err
	}
	w.postfix = r
	if err := r.makeCertificate(); err != nil {
		return err
	}
	if err := w.startPostgrey(r); err != nil {
		return err
	}
	hosts := w.situations.master() + poolHosts.master() + greyHosts.master()
	if err := r.appendTo("etc/postfix/master.cf", hosts); err != nil {
		return err
	}
	// What the package's installation scripts do.
	if err := os.Chown(r.path("var/lib/postfix"), uidPostfix, uidPostfix); err != nil {
		return err
	}
	if err := r.start("postfix", "/usr/sbin/postfix", "start-fg"); err != nil {
		return err
	}
	return w.awaitListening("127.0.0.11:25")
}

func (w *world) startPostgrey(r *root) error {
	if err := os.Chown(r.path("var/lib/postgrey"), uidPostgrey, uidPostgrey); err != nil {
		return err
	}
	if err := r.start("postgrey", "/usr/sbin/postgrey", "--inet=127.0.0.1:10023",
		fmt.Sprintf("--delay=%d", int(postgreyDelay.Seconds())), "--user=postgrey", "--group=postgrey"); err != nil {
		return err
	}
	return w.awaitListening("127.0.0.1:10023")
}
