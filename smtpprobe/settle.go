//go:build !plan

package smtpprobe

import (
	"errors"
	"slices"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// settle gives the jobs of a transaction their answers, or lets them wait to be
// asked again.
func (w *worker) settle(t *talk, err error) {
	failure := t.failure(err)
	if err != nil {
		w.session.NoteQuit()
	}
	fates := w.decide(t)
	var open []openRefusal
	for i, j := range t.jobs {
		switch fates[i] {
		case belief.Final, belief.Unproven, belief.Dropped:
			j.finish(result{session: t.account(i, fates[i], failure)})
		case belief.AwaitsProof:
			open = append(open, openRefusal{job: j, session: t.account(i, fates[i], failure)})
		}
	}
	w.session.logEnd(failure)
	switch {
	case len(open) == 0:
	case err == nil && !w.session.mail.Unreset && !t.said.Names(belief.Proof):
		w.prove(t, open)
	case err == nil && !t.said.Alone && t.found.ProofAccepted: // but it proves nothing for their words
		w.pool.mu.Lock()
		w.postpone(t, open, w.host.acceptsOthers())
		w.done(nil)
		w.pool.mu.Unlock()
	default:
		w.pool.mu.Lock()
		w.askAgain(t, open, true)
		w.done(nil)
		w.pool.mu.Unlock()
	}
}

// decide tells what becomes of each job, and lets those wait that are to be
// asked again.
func (w *worker) decide(t *talk) []belief.Fate {
	p := w.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	h := w.host
	h.wellAt = now
	w.judge(t, now)
	p.learn(w, t, now)
	fates := t.found.Fates
	var open []*job
	for i, j := range slices.Backward(t.jobs) { // each goes in front of those behind it
		if (fates[i] == belief.Again || fates[i] == belief.AgainAlone) && w.over(t, j) {
			fates[i] = t.judge.NoTimeFor(i)
		}
		switch fates[i] {
		case belief.Again, belief.AgainAlone:
			j.calls = t.asked.Calls[i]
			if t.found.Trouble != belief.None || t.found.Hostile { // else the number is no trouble
				j.failed(len(t.jobs))
			}
			j.alone = j.alone || fates[i] == belief.AgainAlone || len(t.jobs) == 1
			p.resubmit(h, j, t.said.Company())
		case belief.AwaitsProof:
			open = append(open, j)
		default:
			j.queue(false) // before finish, which has no lock
		}
	}
	w.done(open)
	w.stopAsking(t, now)
	return fates
}

// judge finds out what the transaction proves. The pool's lock is held.
func (w *worker) judge(t *talk, now time.Time) {
	h := w.host
	known := &t.judge.Host
	known.Shown, known.Accepts, known.Others = h.limits.shown, h.accepts(), h.heard != t.heard
	h.heard += t.said.Repeated
	h.paced.Named(t.said.Repeated, now)
	first, last := h.first.Ends(t.said, t.heard, h.heard)
	if h.first = first; last && h.accepts() {
		w.pool.askDeferred(h)
	}
	known.First, known.Limited = first.Words(), h.limited
	t.found = t.judge.Judge()
}

// over reports whether there is no time to ask about a job again. The pool's
// lock is held.
func (w *worker) over(t *talk, j *job) bool {
	now := time.Now()
	return j.left(now) || w.ctx.Err() != nil || !t.said.Company() && j.late(now)
}

// stopAsking answers the jobs that wait for a host that has shown that it
// cannot be asked for the moment: it refuses everybody, or never answered about
// a recipient. The pool's lock is held.
func (w *worker) stopAsking(t *talk, now time.Time) {
	h := w.host
	if t.said.Trouble == belief.NotAsked && !h.limits.shown[belief.LacksSMTPUTF8] {
		w.retired = true // a session of another machine, perhaps, is next
	}
	if t.found.Hostile || t.found.Reworded {
		w.noteHostile(w.use(t), now)
	}
	if t.found.Hostile && t.said.Alone {
		w.pool.pauseHostile(t)
	}
	h.limited = t.found.Limited
	if h.limited >= maxLimited && w.ctx.Err() == nil {
		h.failed = newLimitedSession(t)
		h.failWaiting(h.failed.answer)
	}
	if !h.answers && t.found.Mute && w.ctx.Err() == nil {
		if h.mute++; h.mute >= maxMute {
			h.failed = newSilentSession(t)
			h.failWaiting(h.failed.answer)
		}
	}
}

// failure notes what ended the session in the transcript.
func (t *talk) failure(err error) *smtp.Failure {
	var failure *smtp.Failure
	switch {
	case t.said.Trouble == belief.NotAsked:
		failure = t.withoutSMTPUTF8()
	case !errors.As(err, &failure):
		return nil
	}
	t.s.Note(failure.Error())
	return failure
}

// withoutSMTPUTF8 says why the question cannot be put. Where TLS was on offer
// and failed, what would be offered over TLS is unknown.
func (t *talk) withoutSMTPUTF8() *smtp.Failure {
	if t.s.findings(t.jobs[0]).tlsUnusable() {
		return &smtp.Failure{Phase: smtp.PhaseMAIL, Kind: smtp.KindTLS, Text: "SMTPUTF8 is not offered without TLS"}
	}
	p := t.s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	shown := t.host.limits.shown
	if shown[belief.OffersSMTPUTF8] || !t.said.Alone && !shown[belief.LacksSMTPUTF8] {
		const text = "SMTPUTF8 is not offered in this session"
		return &smtp.Failure{Phase: smtp.PhaseMAIL, Kind: smtp.KindProtocol, Text: text}
	}
	return &smtp.Failure{Phase: smtp.PhaseMAIL, Kind: smtp.KindSMTPUTF8, Text: "SMTPUTF8 is not offered"}
}

// failureOf is the failure as it concerns a job: one whose recipients were all
// answered has none.
func (t *talk) failureOf(i int, reply *smtp.Reply, failure *smtp.Failure) *smtp.Failure {
	control := t.controlFor(i)
	switch {
	case reply != nil && (control < 0 || t.said.Named[control].Reply != nil):
		return nil
	case reply == nil && failure == nil && t.said.MAIL.Accepted():
		const text = "the answer was not believed, and there was no time for a second one"
		return &smtp.Failure{Phase: smtp.PhaseRCPT, Kind: smtp.KindProtocol, Text: text}
	case reply == nil && failure != nil && failure.Kind == smtp.KindTimeout && t.hadNoTurn(i):
		return lateTurn(failure.Phase)
	}
	return failure
}

// hadNoTurn reports whether the time of a job was over while the host answered
// about others of the transaction: it was not silent.
func (t *talk) hadNoTurn(i int) bool {
	if !t.jobs[i].left(time.Now()) {
		return false
	}
	for other := range t.said.Named {
		if other != i && t.said.Named[other].Reply != nil {
			return true
		}
	}
	return false
}

// account returns the result of a transaction for a job.
func (t *talk) account(i int, fate belief.Fate, failure *smtp.Failure) *Session {
	j, r := t.jobs[i], &t.said.Named[i]
	found := t.s.findings(j)
	if t.said.Trouble == belief.FailedTrial {
		found.Trial = t.asked.Trial
	}
	if found.MAIL = t.said.MAIL.Reply; fate != belief.Dropped {
		found.Target = r.Reply
	}
	found.Failure = t.failureOf(i, found.Target, failure)
	found.Recipients, found.Unproven = r.Before, fate == belief.Unproven || fate == belief.AwaitsProof
	named := []int{i}
	if at := t.controlFor(i); at >= 0 && !t.said.Named[at].OffTopic() {
		named = append(named, at)
	}
	switch {
	case len(named) > 1:
		control := &t.said.Named[named[1]]
		found.Control, found.Behind = control.Reply, control.Behind
	case found.Target != nil && j.control != nil:
		found.Control, found.Behind, found.ControlShared = j.control.reply, j.control.behind, true
	}
	if !t.said.Company() && !t.said.Names(belief.Proof) {
		found.Transcript = t.s.Transcript(false)
		return found
	}
	found.Transcript = t.asked.Excerpt(namedBefore(r.Before), named...)
	return found
}
