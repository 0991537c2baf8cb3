package file

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/list"
)

// resultIndex has settled results by the address. Most of them differ in
// nothing but that, and are kept once.
type resultIndex struct {
	of     map[[16]byte]*engine.Result
	same   map[string]*engine.Result
	oldest time.Time // only results from then on are taken
}

// OpenSince opens the output of an earlier run over another list, or over an
// earlier state of the list: results are found by the address, whatever the
// order. Results that the file does not date are as old as the file. The error
// is a [*Error].
func OpenSince(name string, columns []string, oldest time.Time) (*Earlier, error) {
	e, err := OpenEarlier(name, columns)
	if err != nil {
		return nil, err
	}
	info, err := e.file.Stat()
	if err != nil {
		e.Close()
		return nil, errorOf(name, err)
	}
	e.index = &resultIndex{make(map[[16]byte]*engine.Result), make(map[string]*engine.Result), oldest}
	for ; len(e.ahead) > 0; e.fill() {
		for _, row := range e.ahead {
			for i, cell := range row.addresses {
				if i < len(row.results) && row.results[i] != nil && isSettled(row.results[i]) {
					e.index.add(cell, row.results[i], info.ModTime())
				}
			}
		}
		e.ahead = e.ahead[:0]
	}
	e.index.same = nil
	return e, nil
}

func (x *resultIndex) add(cell string, r *engine.Result, written time.Time) {
	key, ok := mailboxKey(cell)
	if !ok {
		return
	}
	if r.Details.CheckedAt.IsZero() {
		r.Details.CheckedAt = written.UTC().Truncate(time.Second)
	}
	r.Email, r.User, r.Domain = "", "", ""
	text, err := json.Marshal(r)
	if err != nil {
		return
	}
	if known := x.same[string(text)]; known != nil {
		r = known
	} else {
		x.same[string(text)] = r
	}
	if older := x.of[key]; older == nil || older.Details.CheckedAt.Before(r.Details.CheckedAt) {
		x.of[key] = r
	}
}

// mailboxKey is a part of the digest of an address in a cell. The local-part
// counts with its case (RFC 5321 §2.4).
func mailboxKey(cell string) (key [16]byte, ok bool) {
	parsed, err := address.Read(address.Clean(cell).Address)
	if err != nil {
		return key, false
	}
	digest := sha256.Sum256([]byte(parsed.Mailbox()))
	copy(key[:], digest[:])
	return key, true
}

// indexedFor returns the results of a row's addresses that are not too old.
func (e *Earlier) indexedFor(row list.Row) []*engine.Result {
	found := make([]*engine.Result, len(row.Addresses))
	for i, cell := range row.Addresses {
		key, ok := mailboxKey(cell)
		if r := e.index.of[key]; ok && r != nil && !r.Details.CheckedAt.Before(e.index.oldest) {
			found[i] = r
			e.taken++
		}
	}
	return found
}

// TakeFrom changes from when on results are taken: a run that is resumed takes
// the ones that it took before. Call it before the first row is read.
func (in *Input) TakeFrom(oldest time.Time) { in.earlier.index.oldest = oldest }

// EarlierState identifies the contents of the earlier output, by its size and
// the time of its last change.
func (in *Input) EarlierState() (string, error) {
	info, err := in.earlier.file.Stat()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d octets of %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano)), nil
}
