package bulk

// ref is the place of a record in the buffer: positive in a file, negative in
// memory, zero nowhere.
type ref int64

// spillBuffer keeps records until they are taken: in memory while there is
// room, else in files.
type spillBuffer struct {
	room    int64 // octets left in memory
	memory  map[ref]*record
	lastRef ref // in memory
	spill   spill
	err     error // of writing to a file
}

func newSpillBuffer(octets int64, dir string) *spillBuffer {
	return &spillBuffer{
		room: octets, memory: make(map[ref]*record), spill: spill{dir: dir, segments: make(map[int64]*segment)},
	}
}

// put never loses the record: if it cannot be written to a file, it stays in
// memory and the error in s.err.
func (s *spillBuffer) put(r *record) ref {
	octets := r.octets()
	if octets > s.room {
		at, err := s.spill.put(r)
		if err == nil {
			return at
		}
		s.err = err
	}
	s.room -= octets
	s.lastRef--
	s.memory[s.lastRef] = r
	return s.lastRef
}

func (s *spillBuffer) take(at ref) (*record, error) {
	if at > 0 {
		return s.spill.take(at)
	}
	r := s.memory[at]
	delete(s.memory, at)
	s.room += r.octets()
	return r, nil
}

func (s *spillBuffer) close() { s.spill.close() }
