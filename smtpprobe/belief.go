package smtpprobe

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// fate is what becomes of a job after a transaction.
type fate int

const (
	final       fate = iota
	awaitsProof      // refused, and nobody was accepted behind it yet
	unproven         // final: refused, and the host gave no proof that it still accepts anybody
	again            // in a smaller transaction
	againAlone       // one command at a time, in a session of its own
)

// openRefusal is a refusal that counts once the session has an acceptance
// behind it, with the answer as it is without one.
type openRefusal struct {
	job    *job
	answer result
	shared bool      // others were asked about in the same session
	since  time.Time // it was put off
}

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
			open = append(open, openRefusal{job: j, answer: result{session: session}, shared: len(t.jobs) > 1 || !t.fresh})
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
	if t.trouble == noTrouble && !t.lastWord() && t.anyTooMany() {
		t.trouble = tooMany
	}
	fates := make([]fate, len(t.jobs))
	alone := map[string]bool{} // wordings about which one job is asked alone
	for i := range t.jobs {
		fates[i] = t.fate(i)
		if fates[i] == againAlone && t.trouble == noTrouble {
			sort := sortOf(&t.named[i])
			if alone[sort] {
				fates[i] = again
			}
			alone[sort] = true
		}
	}
	p.learn(w, t, now)
	for i, j := range slices.Backward(t.jobs) { // each goes in front of those behind it
		shared := len(t.jobs) > 1 || !t.fresh
		if (fates[i] == again || fates[i] == againAlone) && (j.gone || w.ctx.Err() != nil || !shared && j.late(now)) {
			t.noTimeFor(i)
			fates[i] = final
		}
		switch fates[i] {
		case again, againAlone:
			if t.trouble != tooMany && (t.trouble != fellSilent || t.silent < 0 || t.silent >= len(t.jobs)) {
				j.tries++ // else it was the number, or the other mailbox
			}
			j.alone = fates[i] == againAlone || j.tries >= maxTries || len(t.jobs) == 1
			p.resubmit(h, j, shared)
		case awaitsProof:
			h.open++
		default:
			j.queue(false) // before tell, which has no lock
		}
	}
	if t.known && t.turned() {
		h.limits.turned(w.use(t), now)
		w.troubled, w.retired = true, true
		if t.plain {
			p.pauseTurned(t)
		}
	}
	if t.lastWord() && !h.answers && t.trouble >= outOfStep && w.ctx.Err() == nil {
		h.failed = newSilentSession(t)
		h.failWaiting(h.failed.answer)
	}
	return fates
}

// lastWord reports whether what comes of the transaction is the answer,
// whatever it is: it had one job, asked about as plainly as can be.
func (t *transaction) lastWord() bool { return t.plain && t.fresh }

// fate decides what becomes of job i. The pool's lock is held.
func (t *transaction) fate(i int) fate {
	r := &t.named[i]
	first := t.fresh && len(t.jobs) == 1
	switch {
	case t.trouble == notAsked:
		return final
	case t.trouble == cutOff:
		t.noTimeFor(i)
		return final
	case t.trouble == noTrouble:
		return t.believe(i)
	case t.lastWord():
		return t.lastFate(i)
	case t.trouble == mailRefused && t.fresh:
		return final
	case t.trouble == fellSilent && t.silent == i && (t.fresh || i > 0):
		return final // the mailbox owns that timeout
	case first && !t.misplaced && (r.Reply == nil || r.Reply.Code == smtp.CodeServiceClosing):
		return final // nobody else can be to blame
	case t.fresh && t.mail.Reply == nil && t.trouble != outOfStep:
		return final // the session was over before it began
	}
	return again
}

// believe tells what a reply in a transaction that is in step proves.
func (t *transaction) believe(i int) fate {
	r := &t.named[i]
	switch {
	case t.lastWord():
		return t.lastFate(i)
	case t.contradicted(i) && !t.host.limits.trusted[confirmed]:
		return againAlone
	case t.fresh && len(t.jobs) == 1:
	case !t.believes(r), r.accepted() && t.controlDoubtful(t.jobs[i]):
		return againAlone
	}
	switch {
	case !isDead(r.class) || t.proven(i):
		return final
	case t.known && t.turned(), t.mayHaveTurned():
		return again
	}
	return awaitsProof
}

// mayHaveTurned reports whether the host accepted mailboxes of the transaction
// and refused so many of them that it may have turned for its rest. What it
// accepts in the next one then proves nothing: Exim's $rcpt_fail_count, for
// example, begins anew with each MAIL. Asked again, they bring a proof along.
func (t *transaction) mayHaveTurned() bool {
	refused := 0
	for _, r := range t.named[:len(t.jobs)] {
		if r.Reply != nil && isDead(r.class) {
			refused++
		}
	}
	return !t.provesItself && refused > freeRefusals && t.anyAccepted()
}

// noTimeFor drops a reply that is not believed, where there is no time to ask
// again.
func (t *transaction) noTimeFor(i int) {
	if r := &t.named[i]; t.trouble != noTrouble || t.contradicted(i) {
		r.dropped, r.Reply = r.Reply != nil, nil
	}
}

// lastFate is that of a job which is not asked about again.
func (t *transaction) lastFate(i int) fate {
	if r := &t.named[i]; r.Reply != nil && isDead(r.class) && !t.proven(i) {
		if t.proof == "" || !t.known {
			return awaitsProof // of another session
		}
		return unproven
	}
	return final
}

// isDead reports whether a class says that a mailbox takes no mail for good.
func isDead(c replies.Class) bool {
	return c == replies.NoSuchUser || c == replies.Disabled || c == replies.Moved
}

// proven reports whether the refusal of target i counts: a mailbox behind it
// was accepted, or the host accepted nobody yet and it is among the first few
// that it hears.
func (t *transaction) proven(i int) bool {
	for j := i + 1; j < len(t.named); j++ {
		if t.named[j].accepted() {
			return true
		}
	}
	h := t.host
	undisturbed := h.heard == t.heard+len(t.named) // by sessions beside this one
	return t.fresh && undisturbed && len(h.accepted) == 0 && t.heard+t.named[i].before < freeRefusals
}

// turned reports whether the host refused a mailbox that it had accepted.
func (t *transaction) turned() bool {
	return slices.ContainsFunc(t.named, func(r recipient) bool { return r.role == isProof && r.Reply != nil && r.Reply.Code >= 500 })
}

// anyAccepted reports whether a mailbox was, whoever's.
func (t *transaction) anyAccepted() bool {
	return t.trouble == noTrouble && slices.ContainsFunc(t.named, func(r recipient) bool { return r.accepted() })
}

// anyTooMany reports whether a recipient was refused for being one too many.
func (t *transaction) anyTooMany() bool {
	return len(t.jobs) > 1 && slices.ContainsFunc(t.named[1:], func(r recipient) bool {
		return r.Reply != nil && (limited(*r.Reply) || r.class == replies.RateLimited) && !t.believes(&r)
	})
}

// confirmed is what a host has shown, as [hostLimits.trusted] has it, that
// refuses a mailbox in a domain whose control it accepts and means it.
const confirmed = "refused beside an accepted control"

// contradicted reports whether a target was refused for good in a domain whose
// control was accepted.
func (t *transaction) contradicted(i int) bool {
	control := t.jobs[i].control
	if r := t.controlOf(t.jobs[i]); r != nil {
		control = r.Reply
	}
	reply := t.named[i].Reply
	return reply != nil && reply.Code >= 500 && control != nil && !control.Refused()
}

// doubtsControl reports whether a target of the control's domain is to be asked
// about again because the control was accepted.
func (t *transaction) doubtsControl(control *recipient) bool {
	for i := range t.jobs {
		if t.named[i].domain == control.domain && t.contradicted(i) && !t.host.limits.trusted[confirmed] {
			return true
		}
	}
	return false
}

// controlDoubtful reports whether the control was refused in a way that may be
// about the session.
func (t *transaction) controlDoubtful(j *job) bool {
	control := t.controlOf(j)
	return control != nil && !t.canary && (control.Reply == nil || !t.believes(control))
}

// believes reports whether a reply to a recipient that was not the first of the
// session is about the mailbox: it says what is the matter with it, or the host
// says the same to one that is alone.
func (t *transaction) believes(r *recipient) bool {
	switch r.class {
	case replies.OK, replies.OKUnverified, replies.NoSuchUser, replies.Disabled, replies.Moved, replies.MailboxFull:
		return true
	case replies.Greylisted:
		return true // to ask again at once would not help, and is what greylisting is against
	}
	return r.before == 0 || t.host.limits.trusted[sortOf(r)]
}

// sortOf is the sort of a refusal.
func sortOf(r *recipient) string {
	if r.Reply == nil {
		return ""
	}
	return strconv.Itoa(r.Reply.Code) + " " + r.Reply.Enhanced + " " + string(r.class)
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
	return &smtp.Failure{Phase: smtp.PhaseMAIL, Kind: smtp.KindSMTPUTF8, Text: "SMTPUTF8 is not offered"}
}

// failureOf is the failure as it concerns a job: one whose recipients were all
// answered has none.
func (t *transaction) failureOf(i int, failure *smtp.Failure) *smtp.Failure {
	control := t.controlOf(t.jobs[i])
	if t.named[i].dropped && failure == nil {
		return &smtp.Failure{Phase: smtp.PhaseRCPT, Kind: smtp.KindProtocol, Text: "the answer was not believed, and there was no time for a second one"}
	}
	if t.named[i].Reply != nil && (control == nil || control.Reply != nil) {
		return nil
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
				mailbox = "@" + r.domain // as whoever judges it later reads it
			}
			r.class = p.read(t.s, smtp.PhaseRCPT, *r.Reply, mailbox)
		}
	}
	if t.mail.Reply != nil && t.mail.Reply.Refused() {
		t.mail.class = p.read(t.s, smtp.PhaseMAIL, *t.mail.Reply, "")
	}
}

func (p *Pool) read(s *session, phase smtp.Phase, reply smtp.Reply, mailbox string) replies.Class {
	return p.config.Classifier.Read(replies.Input{Phase: phase, Reply: reply, Host: hostName(s.route.host), Mailbox: mailbox, Sender: p.config.MailFrom}).Class
}
