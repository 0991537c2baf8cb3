package schedule

import "time"

func (Shut) happen(s *State) {
	if s.shut.IsZero() {
		s.shut = s.now
		s.stopAll()
	}
}

// end ends the node: it leaves when no run has anything that is not stored, or
// when it has tried for long enough (rule 14).
func (s *State) end() {
	switch {
	case s.shut.IsZero() || s.done:
	case s.left.IsZero():
		isIdle := len(s.runs) == 0 && !s.beat.calls
		if !isIdle && s.now.Before(s.shut.Add(stopWithin)) {
			return
		}
		if !isIdle {
			s.do(Action{Do: Abort})
		}
		s.left = s.now
		s.call(call{}, Action{Do: Leave})
	case !s.now.Before(s.left.Add(leaveWithin)):
		s.leave(errStandstill)
	}
}

// ends is when the node that was told to end has to go on with that.
func (s *State) ends() time.Time {
	if s.left.IsZero() {
		return s.shut.Add(stopWithin)
	}
	return s.left.Add(leaveWithin)
}

func (s *State) leave(err error) {
	if err != nil {
		s.tell(NotLeft, err)
	}
	s.done = true
	s.do(Action{Do: Done})
}
