package smtpprobe

import "slices"

// A host that falls silent over a recipient may do so over that mailbox, which it looks up elsewhere, or because it has had enough of the session. The
// one over whom it fell silent is asked about again, first on a session of its own. Only where the host answers at once then was it the session, and only when
// that has happened twice, as a second look may find what the first has fetched: then later sessions stop short of it.

// hush is where a host fell silent in a session.
type hush struct {
	named   int // recipients before
	refused int // of those
}

// suspect is the ask over whose target the host fell silent; -1: it did not.
func (f *flight) suspect(failure *Failure) int {
	if failure == nil || failure.Kind != KindTimeout {
		return -1
	}
	return slices.IndexFunc(f.named[:len(f.asks)], func(r recipient) bool { return r.reply == nil && !r.unplaced })
}

// fellSilent notes that the host has answered at once, by itself, about a mailbox over which it had fallen silent in company.
func (h *mailHost) fellSilent(s *hush, least int) {
	h.learn(func(t *traits) {
		t.silences++
		t.silentAfter = s.named
	})
	if h.traits.silences > 1 && s.refused > least {
		h.impatientAt(least)
	}
}
