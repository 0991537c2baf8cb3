package bulk

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"sync"
	"time"
)

const (
	// journalMagic begins each journal; its number changes with the format of
	// the file.
	journalMagic = "rcpt journal 3\n"
	// frameHead is the octets before each record: its length and its checksum.
	frameHead = 8
	// journalBuffer is how many octets of records are gathered before they are
	// written. They are also written, and synced, once in journalEvery.
	journalBuffer = 64 << 10
	journalEvery  = time.Second
	// fingerprintOctets is how much of the digest of an item its record has.
	fingerprintOctets = 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Journal keeps the final results of a run in a file, in the order in which
// they arrive, so that a run that was killed can continue: with [OpenJournal]
// in [Options.Journal] the next run over the same list reads the settled
// results from the file and verifies the rest.
//
// Records are only appended. They are synced to the disk within a second, and
// survive the death of the process earlier than that. After an error of the
// file nothing more is appended; the records before the error stay valid.
//
// The file begins with "rcpt journal 3\n". Each record follows its length and
// its CRC-32C, four octets each, the most significant first. The first record
// is a JSON object of conditions. The others are the number of an item from 0
// (a varint), a part of the SHA-256 of the item, and its answer. The first
// incomplete record ends the journal.
//
// A file is locked while it is a Journal. Close it, or Remove it when the sink
// has everything. [Run] refuses a zero Journal.
type Journal struct {
	name   string
	file   *os.File
	places []int64 // where the record of each item of an earlier run begins; zero: nowhere

	mu      sync.Mutex
	buffer  []byte // records that are not written yet
	pending int64  // number of records in the buffer
	size    int64  // octets of the file, all of whole records
	settled int64  // items with a record in the file
	err     error
	broken  chan struct{} // closed when err is set

	stop, stopped chan struct{}
}

// CreateJournal creates a journal and replaces an existing one. The conditions
// are what the results depend on: the list, the settings.
func CreateJournal(name string, conditions map[string]string) (*Journal, error) {
	j, err := lockJournal(name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := j.begin(conditions); err != nil {
		_ = j.Remove()
		return nil, err
	}
	go j.keep()
	return j, nil
}

// begin writes the head of an empty journal, and makes sure that the file
// survives a power cut.
func (j *Journal) begin(conditions map[string]string) error {
	if err := j.file.Truncate(0); err != nil {
		return j.wrap("write", err)
	}
	j.buffer = appendFrame([]byte(journalMagic), marshalConditions(conditions))
	if err := j.sync(); err != nil {
		return err
	}
	syncFolder(j.name)
	return nil
}

// Settled is the number of items whose final result is in the journal. After an
// error of the file it leaves out the results that were not written.
func (j *Journal) Settled() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.settled
	}
	return j.settled + j.pending
}

// known returns the answer about an item that an earlier run settled, or nil.
func (j *Journal) known(place int64, item Item) (*answer, error) {
	if place >= int64(len(j.places)) || j.places[place] == 0 {
		return nil, nil
	}
	payload, err := j.read(j.places[place])
	if err != nil {
		return nil, j.wrap("read", err)
	}
	_, print, rest, err := parseEntry(payload)
	if err != nil {
		return nil, j.wrap("read", err)
	}
	if print != fingerprint(item) {
		return nil, j.wrap("use", fmt.Errorf("item %d of the list has changed", place+1))
	}
	r, err := parseRecord(rest)
	if err == nil && r.answer == nil {
		err = errDamaged
	}
	if err != nil {
		return nil, j.wrap("read", err)
	}
	return r.answer, nil
}

// read returns the record at an offset of the file.
func (j *Journal) read(at int64) ([]byte, error) {
	var head [frameHead]byte
	if _, err := j.file.ReadAt(head[:], at); err != nil {
		return nil, err
	}
	payload := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := j.file.ReadAt(payload, at+frameHead); err != nil {
		return nil, err
	}
	if crc32.Checksum(payload, castagnoli) != binary.BigEndian.Uint32(head[4:]) {
		return nil, errDamaged
	}
	return payload, nil
}

// settle appends the final answer about an item.
func (j *Journal) settle(place int64, item Item, final *answer) {
	entry := appendEntry(nil, place, item)
	entry, err := (&record{answer: final}).append(entry)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.fail(err)
	}
	if j.err != nil {
		return
	}
	j.buffer = appendFrame(j.buffer, entry)
	j.pending++
	if len(j.buffer) >= journalBuffer {
		j.write()
	}
}

// write writes the buffer. If a full disk took only a part of it, the part is
// cut off again.
func (j *Journal) write() {
	if j.err != nil || len(j.buffer) == 0 {
		return
	}
	if n, err := j.file.WriteAt(j.buffer, j.size); err != nil {
		if n > 0 {
			_ = j.file.Truncate(j.size) // what is left of it is cut off when the journal is opened
		}
		j.fail(err)
		return
	}
	j.size += int64(len(j.buffer))
	j.settled += j.pending
	j.buffer, j.pending = j.buffer[:0], 0
}

// failure returns a channel that is closed when the file fails; nil if there is
// no journal.
func (j *Journal) failure() <-chan struct{} {
	if j == nil {
		return nil
	}
	return j.broken
}

// failed returns the error of the file.
func (j *Journal) failed() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

func (j *Journal) fail(err error) {
	if j.err == nil {
		j.err = j.wrap("write", err)
		close(j.broken)
	}
}

// keep syncs the records to the disk until the journal is closed.
func (j *Journal) keep() {
	defer close(j.stopped)
	ticker := time.NewTicker(journalEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			_ = j.sync() // the next append reports the error
		case <-j.stop:
			return
		}
	}
}

// sync writes all settled results to the disk.
func (j *Journal) sync() error {
	j.mu.Lock()
	j.write()
	err := j.err
	j.mu.Unlock()
	if err != nil {
		return err
	}
	if err := j.file.Sync(); err != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.fail(err)
		return j.err
	}
	return nil
}

// Close writes everything to the disk and closes the file.
func (j *Journal) Close() error {
	if j.file == nil {
		return errNotOpened
	}
	j.end()
	err := j.sync()
	if closeErr := j.file.Close(); err == nil {
		err = closeErr
	}
	return err
}

// Remove closes the file and removes it.
func (j *Journal) Remove() error {
	if j.file == nil {
		return errNotOpened
	}
	j.end()
	return errors.Join(j.file.Close(), os.Remove(j.name))
}

func (j *Journal) end() {
	if j.stop != nil {
		close(j.stop)
		<-j.stopped
		j.stop = nil
	}
}

// wrap names the file in an error.
func (j *Journal) wrap(doing string, err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		err = failed.Err
	}
	return fmt.Errorf("cannot %s the journal %s: %w", doing, j.name, err)
}

// appendEntry appends the number of an item and its fingerprint; its answer
// follows.
func appendEntry(to []byte, place int64, item Item) []byte {
	print := fingerprint(item)
	return append(binary.AppendUvarint(to, uint64(place)), print[:]...)
}

func parseEntry(from []byte) (place int64, print [fingerprintOctets]byte, rest []byte, err error) {
	number, n := binary.Uvarint(from)
	if n <= 0 || number > maxPlace || len(from) < n+len(print) {
		return 0, print, nil, errDamaged
	}
	copy(print[:], from[n:])
	return int64(number), print, from[n+len(print):], nil
}

// maxPlace is the highest number that an item can have: more would not fit into
// any memory.
const maxPlace = 1 << 31

// fingerprint identifies an item.
func fingerprint(item Item) (print [fingerprintOctets]byte) {
	digest := sha256.New()
	_, _ = digest.Write([]byte(item.Email))
	_, _ = digest.Write([]byte{0})
	_, _ = digest.Write(item.Row)
	copy(print[:], digest.Sum(nil))
	return print
}

func appendFrame(to, payload []byte) []byte {
	to = binary.BigEndian.AppendUint32(to, uint32(len(payload)))
	to = binary.BigEndian.AppendUint32(to, crc32.Checksum(payload, castagnoli))
	return append(to, payload...)
}
