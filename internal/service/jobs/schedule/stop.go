package schedule

import "time"

func (Shut) happen(s *State) {
	if s.shut.IsZero() {
		s.shut = s.now
		s.stopAll()
	}
}

// end ends the node: it leaves when nothing is on its way to the store any
// more, or when it has tried for long enough.
func (s *State) end() {
	switch {
	case s.shut.IsZero() || s.done:
	case s.left.IsZero():
		isIdle := len(s.runs) == 0 && !s.settler.calls && len(s.settler.again) == 0 && !s.beat.calls
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
