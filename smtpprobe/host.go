//go:build !plan

package smtpprobe

import (
	"net/netip"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/egresses"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// hostKey tells sessions apart that cannot stand in for each other. Addresses
// count and not names, because the load is the machine's: thousands of domains
// have a mail exchanger name of their own for the same machine.
type hostKey struct {
	addr   netip.AddrPort
	egress *egresses.Egress // it takes each egress for a client of its own
}

// mailHost is what the pool has to do with one mail host, and what it has
// learned of it. The pool's lock guards it.
type mailHost struct {
	key   hostKey
	paced *paced // its provider
	*proofs

	// Jobs.
	waiting  []*job        // those that are asked again first, then by turn (fair.go)
	served   int           // how far the turns of lines have come, in jobs
	lined    map[line]int  // how far each line has come
	deferred []openRefusal // until it has accepted a mailbox
	underWay int           // those that a worker has, open refusals included

	// Sessions.
	sessions int // open, or about to be
	starting int // of sessions: new ones that have taken no job yet
	called   int // of sessions: idle ones that are about to take jobs
	listing  int // of sessions: those with jobs of a list
	alive    int // of sessions: open or being opened, and not about to end
	open     int // of alive: the host has let them in
	idle     []*worker
	window   *pace.Window
	inTurn   bool  // it is among those that wait for a session with the provider
	alarm    alarm // calls schedule

	// What a session may be used for.
	limits         hostLimits
	asked, refused int           // recipients named recently, and those of them refused
	perRecipient   time.Duration // that the last transaction took

	// Whether it can be asked.
	failed    *failedSession
	trials    trials
	wellAt    time.Time // a session was last open
	notBefore time.Time // the next may be opened
	answers   bool      // it has answered about a recipient
	limited   int       // sessions in a row that began with a limit of its own
	mute      int       // sessions with one target that ended without an answer, as long as it has not
}

func keyOf(r route) hostKey {
	return hostKey{addr: netip.AddrPortFrom(r.addr.Addr().Unmap(), r.addr.Port()), egress: r.egress}
}

// host returns the mail host of a job, without what is too old to be believed.
// The pool's lock is held.
func (p *Pool) host(j *job) *mailHost {
	key := keyOf(j.route)
	h := p.hosts[key]
	if h == nil {
		p.sweep()
		h = &mailHost{key: key, limits: newLimits(p.config), lined: make(map[line]int), trials: make(trials)}
		p.hosts[key] = h
	}
	p.paceFor(h, j.route)
	if h.window == nil {
		h.window = pace.NewWindow(h.paced.Rules().FirstSessions(), p.config.MaxSessionsPerHost)
	}
	now := time.Now()
	if h.limits.over(now) {
		h.limits = newLimits(p.config)
	}
	h.proofs = p.proofs.of(key, now)
	return h
}

// sweep forgets the hosts that are not in use when there are too many.
func (p *Pool) sweep() {
	if len(p.hosts) < max(maxHosts, 2*p.swept) {
		return
	}
	for key, h := range p.hosts {
		if !h.inUse() {
			delete(p.hosts, key)
		}
	}
	p.swept = len(p.hosts)
}

func (h *mailHost) inUse() bool {
	return len(h.waiting)+len(h.deferred)+h.underWay+h.sessions > 0
}

// mostSessions is how many may be open at a time, as far as the host goes.
func (h *mailHost) mostSessions() int { return h.window.Size(time.Now()) }

// sessionsFor is how many may be for those that wait: lists leave some to
// single checks.
func (h *mailHost) sessionsFor() int {
	if h.forList() {
		return pace.ForLists(h.mostSessions())
	}
	return h.mostSessions()
}

// forList reports whether no single check waits.
func (h *mailHost) forList() bool { return h.singles() == 0 }

// serves notes that a session has other jobs now than before.
func (h *mailHost) serves(before, jobs []*job) {
	of := func(jobs []*job) int {
		if len(jobs) > 0 && jobs[0].ofList() {
			return 1
		}
		return 0
	}
	n := of(jobs) - of(before)
	h.listing += n
	h.paced.listing += n
}

// servesLists reports whether another session may have jobs of a list: so many
// are left to single checks.
func (h *mailHost) servesLists() bool {
	most := h.paced.Allowed(time.Now())
	return h.listing < pace.ForLists(h.mostSessions()) && (most < 0 || h.paced.listing < pace.ForLists(most))
}

// transactionSize is how many recipients a transaction with the host may have.
// Where they take long, those that wait are spread over the sessions that the
// host may have.
func (h *mailHost) transactionSize() int {
	size := h.limits.recipients.now
	if each := h.perRecipient; each > 0 {
		share := len(h.waiting)/h.mostSessions() + 1
		size = min(size, int(longestTransaction/each), max(share, int(shortTransaction/each)))
	}
	return max(1, size)
}

// capacity is how many recipients the next transaction of a session may have.
// Its control is refused, too, and the last has a proof behind it.
func (h *mailHost) capacity(s *session) int {
	return min(h.transactionSize(), h.untilRefused(s), mostNamed-s.mail.Recipients-2)
}

// untilRefused is how many recipients a session may still have that will not,
// going by what the host has refused so far, use up its refusals. Once these
// are used up, it is as many as have one refused among them, if that is to show
// whether the host takes more.
func (h *mailHost) untilRefused(s *session) int {
	share := float64(h.refused+2) / float64(h.asked+4)
	left := int(refusalsAimedAt * float64(h.limits.refused.now-s.mail.Refused-1) / share)
	if left <= 0 && h.limits.trial() {
		return max(1, int(refusalsAimedAt/share))
	}
	return left
}
