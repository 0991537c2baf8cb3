package schedule

import (
	"net/netip"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// hostKey tells sessions apart that cannot stand in for each other. Addresses
// count and not names, because the load is the machine's: thousands of domains
// have a mail exchanger name of their own for the same machine. A host takes
// each egress for a client of its own.
type hostKey struct {
	addr   netip.AddrPort
	egress *egress
}

// host is a mail host, what is to be done with it, and what was learned of it.
type host struct {
	key      hostKey
	provider *provider
	proofs   *proofs

	// Jobs.
	queue    queue
	held     line
	underWay int // that sessions have

	// Sessions.
	sessions []*session
	tally    tally
	touched  bool
	inTurn   [ranks]bool // it waits for a session with the provider
	timer    timer       // has it looked at

	// What a session may be used for.
	limits         limits
	shown          belief.Shown
	shownAt        time.Time     // the first of it
	asked, refused int           // recipients named recently, and those of them refused
	perRecipient   time.Duration // that the last transaction took

	// Whether it can be asked.
	failed    *failure
	trials    trials
	wellAt    time.Time // a session was last open
	begun     time.Time // the last session was
	notBefore time.Time // the next may be opened
	answers   bool      // it has answered about a recipient
	limited   int       // sessions in a row that began with a limit of its own
	mute      int       // sessions with one target that ended without an answer, as long as it has not
}

// host returns the mail host of a job by an egress, without what is too old to
// be believed.
func (s *State) host(j *Job, e *egress) *host {
	key := hostKey{j.Addr, e}
	h := s.hosts[key]
	if h == nil {
		s.sweepHosts()
		h = &host{key: key}
		s.hosts[key] = h
	}
	s.paceFor(h, j.Provider)
	if h.limits.sessions.most == 0 {
		h.limits = newLimits(&s.config, h.provider.Rules().FirstSessions())
	}
	if h.shown != nil && s.now.Sub(h.shownAt) > limitsLast {
		h.shown = nil
	}
	h.proofs = s.proofsOf(key)
	return h
}

// sweepHosts forgets the hosts that are not in use when there are too many.
func (s *State) sweepHosts() {
	if len(s.hosts) < max(maxHosts, 2*s.sweptHosts) {
		return
	}
	for key, h := range s.hosts {
		if !h.inUse() {
			s.stop(&h.timer)
			delete(s.hosts, key)
		}
	}
	s.sweptHosts = len(s.hosts)
}

func (h *host) inUse() bool {
	return h.queue.len()+h.held.n+h.underWay+len(h.sessions) > 0 || h.touched || h.inTurn != [ranks]bool{}
}

// ring has the host looked at.
func (h *host) ring(s *State) { s.touch(h) }

// drop takes a session off those of the host.
func (h *host) drop(x *session) {
	h.sessions = slices.DeleteFunc(h.sessions, func(y *session) bool { return x == y })
}

// trust notes what the host has shown.
func (h *host) trust(now time.Time, what ...string) {
	if len(what) == 0 {
		return
	}
	if h.shown == nil {
		h.shownAt = now
	}
	h.shown = h.shown.With(what...)
}

// sessionsFor is how many sessions may be open at a time for jobs of a rank, as
// far as the host goes: lists leave some to single checks. (Rule 2.4)
func (h *host) sessionsFor(r rank, now time.Time) int {
	most := h.limits.sessions.size(now)
	if r == list {
		return pace.ForLists(most)
	}
	return most
}

// leaveAlone has no session opened before a time, or a later one that is known.
// (Rules 4.5 and 5.5)
func (h *host) leaveAlone(until time.Time) {
	if until.After(h.notBefore) {
		h.notBefore = until
	}
}

// servesLists reports whether another session may have jobs of a list: so many
// are left to single checks. (Rule 2.4)
func (h *host) servesLists(now time.Time) bool {
	most := h.provider.Allowed(now)
	return h.tally.lists() < h.sessionsFor(list, now) &&
		(most < 0 || h.provider.tally.lists() < pace.ForLists(most))
}

// transactionSize is how many recipients a transaction with the host may have.
// Where they take long, those that wait are spread over the sessions that the
// host may have. (Rule 3.2)
func (h *host) transactionSize(now time.Time) int {
	if h.proofs.onlyExempt() {
		return 1
	}
	size := h.limits.recipients.size(now)
	if each := h.perRecipient; each > 0 {
		share := h.queue.len()/h.limits.sessions.size(now) + 1
		size = min(size, int(longestTransaction/each), max(share, int(shortTransaction/each)))
	}
	return max(1, size)
}

// newCapacity is how many recipients the first transaction of another session
// is going to have, going by what the host has refused so far.
func (h *host) newCapacity(now time.Time) int {
	size := h.transactionSize(now)
	if h.asked > mostRecipients {
		size = max(1, min(size, h.untilRefused(0, now)))
	}
	return size
}

// capacity is how many recipients the next transaction of a session may have.
// Its control is refused, too, and the last has a proof behind it.
func (s *State) capacity(x *session) int {
	h := x.host
	return min(h.transactionSize(s.now), h.untilRefused(x.refused, s.now), mostNamed-x.named-2)
}

// untilRefused is how many recipients a session may still have that will not,
// going by what the host has refused so far, use up its refusals. Once these
// are used up, it is as many as have one refused among them, if that is to show
// whether the host takes more. (Rule 9.3)
func (h *host) untilRefused(refused int, now time.Time) int {
	share := float64(h.refused+2) / float64(h.asked+4)
	left := int(refusalsAimedAt * float64(h.limits.refused.size(now)-refused-1) / share)
	if left <= 0 && h.limits.trial(now) {
		return max(1, int(refusalsAimedAt/share))
	}
	return left
}
