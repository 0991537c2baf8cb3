package smtpprobe

import (
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// learn notes what a transaction has shown about the host, its domains and its
// provider. The pool's lock is held.
func (p *Pool) learn(w *worker, t *transaction, now time.Time) {
	h, u := w.host, w.use(t)
	switch t.trouble {
	case notAsked:
		if t.alone {
			h.limits.trust(lacksSMTPUTF8, now)
		}
	case cutOff:
	case noTrouble:
		h.limits.succeeded(u)
		if len(h.waiting) > 0 && h.sessions >= h.window.Size(now) {
			h.window.Succeeded(now)
			p.openSessions(h)
		}
		p.learnFromAll(w, t, now)
	case tooMany:
		h.limits.recipients.halve(len(t.jobs))
		h.limits.touch(now)
	case mailRefused:
		if !t.fresh {
			h.limits.failed(u, now)
		}
	case fellSilent:
		h.limits.recipients.halve(len(t.jobs))
		h.limits.touch(now)
	default:
		h.limits.failed(u, now)
	}
	if t.crowded() {
		h.window.Crowded(h.alive, w.began, now)
	}
	w.troubled = w.troubled || t.trouble > mailRefused
	if t.s.slow > 1 { // one after the other, unlike where a mailbox takes long by itself
		h.limits.slowedDown(u, now)
		w.troubled = true
	}
	if !t.began.IsZero() && len(t.named) > 0 {
		h.perRecipient = time.Since(t.began) / time.Duration(len(t.named))
	}
	if t.fresh && t.mail.class != "" {
		p.note(t.s, t.named[0].domain, t.mail, true)
	}
	for i := range t.named {
		r := &t.named[i]
		if r.Reply == nil {
			continue
		}
		h.answers = true
		if t.tells(r) {
			p.noteRecipient(t.s, r)
		}
	}
	p.noted(t.s.paced)
}

// learnFromAll notes what the replies of a transaction that is in step have
// shown.
func (p *Pool) learnFromAll(w *worker, t *transaction, now time.Time) {
	h := w.host
	h.fade()
	for i := range t.named {
		r := &t.named[i]
		if r.Reply == nil {
			continue
		}
		h.asked++
		if !r.accepted() {
			h.refused++
		}
		switch {
		case r.role == isTarget && r.class == replies.ClassOK:
			h.noteAccepted(p, r.mailbox)
		case r.role == isProof && r.accepted():
			h.noteAccepted(p, r.mailbox)
		case r.role == isProof && !t.proof.known && r.Reply.Code >= 500:
			h.noPostmaster = now
		}
		if !r.accepted() && (r.before == 0 || t.alone) {
			h.limits.trust(sortOf(r), now)
		}
		if r.isControl() && !t.doubtsControl(r) {
			p.domains.note(h.key.addr, r.domain, *r.Reply, r.class)
		}
	}
	if t.alone && t.contradicted(0) {
		h.limits.trust(confirmed, now) // it means its refusal beside an accepted control
	}
}

// crowded reports whether the host put the session off, with 421 or for a
// policy (X.7.z, RFC 3463 §3.8), before anybody was refused in it: not for what
// it was used for. Greylisting is about the mailbox.
func (t *transaction) crowded() bool {
	if !t.fresh {
		return false
	}
	for _, e := range []exchange{t.mail, t.named[0].exchange} {
		if r := e.Reply; r != nil && r.Refused() && e.class != replies.ClassGreylisted {
			return r.Code == smtp.CodeServiceClosing || strings.HasPrefix(r.Enhanced, "4.7.")
		}
	}
	return false
}

// tells reports whether a reply says something about how the provider takes to
// us, and not about the length of the session, of which we have made too much.
func (t *transaction) tells(r *recipient) bool {
	return r.before == 0 || r.accepted() ||
		r.Reply.Code != smtp.CodeServiceClosing && !limited(*r.Reply) && t.believes(r)
}

// noteOpening notes what a session that did not get as far as MAIL has shown
// about the provider.
func (p *Pool) noteOpening(s *session) {
	o := s.Opening()
	for phase, reply := range map[smtp.Phase]*smtp.Reply{smtp.PhaseGreeting: o.Greeting, smtp.PhaseEHLO: o.EHLO} {
		if reply != nil && reply.Refused() {
			said := exchange{Exchange: wire.Exchange{Reply: reply}, class: p.read(s, phase, *reply, "")}
			p.note(s, hostName(s.route.host), said, true)
		}
	}
	p.noted(s.paced)
}
