package bulk

// dedupe knows the addresses that are in progress or wait for a retry, and
// those that were done recently.
type dedupe struct {
	open map[key]*task
	// Two generations of answers. When the younger has had its half of the
	// octets, the older is forgotten.
	young, old map[key]*answer
	half, room int64 // octets: of a generation, left in the younger
}

func newDedupe(octets int64) *dedupe {
	return &dedupe{open: make(map[key]*task), young: make(map[key]*answer), half: octets / 2, room: octets / 2}
}

// remember keeps the answer about a task's address, which is done, unless it
// says that we could not work.
func (d *dedupe) remember(k key, a *answer) {
	if k == (key{}) {
		return
	}
	delete(d.open, k)
	octets := a.octets() + int64(len(k))
	if a.result.Reason.Failed() || octets > d.half {
		return
	}
	d.young[k] = a
	d.room -= octets
	if d.room < 0 {
		d.old, d.young, d.room = d.young, make(map[key]*answer, len(d.young)), d.half
	}
}

func (d *dedupe) recent(k key) *answer {
	if a := d.young[k]; a != nil {
		return a
	}
	return d.old[k]
}
