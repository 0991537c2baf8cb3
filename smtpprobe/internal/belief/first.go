package belief

// First is in which words a host first refused a mailbox. Transactions that
// were under way at the same time may have heard it refuse one before, so all
// of them must have heard the same.
type First struct {
	said     Wording // zero: it has refused none
	by       int     // how many recipients it had heard of by then
	rivals   int     // transactions that were under way then, and still are
	underWay int     // transactions
}

// Begins notes a transaction.
func (f First) Begins() First {
	f.underWay++
	return f
}

// Ends notes the end of a transaction, at whose beginning the host had heard of
// so many recipients, its own included, and of so many by now. It reports
// whether that was the last for which others waited.
func (f First) Ends(o *Outcome, began, now int) (first First, last bool) {
	f.underWay--
	words := o.firstRefusal()
	switch {
	case f.said == (Wording{}):
		f.said, f.by, f.rivals = words, now, f.underWay
	case f.rivals > 0 && began <= f.by:
		f.rivals--
		if words != (Wording{}) && !f.said.Same(words) {
			f.said = Mixed
		}
		return f, f.rivals == 0
	}
	return f, false
}

// Words are those in which a refusal is proven by a mailbox that the host may
// exempt from what it does to others.
func (f First) Words() Wording {
	if f.rivals > 0 {
		return Wording{}
	}
	return f.said
}

// firstRefusal is the wording in which a mailbox was first refused for good;
// zero: none was.
func (o *Outcome) firstRefusal() Wording {
	for i := range o.Named {
		if r := &o.Named[i]; r.Dead() {
			return WordingOf(r)
		}
	}
	return Wording{}
}
