package smtpprobe

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// settle gives the jobs of a transaction their answers, or lets them wait to be
// asked again.
func (w *worker) settle(t *transaction, err error) {
	failure := t.failure(err)
	if err != nil {
		w.session.NoteQuit()
	}
	t.classify()
	fates := w.decide(t)
	var open []openRefusal
	for i, j := range t.jobs {
		switch fates[i] {
		case final:
			j.finish(result{session: t.account(i, t.failureOf(i, failure))})
		case unproven, awaitsProof:
			session := t.account(i, t.failureOf(i, failure))
			session.Unproven = true
			if fates[i] == unproven {
				j.finish(result{session: session})
				continue
			}
			open = append(open, openRefusal{job: j, answer: result{session: session}, shared: t.company()})
		}
	}
	w.session.logEnd(failure)
	w.keepOpen(t, open)
}

// decide tells what becomes of each job, and lets those wait that are to be
// asked again.
func (w *worker) decide(t *transaction) []fate {
	p := w.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	defer w.done()
	now := time.Now()
	h := w.host
	h.wellAt = now
	if t.trouble == noTrouble && t.anyTooMany() {
		t.trouble = tooMany
	}
	fates := make([]fate, len(t.jobs))
	alone := map[string]bool{} // wordings about which one job is asked alone
	for i := range t.jobs {
		fates[i] = t.fate(i)
		if fates[i] == againAlone && t.trouble <= notAsked {
			sort := sortOf(&t.named[i])
			if alone[sort] {
				fates[i] = again
			}
			alone[sort] = true
		}
	}
	p.learn(w, t, now)
	for i, j := range slices.Backward(t.jobs) { // each goes in front of those behind it
		shared := t.company()
		over := j.left(now) || w.ctx.Err() != nil || !shared && j.late(now)
		if over && (fates[i] == again || fates[i] == againAlone) {
			fates[i] = t.noTimeFor(i)
		}
		switch fates[i] {
		case again, againAlone:
			if t.trouble != tooMany && (t.trouble != fellSilent || t.stopped < 0 || t.stopped >= len(t.jobs)) {
				j.failed(t.trouble, len(t.jobs)) // else it was the number, or the other mailbox
			}
			j.alone = fates[i] == againAlone || j.tries >= maxTries || len(t.jobs) == 1
			p.resubmit(h, j, shared)
		case awaitsProof:
			h.underWay++
		default:
			j.queue(false) // before finish, which has no lock
		}
	}
	w.stopAsking(t, now)
	return fates
}

// stopAsking answers the jobs that wait for a host that has shown that it
// cannot be asked for the moment: it refuses everybody, or never answered about
// a recipient. The pool's lock is held.
func (w *worker) stopAsking(t *transaction, now time.Time) {
	h := w.host
	if t.trouble == notAsked && !h.limits.trusted[lacksSMTPUTF8] {
		w.retired = true // a session of another machine, perhaps, is next
	}
	if t.proof.known && t.turned() {
		h.limits.turned(w.use(t), now)
		h.window.Crowded(h.alive, w.began, now)
		w.troubled, w.retired = true, true
		if t.alone {
			w.pool.pauseTurned(t)
		}
	}
	if !h.answers && !t.company() && t.trouble >= outOfStep && w.ctx.Err() == nil {
		if h.mute++; h.mute >= maxMute {
			h.failed = newSilentSession(t)
			h.failWaiting(h.failed.answer)
		}
	}
}

// failure notes what ended the session in the transcript.
func (t *transaction) failure(err error) *smtp.Failure {
	var failure *smtp.Failure
	switch {
	case t.trouble == notAsked:
		failure = t.withoutSMTPUTF8()
	case !errors.As(err, &failure):
		return nil
	}
	t.s.Note(failure.Error())
	if t.trouble == outOfStep {
		for i := range t.named {
			t.named[i].Reply = nil // whatever it answered, it may not have been RCPT
		}
	}
	return failure
}

// withoutSMTPUTF8 says why the question cannot be put. Where TLS was on offer
// and failed, what would be offered over TLS is unknown.
func (t *transaction) withoutSMTPUTF8() *smtp.Failure {
	if t.s.findings(t.jobs[0]).tlsUnusable() {
		return &smtp.Failure{Phase: smtp.PhaseMAIL, Kind: smtp.KindTLS, Text: "SMTPUTF8 is not offered without TLS"}
	}
	p := t.s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	shown := t.host.limits.trusted
	if shown[offersSMTPUTF8] || !t.alone && !shown[lacksSMTPUTF8] {
		const text = "SMTPUTF8 is not offered in this session"
		return &smtp.Failure{Phase: smtp.PhaseMAIL, Kind: smtp.KindProtocol, Text: text}
	}
	return &smtp.Failure{Phase: smtp.PhaseMAIL, Kind: smtp.KindSMTPUTF8, Text: "SMTPUTF8 is not offered"}
}

// failureOf is the failure as it concerns a job: one whose recipients were all
// answered has none.
func (t *transaction) failureOf(i int, failure *smtp.Failure) *smtp.Failure {
	control, reply := t.controlOf(t.jobs[i]), t.named[i].Reply
	switch {
	case reply != nil && (control == nil || control.Reply != nil):
		return nil
	case reply == nil && failure == nil && t.mail.accepted():
		const text = "the answer was not believed, and there was no time for a second one"
		return &smtp.Failure{Phase: smtp.PhaseRCPT, Kind: smtp.KindProtocol, Text: text}
	}
	return failure
}

// classify reads the replies.
func (t *transaction) classify() {
	p := t.s.pool
	for i := range t.named {
		if r := &t.named[i]; r.Reply != nil {
			mailbox := r.mailbox
			if r.role == isControl {
				mailbox = "@" + r.domain // as package engine reads it
			}
			r.class = p.read(t.s, smtp.PhaseRCPT, *r.Reply, mailbox)
		}
	}
	if t.mail.Reply != nil && t.mail.Reply.Refused() {
		t.mail.class = p.read(t.s, smtp.PhaseMAIL, *t.mail.Reply, "")
	}
}

func (p *Pool) read(s *session, phase smtp.Phase, reply smtp.Reply, mailbox string) replies.Class {
	return p.config.Classifier.Read(replies.Input{
		Phase: phase, Reply: reply, Host: hostName(s.route.host), Mailbox: mailbox, Sender: s.mailFrom,
	}).Class
}

// account is what came of the transaction for a job.
func (t *transaction) account(i int, failure *smtp.Failure) *Session {
	j, r := t.jobs[i], &t.named[i]
	found := t.s.findings(j)
	found.MAIL, found.Failure, found.Target = t.mail.Reply, failure, r.Reply
	found.Recipients = r.before
	control := t.controlOf(j)
	if control != nil && control.role == isCanary && control.class != replies.ClassNoSuchUser && control.class != replies.ClassOK {
		control = nil // it was about something else this time
	}
	switch {
	case control != nil:
		found.Control = control.Reply
	case found.Target != nil:
		found.Control, found.ControlShared = j.control, j.control != nil
	}
	if !t.company() && t.proof.mailbox == "" {
		found.Transcript = t.s.Transcript(false)
		return found
	}
	parts := []wire.Exchange{t.mail.Exchange, r.Exchange}
	if control != nil {
		parts = append(parts, control.Exchange)
	}
	found.Transcript = t.s.Excerpt(namedBefore(r.before), parts...)
	return found
}

// namedBefore says that others were asked about in the same session.
func namedBefore(others int) string {
	switch others {
	case 0:
		return ""
	case 1:
		return "1 other recipient has been named in this session"
	}
	return strconv.Itoa(others) + " other recipients have been named in this session"
}
