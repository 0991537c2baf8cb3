package smtpprobe

import "time"

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

// hostLimits are the limits of a session with one mail host, and which of its
// refusals are known to be about a mailbox. They are forgotten an hour after
// the first trouble. The methods do nothing but arithmetic.
type hostLimits struct {
	recipients   limit // of one transaction
	transactions limit // of one session
	refused      limit // recipients refused in one session
	trusted      map[string]bool
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
}

// succeeded notes a transaction that was believed.
func (l *hostLimits) succeeded(u use) {
	if !l.recipients.troubled {
		u.recipients = l.recipients.now
	}
	l.recipients.grow(u.recipients)
}

// ended notes a session that ended without trouble. Its last refusal is left
// over for a control (see capacity): a session that has one less has used them
// up.
func (l *hostLimits) ended(u use) {
	l.refused.grow(u.refused + 1)
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

// slowedDown notes that the host delays its refusals.
func (l *hostLimits) slowedDown(u use, now time.Time) {
	l.touch(now)
	l.refused.now, l.refused.troubled = min(l.refused.now, defaultRefused), true
}

// turned notes that the host refused a mailbox that it had accepted before.
func (l *hostLimits) turned(u use, now time.Time) {
	l.touch(now)
	l.refused.halve(u.refused)
	if u.transactions > 1 {
		l.transactions.halve(u.transactions)
	}
	l.recipients.halve(max(2, u.recipients))
}

// trust notes that the host gives a refusal of this sort to a recipient that
// is alone in its session: it is not about the length of a session.
func (l *hostLimits) trust(sort string, now time.Time) {
	l.touch(now)
	if l.trusted == nil || len(l.trusted) == maxTrusted {
		l.trusted = make(map[string]bool)
	}
	l.trusted[sort] = true
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
