package schedule

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Hosts protect themselves against harvesting: after some refusals, or some
// recipients, they refuse everybody, in the words that they have for an unknown
// user. So a refusal counts when the host accepts somebody behind it: another
// target, or a mailbox that it accepted before. Where there is none, postmaster
// (RFC 5321 §4.5.1), which hosts exempt from much that they do to others.

// proofs is what is known of whom a mail host accepts.
type proofs struct {
	heard    int       // recipients that were named to it in the last hour
	only     string    // the target that it was asked about, if there was one; empty: there were more
	heardAt  time.Time // the last of them
	accepted [3]string // mailboxes that it accepted: the last two, and last one that it may exempt; empty: none
	first    belief.First
	hostile  int // how often in a row it was found to refuse everybody
}

// proofKey is by whom a mail host knows us: by the egress, under whatever name
// and over whichever connection. An egress that is removed and comes back is no
// new client for it.
type proofKey struct {
	addr   netip.AddrPort
	egress string
}

// proofsOf returns what is known of a mail host, without what is too old to be
// believed.
func (s *State) proofsOf(key hostKey) *proofs {
	at := proofKey{key.addr, key.egress.Key}
	known, ok := s.proofs.get(at)
	if !ok {
		known = &proofs{}
		s.proofs.put(at, known)
	}
	lasts := limitsLast
	if known.hostile > 0 { // the first that it hears of us may be refused for that
		lasts = hostileLasts
	}
	if s.now.Sub(known.heardAt) > lasts {
		*known = proofs{}
	}
	return known
}

// proofFor returns the mailbox that shows whether the host still accepts
// anybody, for the targets of some jobs. If it is not known that the host
// accepted it before, it is postmaster. (Rule 4.1)
func (p *proofs) proofFor(jobs []*job) (mailbox string, known bool) {
	for _, m := range p.accepted {
		if m != "" && !slices.ContainsFunc(jobs, func(j *job) bool { return strings.EqualFold(j.Target, m) }) {
			return m, true
		}
	}
	return belief.Postmaster + "@" + jobs[0].Domain, false
}

// accepts reports whether the host has accepted a mailbox in the last hour.
func (p *proofs) accepts() bool { return p.accepted != [3]string{} }

// knows reports whether the host has accepted this mailbox.
func (p *proofs) knows(mailbox string) bool {
	return slices.ContainsFunc(p.accepted[:], func(m string) bool { return strings.EqualFold(m, mailbox) })
}

// acceptsOthers reports whether it was one that is not exempt.
func (p *proofs) acceptsOthers() bool { return p.accepted[0] != "" }

// onlyExempt reports whether all that it has accepted may be exempt.
func (p *proofs) onlyExempt() bool { return p.accepts() && !p.acceptsOthers() }

// isUnheard reports whether the host was asked about no other target before
// those of some jobs.
func (p *proofs) isUnheard(jobs []*job) bool {
	return p.heard == 0 || len(jobs) == 1 && strings.EqualFold(p.only, jobs[0].Target)
}

// hears notes a transaction that begins, about so many recipients. It reports
// whether the host has heard of no other target, and of how many by its end.
func (p *proofs) hears(jobs []*job, named int, now time.Time) (unheard bool, heard int) {
	unheard, p.only = p.isUnheard(jobs), ""
	if unheard && len(jobs) == 1 {
		p.only = strings.Clone(jobs[0].Target)
	}
	p.heard, p.heardAt = p.heard+named, now
	p.first = p.first.Begins()
	return unheard, p.heard
}

// noteAccepted remembers a mailbox that the host accepted.
func (s *State) noteAccepted(h *host, mailbox string) {
	p := h.proofs
	p.hostile = 0
	if slices.Contains(p.accepted[:], mailbox) || !smtp.IsPrintableASCII(mailbox) { // which only SMTPUTF8 could name
		return
	}
	mailbox = strings.Clone(mailbox)
	if belief.Exempt(mailbox) {
		p.accepted[2] = mailbox
	} else {
		p.accepted[0], p.accepted[1] = mailbox, p.accepted[0]
	}
	s.askHeld(h)
}

// noteProof notes that the host accepted a proof. That of one which it accepted
// before is no news: it leaves its place to those accepted since. Else one that
// the host takes long for is named again and again, and holds up each
// transaction. (Rule 4.1)
func (s *State) noteProof(h *host, r *run) {
	if h.proofs.hostile = 0; !r.ProofKnown {
		s.noteAccepted(h, r.proof)
	}
}

// prove asks whether the host still accepts anybody, in a transaction of its
// own behind the one with the refusals. It is the last of its session: nothing
// shows that it is in step. (Rule 4.2)
func (s *State) prove(x *session, r *run, open []int, f *belief.Finding) {
	h := x.host
	x.retired = true
	jobs := x.jobs
	proof, known := h.proofs.proofFor(jobs)
	x.run = &run{proof: proof, proves: r, open: open, mayHostile: f.MayBeHostile, accepted: h.proofs.accepts()}
	x.run.ProofKnown = known
	h.provider.Named(1, s.now)
	s.do(Action{
		Do: Run, Session: x.id, Until: lastEnd(jobs), Shun: h.trials.failed(s.now),
		Tried: h.trials.passed(pipelining), Proof: proof, UTF8: jobs[0].UTF8,
	})
}

// heardProof draws the consequence of a transaction that only named a proof.
// (Rule 4.2)
func (s *State) heardProof(x *session, r *run, said *belief.Heard) {
	h, p := x.host, x.host.proofs
	s.release(x)
	switch {
	case said == nil || said.Reply == nil:
		h.limits.failed(x.use(0, s.now), s.now)
		s.askAgain(r.proves, r.open, true)
	case said.Accepted():
		s.noteProof(h, r)
		r.proves.Host.First = p.first.Words()
		if r.mayHostile {
			known := !r.accepted && p.accepts() // from now on: the next transaction names it
			s.askAgain(r.proves, r.open, !known)
			break
		}
		s.proved(r.proves, r.open, r.proof)
	case r.accepted: // the proof, or one of those that it refuses now
		s.noteHostile(x, x.use(0, s.now))
		s.askAgain(r.proves, r.open, true)
	default:
		s.hold(r.proves, r.open, p.accepts())
	}
}

// proved answers open refusals behind which a mailbox was accepted, if that is
// their proof. In a session with others, the host may refuse everybody for the
// rest of the session.
func (s *State) proved(r *run, open []int, proof string) {
	for _, i := range open {
		switch {
		case r.jobs[i].place == answered:
		case r.Proves(proof, i):
			s.answer(r.jobs[i], Answered{Result: Final})
		case r.Outcome.Company():
			s.askAgain(r, []int{i}, true)
		default:
			s.hold(r, []int{i}, r.jobs[i].host.proofs.acceptsOthers())
		}
	}
}

// askAgain lets the jobs of open refusals wait to be asked again. They are in
// smaller transactions then, and in the end alone, unless a proof is known from
// now on: so this ends.
func (s *State) askAgain(r *run, open []int, smaller bool) {
	for _, i := range slices.Backward(open) {
		j := r.jobs[i]
		switch {
		case j.place == answered:
			continue
		case r.Outcome.Alone || s.over(r, j): // alone: that was the last word
			s.answer(j, Answered{Result: Unproven})
			continue
		case smaller:
			j.failed(len(open))
		}
		s.goesAgain(j, r.Outcome.Company())
	}
}

// hold puts open refusals off until the host has accepted somebody, unless it
// has meanwhile: nothing can be proven before. (Rule 4.3)
func (s *State) hold(r *run, open []int, meanwhile bool) {
	for _, i := range open {
		j := r.jobs[i]
		switch {
		case j.place == answered:
			continue
		case s.shut, j.caller.ended(), s.over(r, j):
			s.answer(j, Answered{Result: Unproven})
			continue
		}
		j.spend(r.Outcome.Company(), s.now)
		j.place = held
		j.host.held.append(j)
	}
	if h := r.jobs[open[0]].host; meanwhile {
		s.askHeld(h)
	}
}

// askHeld lets the jobs of held refusals wait to be asked again.
func (s *State) askHeld(h *host) {
	for h.held.last != nil {
		j := h.held.last
		h.held.remove(j)
		j.place = asked // as if a session had just ended
		s.goesAgain(j, true)
	}
}

// settleHeld answers the refusals that cannot be proven, as nobody else is
// asked about who might be accepted. (Rule 4.3)
func (s *State) settleHeld(h *host) {
	for h.queue.len()+h.underWay == 0 && h.held.first != nil {
		s.answer(h.held.first, Answered{Result: Unproven})
	}
}

// noteHostile notes that the host refused a mailbox that it had accepted
// before.
func (s *State) noteHostile(x *session, u use) {
	x.host.limits.hostile(u, s.now)
	x.host.limits.full(x.host.tally.live(), x.asked, s.now)
	x.troubled, x.retired = true, true
}

// rest notes that the host refuses everybody, even a mailbox that is first and
// alone in a session: asking again would make it worse. Lists wait until it may
// accept mailboxes again; after some times in a row they are answered like
// single checks. (Rule 4.5)
func (s *State) rest(h *host, account any) {
	h.limits.shut(s.now)
	h.proofs.hostile++
	h.leaveAlone(s.now.Add(failureLasts))
	s.fail(h, &failure{result: Turned, account: account, lasts: failureLasts, waits: h.proofs.hostile < maxHostile})
}
