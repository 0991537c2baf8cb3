package ways

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// When an egress counts as down.
const (
	// downAfter is how many sessions in a row must fail for the egress's own
	// fault, and silentHosts how many mail hosts in a row must be out of reach
	// by it: some are always down. One that is down is tried again every
	// downLasts.
	downAfter   = 3
	silentHosts = 10
	downLasts   = 30 * time.Second
)

// Way is an egress with what is known of it.
type Way struct {
	egress.Egress
	Limit     *pace.Egress // of its sessions
	Leaving   bool         // it was removed: it is not chosen, and opens no session
	LastReply time.Time    // when a mail host last greeted us by it; zero: none did

	failures int    // of its own, in a row
	fault    string // the last of them
	silent   map[netip.AddrPort]struct{}
	nextTry  time.Time // of an egress that is down
}

func newWay(e egress.Egress, s pace.Settings) *Way {
	return &Way{Egress: e, Limit: pace.NewEgress(s), silent: make(map[netip.AddrPort]struct{})}
}

// Down reports whether the egress is taken to work no longer.
func (w *Way) Down() bool { return w.failures >= downAfter || len(w.silent) >= silentHosts }

// works reports whether the egress may be chosen: one that is down is tried
// now and then.
func (w *Way) works(now time.Time) bool { return !w.Down() || !now.Before(w.nextTry) }

// tried notes that the egress was chosen.
func (w *Way) tried(now time.Time) {
	if w.Down() {
		w.nextTry = now.Add(downLasts)
	}
}

// Opened notes what the opening of a session with a mail host shows of the
// egress: that the host greeted us, or why it did not. It reports whether the
// egress is down, or works, since then.
func (w *Way) Opened(addr netip.AddrPort, greeted bool, failure *smtp.Failure, now time.Time) (changed bool) {
	before := w.Down()
	switch {
	case greeted:
		w.LastReply, w.failures, w.fault = now, 0, ""
		clear(w.silent)
	case failure == nil || failure.Phase != smtp.PhaseConnect:
	case failure.Kind == smtp.KindEgress:
		w.failures, w.fault = w.failures+1, failure.Text
	case failure.Kind == smtp.KindTimeout, failure.Kind == smtp.KindUnreachable, failure.Kind == smtp.KindRefused:
		if len(w.silent) < silentHosts {
			w.silent[addr] = struct{}{}
		}
	}
	if w.Down() && !before {
		w.tried(now)
	}
	return w.Down() != before
}

// Fault says what is wrong with the egress; empty: nothing is known.
func (w *Way) Fault() string {
	switch {
	case w.fault != "":
		return w.fault
	case len(w.silent) == silentHosts:
		const format = "the last %d mail hosts could not be reached: check that outgoing port 25 is open"
		return fmt.Sprintf(format, silentHosts)
	}
	return ""
}
