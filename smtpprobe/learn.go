package smtpprobe

import (
	"net/netip"
	"time"
)

// learn notes what a flight has shown about the host, its domains and its provider. The pool's lock is held.
func (p *Pool) learn(w *worker, f *flight, failure *Failure) {
	h, s := w.host, f.s
	least, _ := p.config.Session.refusals()
	switch {
	case f.impatient(), failure != nil && failure.Kind != KindTimeout && s.refused > least && !f.cutOff(failure):
		h.impatientAt(least)
	case failure == nil && !f.unasked:
		h.flights++
	case f.suspect(failure) >= 0:
		h.flights = 0 // who is in company with a silent mailbox is asked about again
	}
	if f.confirmed && failure == nil {
		h.trustDomain(f.asks[0].domain)
	}
	if a := f.asks[0]; a.silent != nil && failure == nil && time.Since(f.began) < silence {
		h.fellSilent(a.silent, least)
	}
	if !f.began.IsZero() {
		h.perRecipient = time.Since(f.began) / time.Duration(len(f.named))
	}
	h.fade()
	for i := range f.named {
		r := &f.named[i]
		if r.reply == nil {
			continue
		}
		h.asked++
		if refusal(*r.reply) != nil {
			h.refused++
		}
		switch {
		case refusal(*r.reply) == nil:
		case r.before == 0 && !s.conn.left:
			h.trust(sortOf(r))
		case r.reply.Code == replyServiceClosing && s.refused > leastPatience:
			f.wornOut = s.refused > h.traits.refused
			h.impatientAt(max(leastPatience, s.refused*9/10))
		}
		if r.control && !f.doubtsControl(r) {
			p.domains.note(h.key.addr, r.domain, *r.reply, r.class)
		}
		if f.tells(r) {
			p.providers.note(s.provider, r.domain, r.class)
		}
	}
	h.heed(f, failure)
	if s.cleared != "" {
		h.heedCleared(s.cleared)
	}
	if f.fresh && f.mail.class != "" && !s.conn.left {
		p.providers.note(s.provider, f.named[0].domain, f.mail.class)
	}
}

// tells reports whether a reply says something about how the provider takes to us, and not about the length of the session, of which we have
// made too much.
func (f *flight) tells(r *recipient) bool {
	return r.before == 0 || refusal(*r.reply) == nil || r.reply.Code != replyServiceClosing && !limited(*r.reply) && f.believes(r)
}

// classify reads the replies of a flight.
func (f *flight) classify() {
	p := f.s.pool
	for i := range f.named {
		if r := &f.named[i]; r.reply != nil {
			mailbox := r.mailbox
			if r.control {
				mailbox = "@" + r.domain // as whoever judges it later reads it
			}
			r.class = p.read(f.s, PhaseRCPT, *r.reply, mailbox)
		}
	}
	if f.mail.reply != nil && refusal(*f.mail.reply) != nil {
		f.mail.class = p.read(f.s, PhaseMAIL, *f.mail.reply, "")
	}
}

// noteOpening notes what a session that did not get as far as MAIL has shown about the provider.
func (p *Pool) noteOpening(s *session) {
	for phase, reply := range map[Phase]*Reply{PhaseGreeting: s.Greeting, PhaseEHLO: s.EHLO} {
		if reply != nil && refusal(*reply) != nil {
			p.providers.note(s.provider, s.Host, p.read(s, phase, *reply, ""))
		}
	}
}

// domainBook remembers whether mail hosts take every address in a domain, so that a long list does not ask that for each of its addresses.
type domainBook map[domainKey]*domainNote

// domainKey names the host, too: a backup may take what the others would refuse.
type domainKey struct {
	host   netip.AddrPort
	domain string
}

type domainNote struct {
	reply Reply
	until time.Time
	uses  int
}

// control returns the reply to an earlier control of the domain; nil: none is known, or it is time to ask again.
func (b domainBook) control(host netip.AddrPort, domain string) *Reply {
	key := domainKey{host, domain}
	n := b[key]
	if n == nil {
		return nil
	}
	if n.uses++; n.uses > controlUses || time.Now().After(n.until) {
		delete(b, key)
		return nil
	}
	return &n.reply
}

// note keeps a reply to a control that is clear about whether the host takes every address.
func (b domainBook) note(host netip.AddrPort, domain string, reply Reply, class Class) {
	if class != ClassOK && class != ClassNoSuchUser || size(reply) > maxBriefReply {
		return
	}
	if len(b) >= maxDomainNotes {
		b.shrink()
	}
	b[domainKey{host, domain}] = &domainNote{reply: *briefReply(&reply), until: time.Now().Add(controlLasts)}
}

// shrink drops what is out of date, and if that is little, half of the rest: it can be asked again.
func (b domainBook) shrink() {
	now, n := time.Now(), 0
	for key, note := range b {
		if now.After(note.until) || n%2 == 0 {
			delete(b, key)
		}
		n++
	}
}
