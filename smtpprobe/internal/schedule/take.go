package schedule

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// opened has the job that a session was opened for asked about, with others
// that come along. If that is of a list, and a single check has come meanwhile,
// the single check goes ahead. If the provider is paused by now, nobody is
// asked about. (Rules 2.3 and 7.1)
func (s *State) opened(x *session, e Opened) {
	if x == nil || x.phase != opening {
		return
	}
	h := x.host
	x.greeted, h.wellAt = true, s.now
	if h.failed != nil && h.failed.result == Inherited { // the others are no matter of that
		h.failed = nil
	}
	s.hears(h.key.egress, h.key.addr, true, nil)
	if e.TLS {
		h.trials.pass(startTLS, s.now)
	}
	if e.UTF8 {
		h.trust(s.now, belief.OffersSMTPUTF8)
	}
	first := x.jobs[0]
	_, paused := s.pausedUntil(h.provider)
	if paused || x.rank == list && h.queue.rank() == single && h.queue.len() > 0 && !s.shut {
		s.release(x)
		s.goesAgain(first, true)
		s.move(x, idle)
		if !s.next(x) {
			s.end(x, Quit)
		}
		return
	}
	x.asked = s.now
	s.take(x, s.capacity(x)-cost(first, nil), false)
	s.start(x)
}

// next begins the next transaction of an idle session, if there is something to
// ask.
func (s *State) next(x *session) bool {
	if !s.usable(x) {
		return false
	}
	s.take(x, s.capacity(x), x.transactions == 0)
	if len(x.jobs) == 0 {
		return false
	}
	s.start(x)
	return true
}

// take takes the jobs of the next transaction off those that wait: of the same
// kind as the first, and with their controls at most so many recipients. One
// that must be alone goes to a fresh session, first and by itself. Those of
// single checks and of lists are never together. (Rules 2.3 and 3.1)
func (s *State) take(x *session, capacity int, fresh bool) {
	h, already := x.host, len(x.jobs)
	if h.queue.len() == 0 || s.shut {
		return
	}
	r := h.queue.rank()
	if already > 0 {
		r = x.jobs[0].rank()
	}
	may := h.provider.MayName(x.named, s.now, r == list)
	if may < pace.LeastNamed || r == list && already == 0 && !h.servesLists(s.now) {
		return
	}
	capacity = min(capacity, may-2-2*already) // a proof and a control come with it
	skipped := 0
	h.queue.ranks[r].each(func(j *job) bool {
		if !suits(j, x.jobs, fresh) {
			skipped++
			return skipped < mostSkipped && !closedTo(x.jobs)
		}
		s.controlFor(j)
		if capacity -= cost(j, x.jobs); capacity < 0 && len(x.jobs) > 0 {
			return false
		}
		h.queue.serve(j)
		j.taken(x, s.now)
		x.jobs = append(x.jobs, j)
		return true
	})
}

// suits reports whether a job can be part of the transaction of those taken
// before it. (Rule 3.1)
func suits(j *job, taken []*job, fresh bool) bool {
	if j.alone || len(taken) == 0 {
		return !j.alone || fresh && len(taken) == 0
	}
	first, size := taken[0], len(taken)+1
	return !first.alone && j.UTF8 == first.UTF8 && size <= j.atMost() && size <= first.atMost()
}

// closedTo reports whether no other job can join those taken.
func closedTo(taken []*job) bool {
	return len(taken) > 0 && (taken[0].alone || len(taken) >= taken[0].atMost())
}

// cost is the number of recipients to be named for a job beside those of
// others. (Rule 3.3)
func cost(j *job, others []*job) int {
	if !j.namesControl() {
		return 1
	}
	for _, k := range slices.Backward(others) {
		if k.Domain == j.Domain && k.namesControl() {
			return 1 // the control is named already
		}
	}
	return 2
}

// namesControl reports whether the control of a job is to be named.
func (j *job) namesControl() bool { return j.control == nil && j.Control != "" }

// start begins a transaction about the jobs of a session.
func (s *State) start(x *session) {
	s.serve(x, x.jobs[0].rank())
	s.move(x, busy)
	s.lead(x.jobs[0], true)
	x.asked = s.now
	h := x.host
	proof, known := h.proofs.proofFor(x.jobs)
	wanted := known && (h.limits.transactions.troubled() || len(x.jobs) > 1 || h.proofs.onlyExempt())
	if !wanted && (!x.jobs[0].alone || h.proofs.isUnheard(x.jobs)) {
		proof = ""
	}
	r := &run{jobs: slices.Clone(x.jobs), proof: proof}
	r.ProofKnown = known
	a := Action{
		Do: Run, Session: x.id, Until: lastEnd(x.jobs), Shun: h.trials.failed(s.now),
		Tried: h.trials.passed(pipelining), Proof: proof, Alone: x.jobs[0].alone, UTF8: x.jobs[0].UTF8,
		Targets: make([]JobID, len(x.jobs)), Known: make([]Control, len(x.jobs)),
	}
	r.Controls, r.Known = make([]*smtp.Reply, len(x.jobs)), make([]bool, len(x.jobs))
	for i, j := range x.jobs {
		a.Targets[i], r.Known[i] = j.ID, h.proofs.knows(j.Target)
		if j.control != nil {
			a.Known[i], r.Controls[i] = j.control.Control, j.control.Reply
		}
	}
	a.Controls, a.Canary = controlsOf(x.jobs)
	named := len(a.Targets) + len(a.Controls)
	if proof != "" {
		named++
	}
	x.run = r
	r.Host.Unheard, r.heard = h.proofs.hears(x.jobs, named, s.now)
	h.provider.Named(named, s.now)
	s.do(a)
}

// serve notes of which rank the jobs of a session are.
func (s *State) serve(x *session, r rank) {
	s.count(x, -1)
	x.rank = r
	s.count(x, 1)
}

// controlsOf returns the jobs whose controls are named: one for each domain of
// which nothing is known, or one that the host is known to refuse. (Rule 3.3)
func controlsOf(jobs []*job) (named []JobID, canary bool) {
	for i, j := range jobs {
		if cost(j, jobs[:i]) > 1 {
			named = append(named, j.ID)
		}
	}
	if len(named) > 0 {
		return named, false
	}
	for _, j := range slices.Backward(jobs) {
		if j.control != nil && j.control.Reply.Refused() {
			return []JobID{j.ID}, true
		}
	}
	return nil, false
}

// lastEnd is when the time for the last of some jobs is over; zero: never.
func lastEnd(jobs []*job) time.Time {
	var last time.Time
	for _, j := range jobs {
		end := j.ends()
		if end.IsZero() {
			return end
		}
		if end.After(last) {
			last = end
		}
	}
	return last
}

// controlKey names the host, too: a backup may take what the others would
// refuse.
type controlKey struct {
	host   netip.AddrPort
	domain string
}

// control is what a host said about the control of a domain, and until when
// that is believed.
type control struct {
	Control
	until time.Time
}

// controlFor looks up what is known about the control of a job. (Rule 3.3)
func (s *State) controlFor(j *job) {
	j.control = nil
	if j.Control == "" {
		return
	}
	if c, ok := s.controls.get(controlKey{j.host.key.addr, j.Domain}); ok && !s.now.After(c.until) {
		j.control = &c
	}
}

// noteControl keeps the answer about a control, unless it is long: hosts chosen
// by strangers must not fill the memory.
func (s *State) noteControl(h *host, r *belief.Heard) {
	kept, ok := short(r.Reply)
	if !ok {
		return
	}
	c := control{Control: Control{Reply: kept}, until: s.now.Add(controlLasts)}
	if r.Behind != nil {
		if c.Behind, ok = short(r.Behind); !ok {
			return
		}
	}
	s.controls.put(controlKey{h.key.addr, strings.Clone(r.Domain)}, c)
}

// Bounds of a reply that is kept.
const (
	maxKeptLines = 4
	maxKeptText  = 256
)

// short returns a copy of a reply, as what was read is larger; false: the reply
// is too long to be kept.
func short(r *smtp.Reply) (*smtp.Reply, bool) {
	if len(r.Lines) > maxKeptLines {
		return nil, false
	}
	kept := &smtp.Reply{Code: r.Code, Enhanced: strings.Clone(r.Enhanced), Lines: slices.Clone(r.Lines)}
	for i, text := range kept.Lines {
		if len(text) > maxKeptText {
			return nil, false
		}
		kept.Lines[i] = strings.Clone(text)
	}
	return kept, true
}
