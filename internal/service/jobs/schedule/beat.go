package schedule

import "time"

// beat is how this node says that it is alive.
type beat struct {
	at     time.Time // when to say it again
	calls  bool
	heard  time.Time // when the store last knew it
	silent bool      // that was longer ago than a lease: others may have taken our batches
}

// next is when something is due.
func (b *beat) next(s *State) time.Time {
	var next time.Time
	if !b.calls {
		next = b.at
	}
	if !b.silent {
		next = earliest(next, b.heard.Add(s.config.Lease))
	}
	return next
}

// listen stops the runs when the store has not heard this node for too long.
// That comes before everything else, also in a process that stood still (rule
// 11).
func (s *State) listen() {
	if s.beat.silent || s.now.Sub(s.beat.heard) < s.config.Lease {
		return
	}
	s.beat.silent = true
	s.stopAll()
}

// announce says that this node is alive, unless it stands still (rule 13).
func (s *State) announce() {
	b := &s.beat
	if b.calls || s.now.Before(b.at) || !s.shut.IsZero() {
		return
	}
	b.at = s.now.Add(s.config.Lease / 6)
	if _, since := s.Fault(s.now); !since.IsZero() {
		s.tell(NotAnnounced, errStandstill)
		return
	}
	b.calls = true
	s.call(call{}, Action{Do: Join})
}

func (s *State) joined(c *call, e Returned) {
	s.beat.calls = false
	switch {
	case e.Err == nil:
		s.beat.heard, s.beat.silent = c.began, s.now.Sub(c.began) >= s.config.Lease
	case s.shut.IsZero():
		s.tell(NotAnnounced, e.Err)
	}
}
