package jobs

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/lists"
)

// Since says which results of a list are there already, and are not asked
// about. The zero value: none.
type Since struct {
	// List is the ID of an earlier list of the same owner, or [SinceSelf]: the
	// list has them in columns of its own. Empty: none.
	List string
	// MaxAge is how old a result may be. Default: [DefaultSinceAge].
	MaxAge time.Duration
	// Date is when the results of the list itself were found that say nothing
	// of that. Zero: these are not taken.
	Date time.Time
}

// SinceSelf takes the results that a list has itself: those of rcpt, or of a
// service that it knows.
const SinceSelf = "self"

// DefaultSinceAge is how old a result may be that is not asked about.
const DefaultSinceAge = 90 * 24 * time.Hour

// ErrNoSince means that the list from which results were to be taken does not
// exist, for this owner.
var ErrNoSince = errors.New("there is no such earlier list")

// ReadDay reads the Date of a [Since], a day that has been: "2026-10-01".
func ReadDay(text string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err == nil && day.After(time.Now()) {
		err = errors.New("the day is still to come")
	}
	return day, err
}

func (s Since) text() string {
	if s.List == "" {
		return ""
	}
	return fmt.Sprint(s.List, " ", s.MaxAge, " ", s.Date.Unix())
}

// earlier are results that are taken. Few differ in more than their address.
type earlier struct {
	since  Since
	oldest time.Time
	owners []string
	known  *lists.Lists // of flags; nil: the embedded ones
	of     []uint32     // by cell of the new list: the number of its outcome plus one, or zero
	unique []outcome
	number map[outcome]uint32
}

func (m *Manager) newEarlier(since Since, owners []string) *earlier {
	if since.MaxAge <= 0 {
		since.MaxAge = DefaultSinceAge
	}
	oldest := m.config.Now().Add(-since.MaxAge)
	e := &earlier{since: since, oldest: oldest, owners: owners, number: make(map[outcome]uint32)}
	if m.config.Lists != nil {
		e.known = m.config.Lists()
	}
	return e
}

// outcomeNumber returns the number of an outcome, which is never zero.
func (e *earlier) outcomeNumber(o outcome) uint32 {
	number, known := e.number[o]
	if !known {
		e.unique = append(e.unique, o)
		number = uint32(len(e.unique))
		e.number[o] = number
	}
	return number
}

// takeRow takes the results that a row has itself.
func (e *earlier) takeRow(l *listReader, raw string, cells []foundCell) {
	if e.since.List != SinceSelf {
		return
	}
	all := l.EarlierResults(raw)
	for i, c := range cells {
		number := uint32(0)
		if i >= len(all) || all[i] == nil || c.kind != kindAddress {
			e.of = append(e.of, number)
			continue
		}
		if r := all[i]; list.Settled(r) && list.Flag(e.known, r, c.text) {
			if r.CheckedAt.IsZero() && !e.since.Date.IsZero() {
				list.AsOldAs(r, e.since.Date)
			}
			if at := r.CheckedAt; !at.IsZero() && !at.Before(e.oldest) {
				number = e.outcomeNumber(outcomeOf(*r).foundAt(at))
			}
		}
		e.of = append(e.of, number)
	}
}

// foundAt returns an outcome that was found before its job.
func (o outcome) foundAt(at time.Time) outcome {
	o.flags |= flagFound
	o.found = at.Truncate(time.Hour).Unix() // so that few differ
	return o
}

// isTaken reports whether an outcome of an earlier list is not asked about
// again. What was taken there is settled.
func (o outcome) isTaken() bool {
	r := o.result("")
	return list.Settled(&r) || o.flags&flagFound != 0
}

// takeList takes the results of an earlier list for the addresses of found.
func (m *Manager) takeList(ctx context.Context, e *earlier, found *repeats) error {
	if e.since.List == "" || e.since.List == SinceSelf {
		return nil
	}
	j, err := m.earlierJob(ctx, e.since.List, e.owners)
	if err != nil {
		return err
	}
	known, err := newKnown(m.config.TempDir)
	if err != nil {
		return err
	}
	defer discard(known.file)
	if err := m.readKnown(ctx, j, e, known); err != nil {
		return err
	}
	e.of = make([]uint32, found.cells)
	return known.find(found, e.of)
}

// earlierJob returns a list that a request names.
func (m *Manager) earlierJob(ctx context.Context, id string, owners []string) (rows.Job, error) {
	j, err := m.Job(ctx, id, owners)
	if errors.Is(err, rows.ErrNotFound) {
		return j, ErrNoSince
	}
	return j, err
}

// readKnown writes the results of a list that are taken.
func (m *Manager) readKnown(ctx context.Context, j rows.Job, e *earlier, known *knownResults) error {
	layout, err := m.layout(ctx, j)
	if err != nil {
		return err
	}
	r, err := m.newReading(ctx, j, Output{}, layout.AddressesPerRow())
	if err != nil {
		return err
	}
	for number := range j.Segments {
		f, outcomes, err := r.open(ctx, number)
		if err != nil {
			return err
		}
		for at := 0; f.more(); at++ {
			c, _ := f.cell(at%r.each == 0)
			o, settled := outcomes[at]
			if c.kind != kindAddress || !settled || !o.isTaken() {
				continue
			}
			if o.flags&flagFound == 0 {
				o = o.foundAt(j.Created)
			}
			if time.Unix(o.found, 0).Before(e.oldest) {
				continue
			}
			of, _ := identify(c.text)
			if err := known.add(of, e.outcomeNumber(o)); err != nil {
				return err
			}
		}
		if err := f.err(); err != nil {
			return r.damaged(err)
		}
	}
	return nil
}

// knownResults are the keys of addresses with the numbers of their outcomes, in
// a file.
type knownResults struct {
	file  *os.File
	out   *bufio.Writer
	count int64
}

const knownOctets = len(key{}) + 4

func newKnown(dir string) (*knownResults, error) {
	file, err := temporary(dir)
	if err != nil {
		return nil, &DiskError{err}
	}
	return &knownResults{file: file, out: bufio.NewWriterSize(file, 64<<10)}, nil
}

func (k *knownResults) add(of key, number uint32) error {
	k.count++
	if _, err := k.out.Write(binary.BigEndian.AppendUint32(of[:], number)); err != nil {
		return &DiskError{err}
	}
	return nil
}

// find looks for the keys of a list, in bounded memory: those of the file are
// in memory part by part.
func (k *knownResults) find(list *repeats, of []uint32) error {
	if err := k.out.Flush(); err != nil {
		return &DiskError{err}
	}
	in := bufio.NewReaderSize(io.NewSectionReader(k.file, 0, k.count*int64(knownOctets)), 256<<10)
	var record [knownOctets]byte
	for left := k.count; left > 0; {
		part := make(map[key]uint32)
		for ; left > 0 && len(part) < keysAtOnce; left-- {
			if _, err := io.ReadFull(in, record[:]); err != nil {
				return &DiskError{err}
			}
			part[key(record[:len(key{})])] = binary.BigEndian.Uint32(record[len(key{}):])
		}
		if err := list.each(func(cell int64, has key) {
			if number := part[has]; number > 0 {
				of[cell] = number
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// take returns the outcome that a cell has already.
func (e *earlier) take(cell int64) (o outcome, taken bool) {
	if e == nil || cell >= int64(len(e.of)) || e.of[cell] == 0 {
		return o, false
	}
	return e.unique[e.of[cell]-1], true
}

// countReused is how many distinct addresses have their result already.
func (e *earlier) countReused(from *sources) (n int64) {
	for cell, number := range e.of {
		if _, repeats := from.source(int64(cell)); number > 0 && !repeats {
			n++
		}
	}
	return n
}
