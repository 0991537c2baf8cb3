package egresses

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

// Egress is an egress with what is known of it.
type Egress struct {
	egress.Egress
	Limit     *pace.Egress // of its sessions
	Leaving   bool         // it was removed: it is not chosen, and opens no session
	LastReply time.Time    // when a mail host last greeted us by it; zero: none did

	failures int    // of its own, in a row
	fault    string // the last of them
	silent   map[netip.AddrPort]struct{}
	nextTry  time.Time // of an egress that is down
}

func newEgress(as egress.Egress, s pace.Settings) *Egress {
	return &Egress{Egress: as, Limit: pace.NewEgress(s), silent: make(map[netip.AddrPort]struct{})}
}

// Down reports whether the egress is taken to work no longer.
func (e *Egress) Down() bool { return e.failures >= downAfter || len(e.silent) >= silentHosts }

// works reports whether the egress may be chosen: one that is down is tried
// now and then.
func (e *Egress) works(now time.Time) bool { return !e.Down() || !now.Before(e.nextTry) }

// tried notes that the egress was chosen.
func (e *Egress) tried(now time.Time) {
	if e.Down() {
		e.nextTry = now.Add(downLasts)
	}
}

// Opened notes what the opening of a session with a mail host shows of the
// egress: that the host greeted us, or why it did not. It reports whether the
// egress is down, or works, since then.
func (e *Egress) Opened(addr netip.AddrPort, greeted bool, failure *smtp.Failure, now time.Time) (changed bool) {
	before := e.Down()
	switch {
	case greeted:
		e.LastReply, e.failures, e.fault = now, 0, ""
		clear(e.silent)
	case failure == nil || failure.Phase != smtp.PhaseConnect:
	case failure.Kind == smtp.KindEgress:
		e.failures, e.fault = e.failures+1, failure.Text
	case failure.Kind == smtp.KindTimeout, failure.Kind == smtp.KindUnreachable, failure.Kind == smtp.KindRefused:
		if len(e.silent) < silentHosts {
			e.silent[addr] = struct{}{}
		}
	}
	if e.Down() && !before {
		e.tried(now)
	}
	return e.Down() != before
}

// Fault says what is wrong with the egress; empty: nothing is known.
func (e *Egress) Fault() string {
	switch {
	case e.fault != "":
		return e.fault
	case len(e.silent) == silentHosts:
		const format = "the last %d mail hosts could not be reached: check that outgoing port 25 is open"
		return fmt.Sprintf(format, silentHosts)
	}
	return ""
}
