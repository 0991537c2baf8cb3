//go:build e2e && linux

package e2e

// startDNS brings the loopback device up and starts NSD with the world's zones
// and, in front of it, Unbound.
func (w *world) startDNS() error {
	r, err := newRoot(w, "dns", "base")
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"link", "set", "lo", "up"},
		{"address", "add", "fd00:25::11/128", "dev", "lo"},
	} {
		if err := r.run("/sbin/ip", args...); err != nil {
			return err
		}
	}
	if err := w.startTraps(r); err != nil {
		return err
	}
	if err := r.appendTo("etc/nsd/example.zone", w.situations.zone()+poolHosts.zone()+greyHosts.zone()); err != nil {
		return err
	}
	if err := r.appendTo("etc/unbound/situations.conf", w.situations.localData()); err != nil {
		return err
	}
	if err := r.start("nsd", "/usr/sbin/nsd", "-d", "-c", "/etc/nsd/nsd.conf"); err != nil {
		return err
	}
	if err := r.start("unbound", "/usr/sbin/unbound", "-d", "-p", "-c", "/etc/unbound/unbound.conf"); err != nil {
		return err
	}
	return w.awaitListening("127.0.0.54:53", "127.0.0.53:53")
}
