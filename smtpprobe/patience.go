package smtpprobe

import "math"

// A host's patience is how many recipients it refuses in one session before it slows down or hangs up. It is not known beforehand: what a session has
// borne without a sign of impatience, the others may use up as well, and one session at a time, the explorer, goes up to twice as far, until the host
// has shown where its patience ends.

// patience is how many refused recipients a session may have, at the point where it has had so many.
func (p *Pool) patience(w *worker, refused int) int {
	h := w.host
	least, most := p.config.Session.refusals()
	if known := h.traits.refused; known > 0 {
		return min(known, most)
	}
	limit := max(least, h.borne)
	if h.explorer == w {
		limit = max(limit, 2*max(h.borne, refused))
	}
	return min(limit, most)
}

// refusals is how many refused recipients a session may have with any host, and with one that bears them.
func (c SessionCaps) refusals() (least, most int) {
	if c.Refused > 0 {
		return c.Refused, c.Refused
	}
	return defaultRefused, mostRefused
}

// explores makes a session the one that tries the host's patience, if no other does and it has not shown its end yet.
func (h *mailHost) explores(w *worker) {
	if h.explorer == nil && h.traits.refused == 0 {
		h.explorer = w
	}
}

// bore notes that a session which goes on has had so many refused recipients.
func (h *mailHost) bore(refused int) {
	if h.traits.refused == 0 {
		h.borne = max(h.borne, refused)
	}
}

// impatientAt notes that the host does not bear more than that.
func (h *mailHost) impatientAt(refused int) {
	if known := h.traits.refused; known > 0 {
		refused = min(refused, known)
	}
	h.borne = min(h.borne, refused)
	h.learn(func(t *traits) { t.refused = refused })
}

// caps bounds a session that has had so many refused recipients: by our own caps, and by what the host has taught us.
func (p *Pool) caps(w *worker, refused int) SessionCaps {
	caps, t := p.config.Session, w.host.traits
	caps.Refused = p.patience(w, refused)
	if t.transactions > 0 {
		caps.Transactions = min(caps.Transactions, t.transactions)
	}
	if t.named > 0 {
		caps.Recipients = min(caps.Recipients, t.named)
	}
	if t.silences > 1 {
		caps.Recipients = min(caps.Recipients, max(1, t.silentAfter))
	}
	return caps
}

// left is how many more recipients a session may name at all.
func (p *Pool) left(w *worker) int {
	if w.session == nil {
		return math.MaxInt // it is about to be opened
	}
	return p.caps(w, w.session.refused).Recipients - w.session.recipients
}

// room is how many recipients the next transaction of a session may have: as many as will not, going by what the host has refused so far, make it
// lose patience.
func (p *Pool) room(w *worker) int { return p.roomAfter(w, 0) }

// roomAfter is what room will be, as far as one can tell, when so many more recipients have been named.
func (p *Pool) roomAfter(w *worker, recipients int) int {
	h, s := w.host, w.session
	share := float64(h.refused+2) / float64(h.asked+4)
	refused := float64(s.refused) + float64(recipients)*share
	caps := p.caps(w, int(refused))
	likely := surely(float64(caps.Refused)-refused) / share
	return min(p.flightSize(h), max(1, int(likely)), caps.Recipients-s.recipients-recipients)
}

// fade has what the host refused of late count for more: a list has the addresses of a domain close together, and domains differ.
func (h *mailHost) fade() {
	if h.asked >= fadesAfter {
		h.asked, h.refused = h.asked/2, h.refused/2
	}
}

// surely is the number of refusals to expect when there shall hardly be more than most: chance makes n of them n ± √n.
func surely(most float64) float64 {
	root := (math.Sqrt(1+4*max(0, most)) - 1) / 2 // of n + √n = most
	return root * root
}

// exhausted reports whether a new session serves those who wait sooner than this one, because the host's patience with this one has nearly run out, or
// will have after a transaction with so many recipients: the next would bring less than a wait of the session has brought on the average, its opening
// and end included.
func (p *Pool) exhausted(w *worker, recipients int) bool {
	s, transactions := w.session, w.session.transactions
	if recipients > 0 {
		transactions++
	}
	room := p.roomAfter(w, recipients)
	return len(w.host.waiting) > room && room*(transactions+waitsAround) < s.recipients+recipients
}
