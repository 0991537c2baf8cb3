//go:build !plan

package smtpprobe

import (
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/belief"
	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// learn notes what a transaction has shown about the host, its domains and its
// provider. The pool's lock is held.
func (p *Pool) learn(w *worker, t *talk, now time.Time) {
	h, u := w.host, w.use(t)
	if t.asked.Slow {
		h.limits.slowedDown(now)
	}
	switch t.found.Trouble {
	case belief.NotAsked, belief.CutOff:
	case belief.None:
		h.limits.succeeded(u)
		if len(h.waiting) > 0 && h.sessions >= h.sessionsFor() {
			h.window.Succeeded(now)
			p.openSessions(h)
		}
		h.count(t)
	case belief.TooMany:
		h.limits.recipients.halve(len(t.jobs))
		h.limits.touch(now)
	case belief.FailedTrial:
		h.trials.fail(t.asked.Trial, now)
	case belief.MAILRefused:
		if !t.said.Fresh {
			h.limits.failed(u, now)
		}
	case belief.FellSilent:
		h.limits.recipients.halve(len(t.jobs))
		h.limits.touch(now)
	default:
		h.limits.failed(u, now)
	}
	if t.found.PutOff {
		h.window.AtLimit(h.alive, w.began, now)
	}
	w.troubled = w.troubled || t.found.Trouble > belief.MAILRefused
	if !t.asked.Began.IsZero() {
		h.perRecipient = time.Since(t.asked.Began) / time.Duration(len(t.said.Named))
	}
	if t.said.Fresh && t.said.MAIL.Class != "" {
		p.note(t.s, t.said.Named[0].Domain, t.said.MAIL, true)
	}
	if t.said.MAIL.Refused() && t.said.MAIL.Reply.Code == replyTLSRequired {
		h.trials.wanted(wire.STARTTLS, now)
	}
	if t.asked.Grouped {
		h.trials.pass(wire.PIPELINING, now)
	}
	p.learnFindings(h, t, now)
	h.answers = h.answers || t.said.Answered()
	for _, i := range t.found.Tells {
		p.noteRecipient(t.s, &t.said.Named[i])
	}
	p.noted(t.s.paced)
}

// count notes how many recipients the host was asked about, and refused.
func (h *mailHost) count(t *talk) {
	for i := range t.said.Named {
		switch r := &t.said.Named[i]; {
		case r.Reply == nil:
			continue
		case !r.Accepted():
			h.refused++
		}
		h.asked++
	}
}

// learnFindings notes what a transaction has proved.
func (p *Pool) learnFindings(h *mailHost, t *talk, now time.Time) {
	for _, i := range t.found.Accepted {
		h.noteAccepted(p, t.said.Named[i].Mailbox)
	}
	for _, what := range t.found.Shown {
		h.limits.trust(what, now)
	}
	for _, i := range t.found.Controls {
		r := &t.said.Named[i]
		p.domains.note(h.key.addr, r.Domain, controlAnswer{r.Reply, r.Behind})
	}
}

// noteOpening notes what a session that did not get as far as MAIL has shown
// about the provider.
func (p *Pool) noteOpening(s *session) {
	o := s.Opening()
	for phase, reply := range map[smtp.Phase]*smtp.Reply{smtp.PhaseGreeting: o.Greeting, smtp.PhaseEHLO: o.EHLO} {
		if reply != nil && reply.Refused() {
			said := belief.Said{Reply: reply, Class: s.read(phase, *reply, "").Class}
			p.note(s, hostName(s.route.host), said, true)
		}
	}
	p.noted(s.paced)
}
