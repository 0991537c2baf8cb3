package jobs

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/mailboxkey"
)

// key identifies an address. Zero is for cells without an address.
type key = mailboxkey.Key

// identify returns the key of an address and its domain, empty where it is not
// well-formed.
func identify(email string) (key, string) {
	mailbox, domain := "\x00"+email, ""
	if parsed, err := address.Read(email); err == nil {
		mailbox, domain = parsed.Mailbox(), parsed.Domain()
	}
	return mailboxkey.Of(mailbox), domain
}

// mailbox returns the key of the mailbox that a cell's address reaches by the
// rules of its provider; zero where it holds none that is well-formed.
func (c cell) mailbox() key {
	parsed, err := address.Read(c.text)
	if err != nil || c.kind != kindAddress && c.kind != kindRepeated {
		return key{}
	}
	return mailboxkey.Of(strings.ToLower(parsed.Canonical()))
}

// keysAtOnce is how many keys are in memory at a time to find repeated ones:
// some twenty megabytes.
const keysAtOnce = 400_000

// repeats finds cells whose address is in a cell before, in bounded memory: the
// keys are in a file, which is read once for each part of them.
type repeats struct {
	file  *os.File
	out   *bufio.Writer
	cells int64
	most  int64    // keys in memory
	aside []uint64 // a bit for each cell that its row does not count with

	groups groupCounts // of rows of which nothing is asked
}

func newRepeats(dir string) (*repeats, error) {
	file, err := temporary(dir)
	if err != nil {
		return nil, &DiskError{err}
	}
	return &repeats{file: file, out: bufio.NewWriterSize(file, 64<<10), most: keysAtOnce, groups: newGroupCounts()}, nil
}

// add adds a cell. Counts: its row counts with it.
func (r *repeats) add(k key, counts bool) error {
	if !counts {
		for int64(len(r.aside)) <= r.cells/64 {
			r.aside = append(r.aside, 0)
		}
		r.aside[r.cells/64] |= 1 << (r.cells % 64)
	}
	r.cells++
	if _, err := r.out.Write(k[:]); err != nil {
		return &DiskError{err}
	}
	return nil
}

func (r *repeats) close() { discard(r.file) }

// counts reports whether a row counts with a cell.
func (r *repeats) counts(cell int64) bool {
	return cell/64 >= int64(len(r.aside)) || r.aside[cell/64]&(1<<(cell%64)) == 0
}

// sources tell of each cell which cell before it holds its address: the number
// of that cell plus one, or zero. Of a cell that others name, it is isCount and
// how many of their rows count with them.
type sources struct {
	first    []uint32
	repeated []uint64    // a bit for each cell that others name
	groups   groupCounts // see [repeats]
}

const isCount = 1 << 31

// source returns the first cell with the address of a cell; false: it is the
// first, or has none.
func (s *sources) source(cell int64) (first int64, repeats bool) {
	n := s.first[cell]
	if n == 0 || n&isCount != 0 {
		return 0, false
	}
	return int64(n - 1), true
}

// others is how many rows count with the address of a cell besides its own.
func (s *sources) others(cell int64) int64 {
	if n := s.first[cell]; n&isCount != 0 {
		return int64(n &^ isCount)
	}
	return 0
}

func (s *sources) mark(cell int64)            { s.repeated[cell/64] |= 1 << (cell % 64) }
func (s *sources) isRepeated(cell int64) bool { return s.repeated[cell/64]&(1<<(cell%64)) != 0 }

// find reads the keys. It returns how many cells repeat an address.
func (r *repeats) find() (s *sources, duplicates int64, err error) {
	if err := r.out.Flush(); err != nil {
		return nil, 0, &DiskError{err}
	}
	s = &sources{first: make([]uint32, r.cells), repeated: make([]uint64, r.cells/64+1), groups: r.groups}
	parts := r.cells/r.most + 1
	for part := range parts {
		n, err := r.findPart(s, uint64(part), uint64(parts))
		if err != nil {
			return nil, 0, err
		}
		duplicates += n
	}
	return s, duplicates, nil
}

// findPart looks at the keys that belong to one of several parts.
func (r *repeats) findPart(s *sources, part, parts uint64) (duplicates int64, err error) {
	seen := make(map[key]uint32)
	err = r.each(func(cell int64, k key) {
		if k == (key{}) || (uint64(k[0])|uint64(k[1])<<8|uint64(k[2])<<16)%parts != part {
			return
		}
		first, found := seen[k]
		if !found {
			seen[k] = uint32(cell)
			return
		}
		s.first[cell] = first + 1
		s.first[first] |= isCount
		if r.counts(cell) {
			s.first[first]++
		}
		s.mark(int64(first))
		duplicates++
	})
	return duplicates, err
}

// each calls back for the keys of all cells.
func (r *repeats) each(do func(cell int64, k key)) error {
	in := bufio.NewReaderSize(io.NewSectionReader(r.file, 0, r.cells*int64(len(key{}))), 256<<10)
	for cell := range r.cells {
		var k key
		if _, err := io.ReadFull(in, k[:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return &DiskError{err}
		}
		do(cell, k)
	}
	return nil
}
