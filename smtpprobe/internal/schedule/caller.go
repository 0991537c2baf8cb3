package schedule

// caller is a list.
type caller struct {
	id    CallerID
	most  int // jobs that may wait; less than zero: any number
	ends  bool
	jobs  int  // that have no answer
	leads int  // of them: for which a session is opened, or first in a transaction
	told  int  // how many wait, as the shell knows it
	moved bool // other jobs wait than before
}

// waiting is how many jobs wait: for a session, for an acceptance, or for the
// answer about the first of their transaction.
func (c *caller) waiting() int { return c.jobs - c.leads }

// caller returns a list by its number.
func (s *State) caller(id CallerID) *caller {
	c := s.callers[id]
	if c == nil {
		c = &caller{id: id, most: -1}
		s.callers[id] = c
	}
	return c
}

// ended reports whether a list ends.
func (c *caller) ended() bool { return c != nil && c.ends }

// holdsBack reports whether a provider has no room, and takes more of what may
// wait of the list than it leaves. So no number of busy providers takes all of
// it. (Rule 6.3)
func (c *caller) holdsBack(g *provider) bool {
	return c != nil && c.most >= 0 && g.hostsWait() && g.waiting > c.most-c.waiting()
}

// joins notes that a job has come.
func (s *State) joins(j *job) {
	if j.Caller != 0 {
		j.caller = s.caller(j.Caller)
		j.caller.jobs++
		s.counts(j.caller)
	}
}

// parts notes that a job has its answer.
func (s *State) parts(j *job) {
	if j.caller != nil {
		j.caller.jobs--
		s.counts(j.caller)
	}
}

// lead notes whether a session is opened for a job, or has it as the first of
// its transaction.
func (s *State) lead(j *job, leads bool) {
	if j.caller == nil || j.leads == leads {
		return
	}
	if j.leads = leads; leads {
		j.caller.leads++
	} else {
		j.caller.leads--
	}
	s.counts(j.caller)
}

// counts has a list counted once all is noted that has happened.
func (s *State) counts(c *caller) {
	if !c.moved {
		c.moved = true
		s.counted = append(s.counted, c)
	}
}

// countWaits tells of how many jobs of each list wait now, and forgets the
// lists that have none.
func (s *State) countWaits() {
	for _, c := range s.counted {
		n, gone := c.waiting(), c.jobs == 0
		if n != c.told || gone {
			s.do(Action{Do: Count, Caller: c.id, Waiting: n, Gone: gone})
		}
		if c.told, c.moved = n, false; gone {
			delete(s.callers, c.id)
		}
	}
	s.counted = s.counted[:0]
}
