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
		n := cost(a, taken)
		if room -= n; room < 0 && len(taken) > 0 || n > p.left(w) {
			rest = append(rest, h.waiting[i:]...)
			break
		}
		a.taken(w, len(taken) > 0)
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
		if b.domain == a.domain && b.control == nil && b.req.Control != "" {
			return 1 // the control is named already
		}
	}
	return 2
}
