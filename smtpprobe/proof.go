package smtpprobe

import (
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/dialogue"
)

// Hosts protect themselves against harvesting: after some refusals, or some
// recipients, they refuse everybody, in the words that they have for an unknown
// user. So a refusal counts when the host accepts somebody behind it: another
// target, or a mailbox that it accepted before. Where there is none, postmaster
// (RFC 5321 §4.5.1).

// openRefusal is a refusal that counts once the session has an acceptance
// behind it, with the answer as it is without one.
type openRefusal struct {
	job    *job
	answer result
	shared bool      // others were asked about in the same session
	since  time.Time // it was put off
}

// proofs is what is known of whom a mail host accepts. The pool's lock guards
// it.
type proofs struct {
	heard        int           // recipients that were named to it of late
	heardAt      time.Time     // the last of them
	accepted     []string      // mailboxes, the one that it accepted last first
	turns        int           // how often in a row it refused everybody
	deferred     []openRefusal // until it has accepted a mailbox
}

// proof is a mailbox that shows whether the host still accepts anybody.
type proof struct {
	mailbox string // empty: there is none
	known   bool   // the host accepted it before; else it is postmaster
}

// proofFor returns the proof for the targets of some jobs.
func (h *proofs) proofFor(jobs []*job) proof {
	for _, m := range h.accepted {
		if !slices.ContainsFunc(jobs, func(j *job) bool { return strings.EqualFold(j.req.Target, m) }) {
			return proof{m, true}
		}
	}
	return proof{mailbox: dialogue.Postmaster + "@" + jobs[0].domain}
}

// free reports whether the host may refuse another mailbox without a proof: it
// has accepted nobody yet, and heard few.
func (h *proofs) free() bool { return len(h.accepted) == 0 && h.heard < belief.Free }

// hears counts the recipients of a transaction that begins.
func (h *proofs) hears(recipients int, now time.Time) {
	h.heard, h.heardAt = h.heard+recipients, now
}

// noteAccepted remembers a mailbox that the host accepted. The pool's lock is
// held.
func (h *mailHost) noteAccepted(p *Pool, mailbox string) {
	h.turns = 0
	if slices.Contains(h.accepted, mailbox) || !isASCII(mailbox) { // which only SMTPUTF8 could name
		return
	}
	if len(h.accepted) == maxAccepted {
		h.accepted = h.accepted[:maxAccepted-1]
	}
	h.accepted = slices.Insert(h.accepted, 0, strings.Clone(mailbox))
	for _, o := range slices.Backward(h.deferred) {
		o.job.tries++
		p.resubmit(h, o.job, true)
	}
	h.deferred = nil
}

// keepOpen keeps the refusals of a transaction that wait for an acceptance, and
// answers those before it if it had one.
func (w *worker) keepOpen(t *transaction, open []openRefusal) {
	p := w.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.AnyAccepted() {
		w.proven()
	}
	w.open = append(w.open, open...)
	w.barren = !t.AnyAccepted()
	w.host.giveUpDeferred()
}

// closeOpen takes the open refusals, for each to be answered or asked again.
func (w *worker) closeOpen() []openRefusal {
	open := w.open
	w.open = nil
	w.host.underWay -= len(open)
	return open
}

// proven answers the open refusals: the host has accepted a mailbox since. The
// pool's lock is held.
func (w *worker) proven() {
	for _, o := range w.closeOpen() {
		o.answer.session.Unproven = false
		o.job.finish(o.answer)
	}
}

// mustProve reports whether the open refusals need a proof now: the host has
// just refused everybody, or nobody else is to be asked about in this session.
func (w *worker) mustProve() bool {
	if len(w.open) == 0 {
		return false
	}
	others := slices.ContainsFunc(w.host.waiting, func(j *job) bool { return suits(j, nil, false) })
	return w.barren || !others || !w.usable()
}

// prove names a mailbox that the host should accept, and reports whether the
// session goes on.
func (w *worker) prove() bool {
	p, h, s := w.pool, w.host, w.session
	p.mu.Lock()
	var jobs []*job
	for _, o := range w.open {
		jobs = append(jobs, o.job)
	}
	proof := h.proofFor(jobs)
	s.Bound(lastEnd(jobs))
	h.paced.Named(1, time.Now())
	p.mu.Unlock()
	reply, err := s.NameOne(w.ctx, proof.mailbox, !isASCII(proof.mailbox))
	p.mu.Lock()
	defer p.mu.Unlock()
	h.asked++
	now := time.Now()
	switch {
	case err != nil:
		s.NoteQuit()
		h.limits.failed(w.use(nil), now)
		w.askAgain()
	case !reply.Refused():
		if !proof.known {
			h.noteAccepted(p, proof.mailbox)
		}
		if len(w.open) > belief.Free {
			w.askAgain() // it may have turned for a transaction; see mayHaveTurned
			break
		}
		w.proven()
	case proof.known:
		h.refused++
		h.limits.turned(w.use(nil), now)
		h.window.Crowded(h.alive, w.began, now)
		w.troubled = true
		w.askAgain()
		return false
	default:
		h.refused++
		w.deferOpen()
	}
	return err == nil
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

// askAgain lets the jobs of the open refusals wait to be asked again. The
// pool's lock is held.
func (w *worker) askAgain() {
	p, h, open := w.pool, w.host, w.closeOpen()
	for _, o := range slices.Backward(open) {
		j, now := o.job, time.Now()
		if j.alone || j.left(now) || w.ctx.Err() != nil || !o.shared && j.late(now) { // alone: that was the last word
			j.finish(o.answer)
			continue
		}
		j.tries++
		j.alone = len(open) == 1 || j.tries >= maxTries
		p.resubmit(h, j, o.shared)
	}
	h.giveUpDeferred()
}

// deferOpen puts the jobs of the open refusals off until the host has accepted
// somebody: nothing can be proven before. The pool's lock is held.
func (w *worker) deferOpen() {
	h := w.host
	for _, o := range slices.Backward(w.closeOpen()) {
		switch {
		case o.job.left(time.Now()) || o.job.tries >= maxTries:
			o.job.finish(o.answer)
		case len(h.accepted) > 0:
			o.job.tries++
			w.pool.resubmit(h, o.job, true)
		default:
			o.job.worker, o.since = nil, time.Now()
			h.deferred = append(h.deferred, o)
		}
	}
	h.giveUpDeferred()
}

// giveUpDeferred answers the refusals that cannot be proven, when nobody else
// is asked about who might be accepted. The pool's lock is held.
func (h *mailHost) giveUpDeferred() {
	idle := len(h.waiting)+h.underWay == 0
	h.deferred = slices.DeleteFunc(h.deferred, func(o openRefusal) bool {
		over := idle || time.Since(o.since) > deferLasts
		if over {
			o.job.finish(o.answer)
		}
		return over
	})
}

// pauseTurned notes that the host refuses everybody, even a mailbox that is
// first and alone in a session: that it is asked on would make it worse.
// Callers that can wait do so until it may accept mailboxes again; if it does
// not, time and again, they are answered like the others. The pool's lock is
// held.
func (p *Pool) pauseTurned(t *transaction) {
	h := t.host
	h.window.Shut(time.Now())
	h.turns++
	h.failed = newTurnedSession(t)
	h.failed.waits = h.turns < maxTurns
	h.notBefore = time.Now().Add(failureLasts)
	h.failWaiting(h.failed.answer)
}
