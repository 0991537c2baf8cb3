package bulk

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/internal/sys/filelock"
)

// Errors of journals, beside those of files.
var (
	ErrJournalInUse   = errors.New("another run uses it")
	ErrJournalVersion = errors.New("it was written by another version of rcpt or by another program")
	// ErrJournalChanged means that a condition is not what it was when the
	// journal was created; the error is a [JournalChangedError].
	ErrJournalChanged = errors.New("a condition has changed since the journal was begun")
)

// JournalChangedError reports the condition that has changed since the journal
// was begun. It wraps [ErrJournalChanged].
type JournalChangedError struct {
	Condition string // its name
	Then, Now string // empty: there was no such condition
}

func (e *JournalChangedError) Error() string {
	return fmt.Sprintf("%s has changed since the journal was begun", e.Condition)
}

// Unwrap returns [ErrJournalChanged].
func (e *JournalChangedError) Unwrap() error { return ErrJournalChanged }

// OpenJournal opens the journal of an earlier run to continue it. Errors are
// [os.ErrNotExist], [ErrJournalInUse], [ErrJournalVersion], [ErrJournalChanged]
// and those of files. An incomplete record at the end is cut off.
func OpenJournal(name string, conditions map[string]string) (*Journal, error) {
	j, err := lockJournal(name, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	if err := j.load(conditions); err != nil {
		_ = j.file.Close()
		return nil, err
	}
	go j.keep()
	return j, nil
}

// lockJournal opens the file and locks it.
func lockJournal(name string, flags int) (*Journal, error) {
	j := &Journal{name: name, broken: make(chan struct{}), stop: make(chan struct{}), stopped: make(chan struct{})}
	var err error
	if j.file, err = os.OpenFile(name, flags, 0o600); err != nil {
		return nil, j.wrap("open", err)
	}
	err = filelock.Try(j.file)
	if errors.Is(err, filelock.ErrLocked) || err == nil && !isNamed(j.file, name) {
		err = ErrJournalInUse
	}
	if err != nil {
		_ = j.file.Close()
		return nil, j.wrap("open", err)
	}
	return j, nil
}

// isNamed reports whether the file still has its name: the run that it belonged
// to may have ended and removed it, just before it was locked.
func isNamed(file *os.File, name string) bool {
	opened, err := file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(name)
	return err == nil && os.SameFile(opened, there)
}

// load reads the whole file once: it checks the head, notes where the record of
// each item is, and cuts off an incomplete tail.
func (j *Journal) load(conditions map[string]string) error {
	info, err := j.file.Stat()
	if err != nil {
		return j.wrap("read", err)
	}
	in := &frames{in: bufio.NewReaderSize(j.file, journalBuffer), left: info.Size()}
	magic, err := in.take(min(int64(len(journalMagic)), in.left))
	if err != nil {
		return j.wrap("read", err)
	}
	if !strings.HasPrefix(journalMagic, string(magic)) {
		return j.wrap("use", ErrJournalVersion)
	}
	head, err := in.next()
	switch {
	case errors.Is(err, errTorn):
		return j.begin(conditions) // the run was killed before it began
	case err != nil:
		return j.wrap("read", err)
	}
	if err := sameConditions(head, conditions); err != nil {
		return j.wrap("use", err)
	}
	return j.index(in)
}

// index notes where the records are.
func (j *Journal) index(in *frames) error {
	for {
		at := in.at
		entry, err := in.next()
		if errors.Is(err, errTorn) {
			j.size = at
			return j.cut()
		}
		if err != nil {
			return j.wrap("read", err)
		}
		place, _, _, err := parseEntry(entry)
		if err != nil {
			return j.wrap("use", ErrJournalVersion)
		}
		if missing := int(place) + 1 - len(j.places); missing > 0 {
			j.places = slices.Grow(j.places, missing)[:place+1]
		}
		if j.places[place] == 0 {
			j.settled++
		}
		j.places[place] = at
	}
}

func (j *Journal) cut() error {
	if err := j.file.Truncate(j.size); err != nil {
		return j.wrap("write", err)
	}
	return nil
}

// errTorn reports that no complete record follows: the file ends, or the rest
// was not written before the system went down.
var errTorn = errors.New("no complete record follows")

// frames reads the records of a journal, one after the other.
type frames struct {
	in     *bufio.Reader
	at     int64 // where the next one begins
	left   int64 // octets of the file after that
	buffer []byte
}

// next returns a record, in a buffer that the next call overwrites.
func (f *frames) next() ([]byte, error) {
	if f.left < frameHead {
		return nil, errTorn
	}
	head, err := f.take(frameHead)
	if err != nil {
		return nil, err
	}
	size, sum := int64(binary.BigEndian.Uint32(head)), binary.BigEndian.Uint32(head[4:])
	if size == 0 || size > f.left {
		return nil, errTorn
	}
	payload, err := f.take(size)
	if err == nil && crc32.Checksum(payload, castagnoli) != sum {
		err = errTorn
	}
	return payload, err
}

func (f *frames) take(size int64) ([]byte, error) {
	f.buffer = grown(f.buffer, int(size))
	n, err := io.ReadFull(f.in, f.buffer)
	f.at += int64(n)
	f.left -= int64(n)
	return f.buffer, err
}

// marshalConditions writes conditions in a form that [sameConditions] reads.
func marshalConditions(conditions map[string]string) []byte {
	text, err := json.Marshal(conditions)
	if err != nil {
		panic(fmt.Sprintf("bulk: texts that JSON cannot hold: %v", err))
	}
	return text
}

// sameConditions compares the head of a journal with the conditions now.
func sameConditions(head []byte, now map[string]string) error {
	var then map[string]string
	if bytes.Equal(head, marshalConditions(now)) {
		return nil
	}
	if err := json.Unmarshal(head, &then); err != nil {
		return ErrJournalVersion
	}
	var names []string
	for name := range then {
		names = append(names, name)
	}
	for name := range now {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if then[name] != now[name] {
			return &JournalChangedError{Condition: name, Then: then[name], Now: now[name]}
		}
	}
	return nil
}

// syncFolder makes sure that the name of a new file survives a power cut, if
// the system can do that.
func syncFolder(name string) {
	if folder, err := os.Open(filepath.Dir(name)); err == nil {
		_ = folder.Sync()
		_ = folder.Close()
	}
}
