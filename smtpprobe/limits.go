//go:build !plan

package smtpprobe

import (
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
)

// limit is one number: how much of something a session with a mail host is
// given. It doubles with each success that used it up, until the first trouble
// halves it; from then on it takes some successes to grow by one.
type limit struct {
	now       int
	most      int
	troubled  bool
	successes int // since the trouble, or since it last grew
}

func (l *limit) grow(used int) {
	if used < l.now {
		return
	}
	if !l.troubled {
		l.now = min(2*l.now, l.most)
		return
	}
	if l.successes++; l.successes == successesToGrow {
		l.now, l.successes = min(l.now+1, l.most), 0
	}
}

// halve notes that so much was too much. Sessions that met with trouble at the
// same time halve it once.
func (l *limit) halve(used int) {
	l.now = max(1, min(l.now, used/2))
	l.troubled, l.successes = true, 0
}

// hostLimits are the limits of a session with one mail host, and what it has
// shown about what its replies mean. They are forgotten an hour after
// the first trouble. The methods do nothing but arithmetic.
type hostLimits struct {
	recipients   limit // of one transaction
	transactions limit // of one session
	refused      limit // recipients refused in one session
	shown        belief.Shown
	since        time.Time // of the first thing noted
}

// newLimits returns the limits of a host about which nothing is known.
func newLimits(c Config) hostLimits {
	refused := limit{now: defaultRefused, most: mostRefused}
	if c.Session.Refused > 0 {
		refused.now, refused.most = c.Session.Refused, c.Session.Refused
	}
	fixed := func(n int) limit { return limit{now: n, most: n} }
	return hostLimits{
		recipients:   limit{now: firstRecipients, most: mostRecipients},
		transactions: fixed(mostTransactions),
		refused:      refused,
	}
}

// use is what a session was used for until now.
type use struct {
	recipients   int // of the last transaction
	transactions int
	refused      int
	usedUp       bool // it might have no more refusals
}

// succeeded notes a transaction that was believed.
func (l *hostLimits) succeeded(u use) {
	if !l.recipients.troubled {
		u.recipients = l.recipients.now
	}
	l.recipients.grow(u.recipients)
	if l.trial() && u.refused > l.refused.now {
		l.refused.grow(l.refused.now)
	}
}

// trial reports whether a session that has used its refusals up is to show
// whether the host takes more.
func (l *hostLimits) trial() bool { return !l.refused.troubled && l.refused.now < l.refused.most }

// ended notes a session that ended without trouble.
func (l *hostLimits) ended(u use) {
	if u.usedUp {
		l.refused.grow(l.refused.now)
	}
	l.transactions.grow(u.transactions)
}

// failed notes a transaction that was not believed, and halves the limit that
// it most likely ran into: hosts count refusals over the whole session, and so
// do hosts that take few transactions.
func (l *hostLimits) failed(u use, now time.Time) {
	l.touch(now)
	switch {
	case u.refused > defaultRefused:
		l.refused.halve(u.refused)
	case u.transactions > 1:
		l.transactions.halve(u.transactions)
	default:
		l.recipients.halve(u.recipients)
	}
}

// slowedDown notes that the host delays its replies behind more refusals of a
// session than any host takes.
func (l *hostLimits) slowedDown(now time.Time) {
	l.touch(now)
	l.refused.most = min(l.refused.most, defaultRefused)
	l.refused.now = min(l.refused.now, l.refused.most)
}

// hostile notes that the host refused a mailbox that it had accepted before.
func (l *hostLimits) hostile(u use, now time.Time) {
	l.touch(now)
	l.refused.halve(u.refused)
	if u.transactions > 1 {
		l.transactions.halve(u.transactions)
	}
	l.recipients.halve(max(2, u.recipients))
}

// trust notes what the host has shown.
func (l *hostLimits) trust(what string, now time.Time) {
	l.touch(now)
	l.shown = l.shown.With(what)
}

func (l *hostLimits) touch(now time.Time) {
	if l.since.IsZero() {
		l.since = now
	}
}

// over reports whether what was noted is too old to be believed.
func (l *hostLimits) over(now time.Time) bool {
	return !l.since.IsZero() && now.Sub(l.since) > limitsLast
}
