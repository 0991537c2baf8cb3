package schedule

import (
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// phase is what a session does. Limits count it until it is closed.
type phase uint8

const (
	opening phase = iota
	busy          // a transaction is under way
	idle          // kept for the next jobs of its host
	closing
	phases
)

// tally counts sessions by their phase, and by the rank of the jobs that they
// have.
type tally [ranks][phases]int

// all is the sessions that are not closed.
func (t *tally) all() int { return t.live() + t[single][closing] + t[list][closing] }

// live is those that are not about to end.
func (t *tally) live() int { return t.in(opening) + t.open() }

// open is those of them that the host has let in.
func (t *tally) open() int { return t.in(busy) + t.in(idle) }

func (t *tally) in(p phase) int { return t[single][p] + t[list][p] }

// lists is those that have jobs of a list.
func (t *tally) lists() int { return t[list][opening] + t[list][busy] }

// session is a connection to a mail host.
type session struct {
	id    SessionID
	host  *host
	phase phase
	rank  rank // of the jobs that it has, or had last
	began time.Time
	asked time.Time // began, or its last transaction
	jobs  []*job    // that it has; while it is being opened, the one that it is opened for
	run   *run      // the transaction under way; nil: there is none
	timer timer     // rings when it has been idle for long

	greeted      bool
	transactions int
	named        int  // recipients
	refused      int  // of them
	retired      bool // it is not to ask again
	troubled     bool // a transaction was not believed
}

// run is a transaction under way.
type run struct {
	belief.Case
	jobs  []*job // the targets, by number; answered ones, too
	heard int    // recipients that were named to the host, with its own
	proof string
	// A transaction of its own that names a proof belongs to that with the
	// refusals.
	proves     *run
	open       []int // which of them wait for the proof
	mayHostile bool
	accepted   bool // the host had accepted a mailbox before
}

// move is what changes the phase of a session, and so all tallies. (Rule 1.3)
func (s *State) move(x *session, to phase) {
	s.count(x, -1)
	if x.phase == idle {
		s.idle = slices.DeleteFunc(s.idle, func(y *session) bool { return x == y })
		s.stop(&x.timer)
	}
	x.phase = to
	s.count(x, 1)
	if to == idle {
		s.idle = append(s.idle, x)
		s.set(&x.timer, s.now.Add(s.config.Idle), x)
	}
}

func (s *State) count(x *session, n int) {
	for _, t := range []*tally{&s.tally, &x.host.tally, &x.host.provider.tally, &x.host.key.egress.tally} {
		t[x.rank][x.phase] += n
	}
}

// begin opens a session with a host for a job.
func (s *State) begin(h *host, j *job) {
	s.last++
	x := &session{id: s.last, host: h, rank: j.rank(), began: s.now, asked: s.now}
	s.sessions[x.id] = x
	s.count(x, 1)
	h.sessions, h.begun = append(h.sessions, x), s.now
	h.provider.Opened(s.now)
	h.queue.serve(j)
	s.controlFor(j)
	j.taken(x, s.now)
	x.jobs = append(x.jobs, j)
	s.lead(j, true)
	s.do(Action{
		Do: Open, Session: x.id, Addr: h.key.addr, Egress: h.key.egress.ID, For: j.ID, Until: j.ends(),
		Shun: h.trials.failed(s.now), Tried: h.trials.passed(pipelining),
	})
}

// end ends a session: with QUIT, or by itself if the connection is of no more
// use.
func (s *State) end(x *session, how Do) {
	if x.greeted && !x.troubled {
		x.host.limits.ended(x.use(0, s.now), s.now)
	}
	s.move(x, closing)
	if how == Quit || how == Abort {
		s.do(Action{Do: how, Session: x.id})
	}
	s.touch(x.host)
}

// gone is an end that needs no action: the connection is of no more use.
const gone = Tell

// ring ends a session that has been idle for long. (Rule 5.4)
func (x *session) ring(s *State) { s.end(x, Quit) }

// lost notes that the host has ended an idle session.
func (s *State) lost(x *session) {
	if x != nil && x.phase == idle {
		s.end(x, gone)
	}
}

// closed notes that the connection is gone. The plan knew that it would be.
func (s *State) closed(x *session) {
	if x == nil {
		return
	}
	s.endRun(x, x.run)
	s.count(x, -1)
	delete(s.sessions, x.id)
	x.host.provider.Closed()
	x.host.drop(x)
	x.host.begun = time.Time{} // another may take its place
	s.touch(x.host)
	e := x.host.key.egress
	s.goOn(&e.queued, &e.tally, s.config.Pace.Egress.Sessions)
	s.goOn(&s.queued, &s.tally, s.config.MaxSessions)
	s.admit(x.host.provider)
	s.forgetEgress(e)
}

// use is what the session was used for, and so many jobs of the last
// transaction.
func (x *session) use(jobs int, now time.Time) use {
	return use{
		recipients: jobs, transactions: x.transactions, refused: x.refused,
		usedUp: x.host.untilRefused(x.refused, now) <= 0,
	}
}

// usable reports whether the session may have another transaction. (Rules 5.3
// and 7.1)
func (s *State) usable(x *session) bool {
	h, age := x.host, s.now.Sub(x.began)
	_, paused := s.pausedUntil(h.provider)
	switch {
	case x.retired || paused || s.shut || h.key.egress.leaving:
		return false
	case x.transactions >= h.limits.transactions.size(s.now) || x.named >= mostNamed || age >= mostAge:
		return false
	case h.tally.live() > h.limits.sessions.size(s.now):
		return false
	case age >= turnLasts && h.provider.hostsWait():
		return false
	}
	return h.provider.MayName(x.named, s.now, false) >= pace.LeastNamed && s.capacity(x) > 0
}

// drops takes a job off the session, and ends that at once if it works for
// nobody any more: a host that takes its time over many recipients would keep
// it for minutes. (Rule 1.4)
func (s *State) drops(x *session, j *job) {
	x.jobs = slices.DeleteFunc(x.jobs, func(k *job) bool { return k == j })
	s.leaves(j)
	if len(x.jobs) == 0 && x.phase != closing {
		x.troubled = true
		s.end(x, Abort)
	}
	s.touch(x.host)
}

// company reports whether the session asks about several jobs, answered ones
// included.
func (x *session) company() bool {
	r := x.run
	if r != nil && r.proves != nil {
		r = r.proves
	}
	return r != nil && len(r.jobs) > 1
}
