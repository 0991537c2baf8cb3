package smtptest

import (
	"net"
	"net/netip"
	"slices"
	"time"
)

// Visit is a session with a [Host] as the host sees it: what the client has
// done so far.
type Visit struct {
	Number int        // of the host's sessions, from 1
	Open   int        // sessions of the host that were open when this one began, with this one
	Client netip.Addr // where the client is
	Began  time.Time
	Left   time.Time // when QUIT was heard, or 421 said, or the session ended

	Commands int  // so far
	Waits    int  // of the host for the client, which had its replies
	Mailed   int  // transactions
	Named    int  // recipients
	Refused  int  // recipients
	Here     int  // recipients of this transaction
	Accepted int  // recipients of this transaction
	TLS      bool // TLS was started
	QUIT     bool // the client said so
	DATA     bool // the client said so, or BDAT
	Lost     bool // the client hung up, and had not said QUIT
	Odd      bool // the host has done a step that is no reply

	Recipients []string // in order; a host that forgets has none

	talk *talk
}

// Sleep sends what the host has to say so far, and waits. It is for the
// functions of a [Host].
func (v *Visit) Sleep(d time.Duration) { v.talk.pause(d) }

// Visits returns the sessions so far, in order; of very many the last 10,000.
func (h *Host) Visits() []*Visit {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.visits)
}

func (h *Host) begin(t *talk) *Visit {
	v := &Visit{Began: time.Now(), talk: t}
	if addr, ok := t.wire.RemoteAddr().(*net.TCPAddr); ok {
		v.Client = addr.AddrPort().Addr().Unmap()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begun++
	h.open++
	v.Number, v.Open = h.begun, h.open
	if !h.Forgets {
		h.visits = remember(h.visits, v)
	}
	return v
}

// leave notes that a session no longer counts as open.
func (h *Host) leave(v *Visit) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if v.Left.IsZero() {
		v.Left = time.Now()
		h.open--
	}
}

func (h *Host) end(v *Visit) {
	h.leave(v)
	if h.Ended != nil {
		h.Ended(v)
	}
}

// named counts a recipient, and what is said about it.
func (h *Host) named(v *Visit, rcpt string, accepted bool) {
	if !h.Forgets {
		h.mu.Lock()
		v.Recipients = append(v.Recipients, rcpt)
		h.mu.Unlock()
	}
	v.Named++
	v.Here++
	if accepted {
		v.Accepted++
	} else {
		v.Refused++
	}
	for _, l := range h.limits {
		l.named(accepted)
	}
}

// Recipients returns those of all sessions, in order.
func (h *Host) Recipients() (all []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, v := range h.visits {
		all = append(all, v.Recipients...)
	}
	return all
}
