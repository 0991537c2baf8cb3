//go:build !plan

package smtpprobe

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/transaction"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Hosts protect themselves against harvesting: after some refusals, or some
// recipients, they refuse everybody, in the words that they have for an unknown
// user. So a refusal counts when the host accepts somebody behind it: another
// target, or a mailbox that it accepted before. Where there is none, postmaster
// (RFC 5321 §4.5.1), which hosts exempt from much that they do to others.

// openRefusal is a refusal that counts once the host has accepted a mailbox
// behind it.
type openRefusal struct {
	job     *job
	session *Session  // its result as long as it has no proof
	since   time.Time // it was deferred
}

// proofs is what is known of whom a mail host accepts. The pool's lock guards
// it.
type proofs struct {
	heard    int       // recipients that were named to it in the last hour
	only     string    // the target that it was asked about, if there was one; empty: there were more
	heardAt  time.Time // the last of them
	accepted [3]string // mailboxes that it accepted: the last two, and last one that it may exempt; empty: none
	first    belief.First
	hostile  int // how often in a row it was found to refuse everybody
}

// proofKey is by whom a mail host knows us: by the egress, under whatever name
// and over whichever connection.
type proofKey struct {
	addr   netip.AddrPort
	egress string // its ID
}

// proofBook remembers whom mail hosts accept. An egress that is removed and
// comes back is no new client for them.
type proofBook map[proofKey]*proofs

// of returns what is known of a mail host, without what is too old to be
// believed.
func (b proofBook) of(key hostKey, now time.Time) *proofs {
	at := proofKey{key.addr, key.egress.ID()}
	known := b[at]
	if known == nil {
		if len(b) >= maxProofNotes {
			b.shrink(now)
		}
		known = &proofs{}
		b[at] = known
	}
	if known.over(now) {
		*known = proofs{}
	}
	return known
}

// shrink drops what is out of date, and if that is little, half of the rest.
func (b proofBook) shrink(now time.Time) {
	n := 0
	for key, known := range b {
		if n++; known.over(now) || n%2 == 0 {
			delete(b, key)
		}
	}
}

// over reports whether what is known is too old to be believed.
func (h *proofs) over(now time.Time) bool { return now.Sub(h.heardAt) > limitsLast }

// proofFor returns the mailbox that shows whether the host still accepts
// anybody, for the targets of some jobs. If it is not known that the host
// accepted it before, it is postmaster.
func (h *proofs) proofFor(jobs []*job) (mailbox string, known bool) {
	for _, m := range h.accepted {
		if m != "" && !slices.ContainsFunc(jobs, func(j *job) bool { return strings.EqualFold(j.req.Target, m) }) {
			return m, true
		}
	}
	return belief.Postmaster + "@" + jobs[0].domain, false
}

// accepts reports whether the host has accepted a mailbox in the last hour.
func (h *proofs) accepts() bool { return h.accepted != [3]string{} }

// acceptsOthers reports whether it was one that is not exempt.
func (h *proofs) acceptsOthers() bool { return h.accepted[0] != "" }

// unheard reports whether the host was asked about no other target before those
// of some jobs.
func (h *proofs) unheard(jobs []*job) bool {
	return h.heard == 0 || len(jobs) == 1 && strings.EqualFold(h.only, jobs[0].req.Target)
}

// hears notes a transaction that begins.
func (h *proofs) hears(t *talk, now time.Time) {
	unheard := h.unheard(t.jobs)
	t.judge.Host.Unheard, h.only = unheard, ""
	if unheard && t.said.Targets == 1 {
		h.only = strings.Clone(t.said.Named[0].Mailbox)
	}
	h.heard, h.heardAt = h.heard+len(t.said.Named), now
	t.heard = h.heard
	h.first = h.first.Begins()
}

// noteAccepted remembers a mailbox that the host accepted. The pool's lock is
// held.
func (h *mailHost) noteAccepted(p *Pool, mailbox string) {
	h.hostile = 0
	if slices.Contains(h.accepted[:], mailbox) || !smtp.IsPrintableASCII(mailbox) { // which only SMTPUTF8 could name
		return
	}
	mailbox = strings.Clone(mailbox)
	if belief.Exempt(mailbox) {
		h.accepted[2] = mailbox
	} else {
		h.accepted[0], h.accepted[1] = mailbox, h.accepted[0]
	}
	p.askDeferred(h)
}

// prove asks whether the host still accepts anybody, in a transaction of its
// own behind the one with the refusals, and answers these accordingly. It is
// the last of its session: nothing shows that it is in step.
func (w *worker) prove(t *talk, open []openRefusal) {
	p, h := w.pool, w.host
	p.mu.Lock()
	w.retired = true
	proof, _ := h.proofFor(w.jobs)
	accepted := h.accepts()
	h.paced.Named(1, time.Now())
	alone := &transaction.Transaction{UTF8: t.asked.UTF8, End: lastEnd(w.jobs)}
	alone.Add(belief.Proof, proof, domainOf(proof))
	p.mu.Unlock()
	err := w.session.mail.Run(w.ctx, alone)
	p.mu.Lock()
	defer p.mu.Unlock()
	defer w.done(nil)
	switch {
	case err != nil:
		w.session.NoteQuit()
		h.limits.failed(w.use(nil), time.Now())
		w.askAgain(t, open, true)
	case alone.Outcome.Named[0].Accepted():
		h.noteAccepted(p, proof)
		t.judge.Host.First = h.first.Words()
		if t.found.MayBeHostile {
			known := !accepted && h.accepts() // from now on: the next transaction names it
			w.askAgain(t, open, !known)
			return
		}
		w.proved(t, open, proof)
	case accepted: // the proof, or one of those that it refuses now
		w.noteHostile(w.use(nil), time.Now())
		w.askAgain(t, open, true)
	default:
		w.postpone(t, open, h.accepts())
	}
}

// proved answers open refusals behind which a mailbox was accepted, if that is
// their proof. In a session with others, the host may refuse everybody for the
// rest of the session. The pool's lock is held.
func (w *worker) proved(t *talk, open []openRefusal, proof string) {
	for _, o := range open {
		switch {
		case t.judge.Proves(proof, slices.Index(t.jobs, o.job)):
			o.session.Unproven = false
			o.job.finish(result{session: o.session})
		case t.said.Company():
			w.askAgain(t, []openRefusal{o}, true)
		default:
			w.postpone(t, []openRefusal{o}, w.host.acceptsOthers())
		}
	}
}

// noteHostile notes that the host refused a mailbox that it had accepted
// before. The pool's lock is held.
func (w *worker) noteHostile(u use, now time.Time) {
	w.host.limits.hostile(u, now)
	w.host.window.AtLimit(w.host.alive, w.began, now)
	w.troubled, w.retired = true, true
}

// askAgain lets the jobs of open refusals wait to be asked again. They are in
// smaller transactions then, and in the end alone, unless a proof is known from
// now on: so this ends. The pool's lock is held.
func (w *worker) askAgain(t *talk, open []openRefusal, smaller bool) {
	for _, o := range slices.Backward(open) {
		j := o.job
		if t.said.Alone || w.over(t, j) { // alone: that was the last word
			j.finish(result{session: o.session})
			continue
		}
		if smaller {
			j.failed(len(open))
		}
		w.pool.resubmit(w.host, j, t.said.Company())
	}
}

// postpone puts open refusals off until the host has accepted somebody, unless
// it has meanwhile: nothing can be proven before. The pool's lock is held.
func (w *worker) postpone(t *talk, open []openRefusal, meanwhile bool) {
	h := w.host
	for _, o := range open {
		if w.over(t, o.job) {
			o.job.finish(result{session: o.session})
			continue
		}
		o.job.worker, o.since = nil, time.Now()
		h.deferred = append(h.deferred, o)
	}
	if meanwhile {
		w.pool.askDeferred(h)
	}
}

// askDeferred lets the jobs of deferred refusals wait to be asked again. The
// pool's lock is held.
func (p *Pool) askDeferred(h *mailHost) {
	for _, o := range slices.Backward(h.deferred) {
		p.resubmit(h, o.job, true)
	}
	h.deferred = nil
}

// giveUpDeferred answers the refusals that cannot be proven, when nobody else
// is asked about who might be accepted. The pool's lock is held.
func (h *mailHost) giveUpDeferred() {
	idle := len(h.waiting)+h.underWay == 0
	h.deferred = slices.DeleteFunc(h.deferred, func(o openRefusal) bool {
		over := idle || time.Since(o.since) > deferLasts
		if over {
			o.job.finish(result{session: o.session})
		}
		return over
	})
}

// pauseHostile notes that the host refuses everybody, even a mailbox that is
// first and alone in a session: asking again would make it worse. Callers that
// can wait do so until it may accept mailboxes again; after [maxHostile] times
// in a row they are answered like the others. The pool's lock is held.
func (p *Pool) pauseHostile(t *talk) {
	h := t.host
	h.window.Shut(time.Now())
	h.hostile++
	h.failed = newHostileSession(t)
	h.failed.waits = h.hostile < maxHostile
	h.notBefore = time.Now().Add(failureLasts)
	h.failWaiting(h.failed.answer)
}
