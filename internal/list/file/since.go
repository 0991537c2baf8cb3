package file

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/mailboxkey"
	"github.com/rcpt/rcpt/lists"
)

// resultIndex has settled results by the address. Most of them differ in
// nothing but that, and are kept once.
type resultIndex struct {
	of     map[mailboxkey.Key]*datedResult
	same   map[string]*datedResult
	oldest time.Time // only results from then on are taken
	ages   Ages
}

// Ages are how old a result may be that is taken.
type Ages struct {
	Dated   time.Duration
	Undated time.Duration // its file does not say when it was found: as old as the file, or older
}

// datedResult is a result with the time by which it is too old or not.
type datedResult struct {
	rcpt.Result
	from time.Time
}

// OpenSince opens the output of an earlier run over another list, or over an
// earlier state of the list: results are found by the address, whatever the
// order. The file may be that of another service ([list.Services]). Results
// that it does not date are as old as the file. The error is a [*Error].
func OpenSince(name string, columns []string, now time.Time, ages Ages) (*Earlier, error) {
	e, err := openEarlier(name, columns)
	if errors.As(err, new(*Error)) && len(columns) > 0 { // they are those of the list
		if guessed, guessErr := openEarlier(name, nil); guessErr == nil {
			e, err = guessed, nil
		}
	}
	if err != nil {
		return nil, err
	}
	info, err := e.file.Stat()
	if err != nil {
		e.Close()
		return nil, errorOf(name, err)
	}
	e.index = &resultIndex{
		of: make(map[mailboxkey.Key]*datedResult), same: make(map[string]*datedResult),
		oldest: now.Add(-ages.Dated).UTC().Truncate(time.Second), ages: ages,
	}
	for ; len(e.ahead) > 0; e.fill() {
		for _, row := range e.ahead {
			for i, cell := range row.addresses {
				if i < len(row.results) && row.results[i] != nil && list.Settled(row.results[i]) {
					e.index.add(cell, row.results[i], info.ModTime())
				}
			}
		}
		e.ahead = e.ahead[:0]
	}
	e.index.same = nil
	return e, nil
}

func (x *resultIndex) add(cell string, r *rcpt.Result, written time.Time) {
	key, ok := keyOf(cell)
	if !ok {
		return
	}
	dated := &datedResult{from: r.CheckedAt}
	if dated.from.IsZero() {
		list.AsOldAs(r, written)
		dated.from = r.CheckedAt.Add(x.ages.Undated - x.ages.Dated)
	}
	r.Email, r.Local, r.Domain = "", "", ""
	dated.Result = *r
	text, err := json.Marshal(r)
	if err != nil {
		return
	}
	text = dated.from.AppendFormat(text, time.RFC3339)
	if known := x.same[string(text)]; known != nil {
		dated = known
	} else {
		x.same[string(text)] = dated
	}
	if older := x.of[key]; older == nil || older.from.Before(dated.from) {
		x.of[key] = dated
	}
}

// keyOf identifies the address in a cell. The local-part counts with its case
// (RFC 5321 §2.4).
func keyOf(cell string) (key mailboxkey.Key, ok bool) {
	parsed, err := address.Read(address.Clean(cell).Address)
	if err != nil {
		return key, false
	}
	return mailboxkey.Of(parsed.Mailbox()), true
}

// indexedFor returns the results of a row's addresses that are not too old.
func (e *Earlier) indexedFor(row list.Row) []*rcpt.Result {
	found := make([]*rcpt.Result, len(row.Addresses))
	for i, cell := range row.Addresses {
		key, ok := keyOf(cell)
		if r := e.index.of[key]; ok && r != nil && !r.from.Before(e.index.oldest) {
			if result := r.Result; list.Flag(e.known, &result, cell) {
				found[i] = &result
				e.taken++
			}
		}
	}
	return found
}

// TakeFrom changes from when on results are taken: a run that is resumed takes
// the ones that it took before. Call it before the first row is read.
func (in *Input) TakeFrom(oldest time.Time) { in.earlier.index.oldest = oldest }

// UseLists has results of other services get the flags of these lists. Call it
// before the first row is read.
func (in *Input) UseLists(known *lists.Lists) {
	if in.earlier != nil {
		in.earlier.known = known
	}
}

// Oldest is when the oldest result that is taken was found.
func (in *Input) Oldest() time.Time { return in.earlier.index.oldest }

// EarlierOf returns whose results the earlier output has.
func (in *Input) EarlierOf() string { return in.earlier.reader.Earlier() }

// EarlierState identifies the contents of the earlier output, by its size and
// the time of its last change.
func (in *Input) EarlierState() (string, error) {
	info, err := in.earlier.file.Stat()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d octets of %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano)), nil
}
