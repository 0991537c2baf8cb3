package schedule

import "time"

// limit is how much of something a mail host is given. It grows with success
// that used it up, until the first trouble halves it. From then on it takes
// several successes to grow by one.
type limit struct {
	first, top int // at first, and at most
	most       int // as far as is known
	now        int
	grows      func(now int) int // before the first trouble
	patience   func(now int) int // successes to grow by one, after that
	rests      time.Duration     // how long it does not grow then
	successes  int               // since the last change, once it was halved
	halved     time.Time         // zero: it never was
	changed    time.Time
}

// How limits grow.
func doubled(n int) int { return 2 * n }
func oneMore(n int) int { return n + 1 }
func eight(int) int     { return 8 }
func asMany(n int) int  { return n }

// size is how much it is now. After an hour trouble is forgotten, and after one
// without a change all. (Rule 9.5)
func (l *limit) size(now time.Time) int {
	if l.troubled() && now.Sub(l.halved) > limitsLast {
		l.now, l.most, l.successes, l.halved = max(l.now, l.first), l.top, 0, time.Time{}
	}
	if !l.changed.IsZero() && now.Sub(l.changed) > limitsLast {
		l.now, l.changed = l.first, time.Time{}
	}
	return l.now
}

// succeeded notes that it was used up, and all went well.
func (l *limit) succeeded(now time.Time) {
	size := l.size(now)
	switch {
	case size >= l.most:
		l.changed = now
		return
	case l.halved.IsZero():
		l.set(min(l.grows(size), l.most), now)
		return
	case now.Sub(l.halved) < l.rests:
		return
	}
	if l.successes++; l.successes >= l.patience(size) {
		l.set(size+1, now)
	}
}

// halve notes that so much was too much.
func (l *limit) halve(used int, now time.Time) {
	l.set(max(1, min(l.size(now), used/2)), now)
	l.halved = now
}

func (l *limit) set(size int, now time.Time) {
	l.now, l.successes, l.changed = size, 0, now
}

// troubled reports whether it was halved.
func (l *limit) troubled() bool { return !l.halved.IsZero() }

// limits are those of one mail host.
type limits struct {
	sessions     limit // at a time
	recipients   limit // of one transaction
	transactions limit // of one session
	refused      limit // recipients refused in one session
}

// newLimits returns the limits of a host about which nothing is known. (Rule
// 9.1)
func newLimits(c *Config, sessions int) limits {
	most := max(1, c.MaxSessionsPerHost)
	first := max(1, min(sessions, most))
	learnt := func(first, most int) limit {
		return limit{first: first, now: first, top: most, most: most, grows: doubled, patience: eight}
	}
	l := limits{
		sessions: limit{
			first: first, now: first, top: most, most: most, grows: oneMore, patience: asMany, rests: time.Minute,
		},
		recipients:   learnt(firstRecipients, mostRecipients),
		transactions: learnt(mostTransactions, mostTransactions),
		refused:      learnt(ManyRefused, mostRefused),
	}
	if c.Refused > 0 {
		l.refused = learnt(c.Refused, c.Refused)
	}
	return l
}

// use is what a session was used for until now.
type use struct {
	recipients   int // of the last transaction
	transactions int
	refused      int
	usedUp       bool // it might have no more refusals
}

// succeeded notes a transaction that was believed.
func (l *limits) succeeded(u use, now time.Time) {
	if size := l.recipients.size(now); u.recipients >= size || !l.recipients.troubled() {
		l.recipients.succeeded(now)
	}
	if l.trial(now) && u.refused > l.refused.now {
		l.refused.succeeded(now)
	}
}

// trial reports whether a session that has used its refusals up is to show
// whether the host takes more. (Rule 9.3)
func (l *limits) trial(now time.Time) bool {
	return l.refused.size(now) < l.refused.most && !l.refused.troubled()
}

// ended notes a session that ended without trouble.
func (l *limits) ended(u use, now time.Time) {
	if u.usedUp {
		l.refused.succeeded(now)
	}
	if u.transactions >= l.transactions.size(now) {
		l.transactions.succeeded(now)
	}
}

// failed notes a transaction that was not believed, and halves the limit that
// it most likely ran into: hosts count refusals over the whole session, and so
// do hosts that take few transactions. (Rule 9.4)
func (l *limits) failed(u use, now time.Time) {
	switch {
	case u.refused > ManyRefused:
		l.refused.halve(u.refused, now)
	case u.transactions > 1:
		l.transactions.halve(u.transactions, now)
	default:
		l.recipients.halve(u.recipients, now)
	}
}

// slowedDown notes that the host delays its replies behind more refusals of a
// session than any host takes.
func (l *limits) slowedDown(now time.Time) {
	size := l.refused.size(now)
	l.refused.most = min(l.refused.most, ManyRefused)
	l.refused.set(min(size, l.refused.most), now)
	l.refused.halved = now
}

// hostile notes that the host refused a mailbox that it had accepted before.
func (l *limits) hostile(u use, now time.Time) {
	l.refused.halve(u.refused, now)
	if u.transactions > 1 {
		l.transactions.halve(u.transactions, now)
	}
	l.recipients.halve(max(2, u.recipients), now)
}

// full notes that the host refused, or put off, a session while so many were
// open, itself included. One that began before the limit was last halved says
// nothing new: sessions that are refused at the same time halve it once. A
// session without others was not refused because of their number. (Rule 9.2)
func (l *limits) full(open int, began, now time.Time) {
	if size := l.sessions.size(now); open > 1 && !began.Before(l.sessions.halved) {
		l.sessions.halve(min(size, open), now)
	}
}

// shut leaves the host one session: it refuses everybody. (Rule 4.5)
func (l *limits) shut(now time.Time) {
	l.sessions.set(1, now)
	l.sessions.halved = now
}
