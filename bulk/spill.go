package bulk

import (
	"encoding/binary"
	"fmt"
	"os"
)

const (
	// segmentOctets is about how large a file gets. A file is removed when all
	// its records are taken, so that records that wait for long do not keep the
	// space of all later ones.
	segmentOctets = 256 << 20
	// offsetBits is how much of a ref is the place in the file; the rest is the
	// number of the file.
	offsetBits = 32
	// headOctets is the length before each record.
	headOctets = 4
	// guessOctets is what is read at first: most records with details fit.
	guessOctets = 4 << 10
)

// spill keeps records in temporary files.
type spill struct {
	dir      string
	segments map[int64]*segment
	last     int64 // the segment that is written to; they are numbered from 1
	buffer   []byte
}

// segment is a file of records.
type segment struct {
	file    *os.File
	written int64
	live    int // records not taken yet
}

func (s *spill) put(r *record) (ref, error) {
	current, err := s.current()
	if err != nil {
		return 0, s.failed("write to", err)
	}
	data, err := r.append(append(s.buffer[:0], make([]byte, headOctets)...))
	if err != nil {
		return 0, s.failed("write to", err)
	}
	s.buffer = data
	binary.BigEndian.PutUint32(data, uint32(len(data)-headOctets))
	if _, err := current.file.WriteAt(data, current.written); err != nil {
		return 0, s.failed("write to", err)
	}
	at := ref(s.last<<offsetBits | current.written)
	current.written += int64(len(data))
	current.live++
	return at, nil
}

// current returns the segment to write to, a new one if that is full.
func (s *spill) current() (*segment, error) {
	if current := s.segments[s.last]; current != nil && current.written < segmentOctets {
		return current, nil
	}
	file, err := os.CreateTemp(s.dir, "rcpt-bulk-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // systems that cannot do so yet do it in remove
	s.last++
	s.segments[s.last] = &segment{file: file}
	return s.segments[s.last], nil
}

func (s *spill) take(at ref) (*record, error) {
	number, offset := int64(at)>>offsetBits, int64(at)&(1<<offsetBits-1)
	from := s.segments[number]
	data, err := s.read(from, offset)
	if err != nil {
		return nil, s.failed("read from", err)
	}
	r, err := parseRecord(data)
	if err != nil {
		return nil, s.failed("read from", err)
	}
	from.live--
	if from.live == 0 {
		s.free(number)
	}
	return r, nil
}

// free releases a segment whose records are all taken.
func (s *spill) free(number int64) {
	if number == s.last {
		s.segments[number].written = 0 // to be overwritten
		return
	}
	s.segments[number].remove()
	delete(s.segments, number)
}

// read returns the record at offset, in a buffer that the next call overwrites.
func (s *spill) read(from *segment, offset int64) ([]byte, error) {
	guess := min(guessOctets, from.written-offset)
	s.buffer = grown(s.buffer, int(guess))
	if _, err := from.file.ReadAt(s.buffer, offset); err != nil {
		return nil, err
	}
	size := int64(binary.BigEndian.Uint32(s.buffer)) + headOctets
	if size > from.written-offset {
		return nil, errDamaged
	}
	if size > guess {
		s.buffer = grown(s.buffer, int(size))
		if _, err := from.file.ReadAt(s.buffer[guess:], offset+guess); err != nil {
			return nil, err
		}
	}
	return s.buffer[headOctets:size], nil
}

// grown returns buffer with the length size and what was in it.
func grown(buffer []byte, size int) []byte {
	if cap(buffer) < size {
		return append(buffer, make([]byte, size-len(buffer))...)
	}
	return buffer[:size]
}

func (s *spill) failed(doing string, err error) error {
	return fmt.Errorf("bulk: cannot %s temporary files in %s: %w", doing, s.dir, err)
}

func (s *spill) close() {
	for _, segment := range s.segments {
		segment.remove()
	}
}

func (s *segment) remove() {
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
}
