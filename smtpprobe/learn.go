//go:build !plan

package smtpprobe

import (
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/dialogue"
	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// learn notes what a transaction has shown about the host, its domains and its
// provider. The pool's lock is held.
func (p *Pool) learn(w *worker, t *transaction, now time.Time) {
	h, u := w.host, w.use(t)
	if t.Slow {
		h.limits.slowedDown(now)
	}
	switch t.Trouble {
	case dialogue.NotAsked:
		if t.Alone {
			h.limits.trust(belief.LacksSMTPUTF8, now)
		}
	case dialogue.CutOff:
	case dialogue.None:
		h.limits.succeeded(u)
		if len(h.waiting) > 0 && h.sessions >= h.sessionsFor() {
			h.window.Succeeded(now)
			p.openSessions(h)
		}
		p.learnFromAll(w, t, now)
	case dialogue.TooMany:
		h.limits.recipients.halve(len(t.jobs))
		h.limits.touch(now)
	case dialogue.Failed:
		h.trials.fail(t.Trial(), now)
	case dialogue.MAILRefused:
		if !t.Fresh {
			h.limits.failed(u, now)
		}
	case dialogue.FellSilent:
		h.limits.recipients.halve(len(t.jobs))
		h.limits.touch(now)
	default:
		h.limits.failed(u, now)
	}
	if t.putOff() {
		h.window.AtLimit(h.alive, w.began, now)
	}
	w.troubled = w.troubled || t.Trouble > dialogue.MAILRefused
	if !t.Began.IsZero() {
		h.perRecipient = time.Since(t.Began) / time.Duration(len(t.Named))
	}
	if t.Fresh && t.MAIL.Class != "" {
		p.note(t.s, t.Named[0].Domain, t.MAIL, true)
	}
	if t.MAIL.Refused() && t.MAIL.Reply.Code == replyTLSRequired {
		h.trials.wanted(wire.STARTTLS, now)
	}
	if t.Named[0].Reply != nil && t.s.Grouped {
		h.trials.pass(wire.PIPELINING, now)
	}
	for i := range t.Named {
		r := &t.Named[i]
		if r.Reply == nil {
			continue
		}
		h.answers = true
		if t.Tells(r) {
			p.noteRecipient(t.s, r)
		}
	}
	p.noted(t.s.paced)
}

// learnFromAll notes what the replies of a transaction that is in step have
// shown.
func (p *Pool) learnFromAll(w *worker, t *transaction, now time.Time) {
	h := w.host
	for i := range t.Named {
		r := &t.Named[i]
		if r.Reply == nil {
			continue
		}
		h.asked++
		if !r.Accepted() {
			h.refused++
		}
		switch {
		case r.Role == dialogue.Target && r.Class == replies.ClassOK:
			h.noteAccepted(p, r.Mailbox)
		case r.Role == dialogue.Proof && r.Accepted():
			h.noteAccepted(p, r.Mailbox)
		}
		if !r.Accepted() && (r.Before == 0 || t.Alone && (!r.Nameless() || r.AcceptsBehind())) {
			h.limits.trust(belief.SortOf(r), now)
			if words := belief.WordingOf(r); !h.first.said.Same(words) {
				h.limits.trust(words.String(), now)
			}
		}
		if r.IsControl() && !t.Doubts(r) {
			p.domains.note(h.key.addr, r.Domain, controlAnswer{r.Reply, r.Behind}, t.final(r))
		}
	}
	if t.Alone && t.Contradicted(0) {
		h.limits.trust(belief.Confirmed, now) // it means its refusal beside an accepted control
	}
}

// final reports whether the answer about a control is clear about whether the
// host takes every address, or will not be clearer when it is asked for again.
func (t *transaction) final(control *dialogue.Recipient) bool {
	return saysWhether(control.Class) || control.Behind != nil ||
		control.Role == dialogue.Control && control.Nameless() && t.Alone && t.Named[0].Accepted()
}

// putOff reports whether the host put the session off, with 421 or for a
// policy (X.7.z, RFC 3463 §3.8), before anybody was refused in it: not for what
// it was used for. Greylisting is about the mailbox.
func (t *transaction) putOff() bool {
	if !t.Fresh {
		return false
	}
	for _, e := range []dialogue.Exchange{t.MAIL, t.Named[0].Exchange} {
		if r := e.Reply; r != nil && r.Refused() && e.Class != replies.ClassGreylisted {
			return r.Code == smtp.CodeServiceClosing || strings.HasPrefix(r.Enhanced, "4.7.")
		}
	}
	return false
}

// noteOpening notes what a session that did not get as far as MAIL has shown
// about the provider.
func (p *Pool) noteOpening(s *session) {
	o := s.Opening()
	for phase, reply := range map[smtp.Phase]*smtp.Reply{smtp.PhaseGreeting: o.Greeting, smtp.PhaseEHLO: o.EHLO} {
		if reply != nil && reply.Refused() {
			said := dialogue.Exchange{Exchange: wire.Exchange{Reply: reply}, Class: s.read(phase, *reply, "").Class}
			p.note(s, hostName(s.route.host), said, true)
		}
	}
	p.noted(s.paced)
}
