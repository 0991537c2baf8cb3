package belief

import (
	"maps"
	"slices"
	"strconv"
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

// With returns the set of s and what the host has shown now. It leaves s as it
// is.
func (s Shown) With(what ...string) Shown {
	for _, w := range what {
		if s[w] {
			continue
		}
		if s = maps.Clone(s); s == nil || len(s) == maxShown {
			s = make(Shown)
		}
		s[w] = true
	}
	return s
}

// without adds to a list what is neither in it nor in s.
func (s Shown) without(list []string, what string) []string {
	if s[what] || slices.Contains(list, what) {
		return list
	}
	return append(list, what)
}

// newlyShown returns what the transaction has shown, and the host had not
// before.
func (c *Case) newlyShown() []string {
	var shown []string
	for i := range c.Outcome.Named {
		r := &c.Outcome.Named[i]
		if !r.Refused() || r.Before > 0 && !c.meant(r) {
			continue
		}
		shown = c.Host.Shown.without(shown, sortOf(r))
		if words := WordingOf(r); !c.Host.First.Same(words) {
			shown = c.Host.Shown.without(shown, words.String())
		}
	}
	if c.Outcome.Alone && c.contradicted(0) { // it means its refusal beside an accepted control
		shown = c.Host.Shown.without(shown, Confirmed)
	}
	return shown
}

// meant reports whether a refusal behind the first recipient of a session is
// nevertheless given to a lone one.
func (c *Case) meant(r *Heard) bool {
	return c.Outcome.Alone && (!r.Nameless() || r.AcceptsBehind())
}

// sortOf is the sort of a refusal, as [Shown] has it.
func sortOf(r *Heard) string {
	if r.Reply == nil {
		return ""
	}
	return strconv.Itoa(r.Reply.Code) + " " + r.Reply.Enhanced + " " + string(r.Class)
}
