package belief

import (
	"strconv"

	"github.com/rcpt/rcpt/smtpprobe/internal/dialogue"
)

// Shown is the set of refusals that a mail host also gives to a lone recipient:
// they are about mailboxes, not about long sessions. The constants below are
// what else a host may have shown.
type Shown map[string]bool

// What a host may have shown.
const (
	// Confirmed: it refuses a mailbox in a domain whose control it accepts, and
	// means it.
	Confirmed = "refused beside an accepted control"

	// LacksSMTPUTF8 and OffersSMTPUTF8: behind one address one machine may
	// offer SMTPUTF8, and another not. It is missing only where two sessions in
	// a row agree and none is known that had it.
	LacksSMTPUTF8  = "two sessions lacked SMTPUTF8"
	OffersSMTPUTF8 = "a session offered SMTPUTF8"
)

// maxShown bounds what a host that words each refusal anew makes us keep.
const maxShown = 32

// With returns s and what the host has shown now.
func (s Shown) With(what string) Shown {
	if s == nil || len(s) == maxShown {
		s = make(Shown)
	}
	s[what] = true
	return s
}

// SortOf is the sort of a refusal, as [Shown] has it.
func SortOf(r *dialogue.Recipient) string {
	if r.Reply == nil {
		return ""
	}
	return strconv.Itoa(r.Reply.Code) + " " + r.Reply.Enhanced + " " + string(r.Class)
}
