package smtpprobe

// flightSize is how many recipients a transaction with the host may have: more with each that went well.
func (p *Pool) flightSize(h *mailHost) int {
	size := min(firstFlight<<min(h.flights, 8), p.config.Session.Flight)
	if h.traits.recipients > 0 {
		size = min(size, h.traits.recipients)
	}
	if h.perRecipient > 0 {
		size = min(size, int(flightLasts/h.perRecipient))
	}
	return max(1, size)
}

// take takes the asks of the next transaction off those who wait: of the same kind as the first, and with their controls at most room recipients.
// One that must be alone goes to a fresh session, first and by itself.
func (p *Pool) take(w *worker, already []*ask, room int, fresh bool) []*ask {
	h := w.host
	p.leaveAlone(h)
	taken := already
	rest := h.waiting[:0]
	for i, a := range h.waiting {
		if !suits(a, taken, fresh) {
			rest = append(rest, a)
			continue
		}
		if a.control = nil; a.req.Control != "" {
			a.control = p.domains.control(h.key.addr, a.domain)
		}
		if room -= cost(a, taken); room < 0 && len(taken) > 0 {
			rest = append(rest, h.waiting[i:]...)
			break
		}
		a.taken(w)
		taken = append(taken, a)
		h.underWay++
	}
	clear(h.waiting[len(rest):])
	h.waiting = rest
	return taken
}

// suits reports whether an ask can be part of the transaction of those taken before it.
func suits(a *ask, taken []*ask, fresh bool) bool {
	if a.alone && !fresh {
		return false
	}
	return len(taken) == 0 || !a.alone && !taken[0].alone && a.req.SMTPUTF8 == taken[0].req.SMTPUTF8
}

// cost is the number of recipients to be named for an ask beside those of others.
func cost(a *ask, others []*ask) int {
	if a.control != nil || a.req.Control == "" {
		return 1
	}
	for _, b := range others {
		if b.domain == a.domain {
			return 1
		}
	}
	return 2
}

// room is how many recipients the next transaction of a session may have: as many as will not, going by what the host has refused so far, make it
// lose patience.
func (p *Pool) room(w *worker) int { return p.roomAfter(w, 0) }

// roomAfter is what room will be, as far as one can tell, when so many more recipients have been named.
func (p *Pool) roomAfter(w *worker, recipients int) int {
	h, s, caps := w.host, w.session, p.caps(w.host)
	share := float64(h.refused+2) / float64(h.asked+4)
	refused := float64(s.refused) + float64(recipients)*share
	likely := (float64(caps.Refused) - refused) * refusedMargin / share
	return min(p.flightSize(h), max(1, int(likely)), caps.Recipients-s.recipients-recipients)
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
