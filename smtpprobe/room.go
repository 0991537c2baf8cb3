package smtpprobe

// transactionSize is how many recipients a transaction with the host may have.
func (p *Pool) transactionSize(h *mailHost) int {
	size := h.limits.recipients.now
	if h.perRecipient > 0 {
		size = min(size, int(longestTransaction/h.perRecipient))
	}
	return max(1, size)
}

// room is how many recipients the next transaction of a session may have: as
// many as will not, going by what the host has refused so far, use up the
// refusals of the session. Its control is refused, too, and the last has a
// proof behind it.
func (p *Pool) room(w *worker) int {
	h, s := w.host, w.session
	share := float64(h.refused+2) / float64(h.asked+4)
	room := int(refusalsAimedAt * float64(h.limits.refused.now-s.refused-1) / share)
	if s.transactions == 0 {
		room = max(1, room)
	}
	return min(p.transactionSize(h), room, mostNamed-s.recipients-2)
}

// fade has what the host refused of late count for more: a list has the
// addresses of a domain close together, and domains differ.
func (h *mailHost) fade() {
	if h.asked >= fadesAfter {
		h.asked, h.refused = h.asked/2, h.refused/2
	}
}

// take takes the jobs of the next transaction off those who wait: of the same
// kind as the first, and with their controls at most room recipients. One that
// must be alone goes to a fresh session, first and by itself.
func (p *Pool) take(w *worker, already []*job, room int, fresh bool) []*job {
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
		if room -= n; room < 0 && len(taken) > 0 {
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

// suits reports whether an ask can be part of the transaction of those taken
// before it.
func suits(a *job, taken []*job, fresh bool) bool {
	if a.alone && !fresh {
		return false
	}
	return len(taken) == 0 || !a.alone && !taken[0].alone && a.req.SMTPUTF8 == taken[0].req.SMTPUTF8
}

// cost is the number of recipients to be named for an ask beside those of
// others.
func cost(a *job, others []*job) int {
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
