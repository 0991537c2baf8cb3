package smtpprobe

import "time"

// traits are what a host has taught us about itself.
type traits struct {
	sessions     int             // that it lets us have at a time; 0: as many as we would
	transactions int             // of one session; 0: as many as we would
	recipients   int             // of one transaction; 0: as many as we would
	named        int             // recipients of one session; 0: as many as we would
	refused      int             // recipients refused on one session before it loses patience; 0: it has not yet
	silences     int             // sessions that it fell silent in over a mailbox about which it answered elsewhere
	silentAfter  int             // recipients that the last of those had
	quitApart    bool            // a group with QUIT at its end went wrong
	cleared      string          // the wording of the last reply to RSET; empty: it is not known
	mixed        bool            // it was not always the same
	trusted      map[string]bool // refusals that it has given to the first recipient of a session, too
	until        time.Time       // forgotten then; zero: there is nothing
}

// learn notes something about the host. All of it is forgotten together, a while after the first: a host that teaches something all the time would
// never get another chance else.
func (h *mailHost) learn(lesson func(*traits)) {
	h.forgetTraits()
	if h.traits.until.IsZero() {
		h.traits.until = time.Now().Add(traitsLast)
	}
	lesson(&h.traits)
}

// forgetTraits forgets what is too old to be believed.
func (h *mailHost) forgetTraits() {
	if time.Now().After(h.traits.until) {
		h.traits = traits{}
	}
}

// trust notes that a host gives a refusal of this sort to first recipients, too: it is not about the length of a session.
func (h *mailHost) trust(sort string) {
	h.learn(func(t *traits) {
		if t.trusted == nil || len(t.trusted) == maxTrusted {
			t.trusted = make(map[string]bool)
		}
		if !t.trusted[sort] {
			t.trusted[sort] = true
			t.named = 0 // what was taken for impatience may have been this
		}
	})
}

// heedCleared notes the words that a host has for RSET, so that they show from a session's first transaction on whether its replies are in step.
// Where they differ, as those of several machines behind one address may, they show nothing.
func (h *mailHost) heedCleared(words string) {
	h.learn(func(t *traits) {
		t.mixed = t.mixed || t.cleared != "" && t.cleared != words
		t.cleared = words
	})
}

// usualCleared is the wording of all replies to RSET; empty: it is not known, or not always the same.
func (t *traits) usualCleared() string {
	if t.mixed {
		return ""
	}
	return t.cleared
}

// heed notes where in a flight the host had enough, so that the next ones stop short of it.
func (h *mailHost) heed(f *flight, failure *Failure) {
	switch {
	case f.unasked, f.elsewhere, f.cutOff(failure):
	case f.s.conn.left && (failure != nil || f.mail.reply == nil || refusal(*f.mail.reply) != nil):
		h.learn(func(t *traits) { t.quitApart = true }) // it may have been that: some take it for the end of everything
	case f.cutShort:
		h.learn(func(t *traits) { t.named = max(1, f.s.recipients/2) })
	case failure != nil && failure.Kind == KindProtocol:
		h.learn(func(t *traits) { t.recipients = 1 })
	case f.mail.reply == nil, refusal(*f.mail.reply) != nil:
		if !f.fresh {
			h.learn(func(t *traits) { t.transactions = max(1, f.s.transactions-1) })
		}
	default:
		h.heedRecipients(f, failure)
	}
}

// cutOff reports whether it was not the host that ended the flight: who asked had given up, or had no more time.
func (f *flight) cutOff(failure *Failure) bool {
	return failure != nil && (failure.Kind == KindCancelled || failure.Kind == KindTimeout && f.s.hurried)
}

// heedRecipients looks for the first recipient who was one too many.
func (h *mailHost) heedRecipients(f *flight, failure *Failure) {
	for i := range f.named {
		r := &f.named[i]
		switch {
		case r.before == 0, r.unplaced, r.reply == nil && failure == nil, r.reply != nil && refusal(*r.reply) == nil:
			continue
		case f.wornOut && r.reply != nil && r.reply.Code == replyServiceClosing:
			return
		case i > 0 && r.reply != nil && limited(*r.reply):
			h.learn(func(t *traits) { t.recipients = i })
			return
		case r.reply == nil && failure.Kind == KindTimeout:
			return // it may be that mailbox
		case r.reply == nil, r.reply.Code == replyServiceClosing, limited(*r.reply), !f.believes(r):
			h.learn(func(t *traits) { t.named = r.before })
			return
		}
	}
}
