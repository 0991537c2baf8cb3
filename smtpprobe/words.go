//go:build !plan

package smtpprobe

import "github.com/rcpt/rcpt/smtpprobe/internal/belief"

// firstWords is in which words a host first refused a mailbox. Transactions
// that were under way at the same time may have heard it refuse one before, so
// all of them must have heard the same.
type firstWords struct {
	said     belief.Wording // zero: it has refused none
	by       int            // how many recipients it had heard of by then
	rivals   int            // transactions that were under way then, and still are
	underWay int            // transactions
}

// heard notes the end of a transaction, when the host had heard of so many
// recipients, and reports whether it was the last for which others waited.
func (f *firstWords) heard(t *transaction, all int) (last bool) {
	f.underWay--
	var words belief.Wording
	for i := range t.Named {
		if r := &t.Named[i]; r.Dead() {
			words = belief.WordingOf(r)
			break
		}
	}
	switch {
	case f.said == (belief.Wording{}):
		f.said, f.by, f.rivals = words, all, f.underWay
	case f.rivals > 0 && t.heard <= f.by:
		f.rivals--
		if words != (belief.Wording{}) && !f.said.Same(words) {
			f.said = belief.Mixed
		}
		return f.rivals == 0
	}
	return false
}

// words are those in which a refusal is proven by a mailbox that the host may
// exempt from what it does to others.
func (f *firstWords) words() belief.Wording {
	if f.rivals > 0 {
		return belief.Wording{}
	}
	return f.said
}
