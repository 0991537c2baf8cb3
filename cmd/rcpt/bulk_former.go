package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/tabular"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
)

// knownMark begins the "address" of a row whose result an earlier run has found out; the result follows.
const knownMark = "\xffknown:"

// lookAhead is how many rows of an earlier output are looked at for the row of the list that is next: rows may have been removed from the list since.
const lookAhead = 1000

// formerRows is the output of an earlier run, from which settled results are taken. It is read along with the list, so that it takes no memory. Its rows
// are in the order of the list; some may be missing on either side, and the addresses of such rows are asked about.
type formerRows struct {
	*tabular.Reader
	file  *os.File
	ahead []formerRow
	ended bool
	taken int64 // results
}

type formerRow struct {
	addresses []string
	results   []*engine.Result
}

// openFormer opens the output of an earlier run; nil: there is none to look at.
func (c *bulkCommand) openFormer() (*formerRows, error) {
	if c.RetryUnknown == "" {
		return nil, nil
	}
	file, err := os.Open(c.RetryUnknown)
	if err != nil {
		return nil, usage(fmt.Errorf("--retry-unknown %s: %w", c.RetryUnknown, bare(err)))
	}
	reader, err := tabular.NewReader(file, c.readOptions(c.RetryUnknown))
	if err != nil {
		return nil, errors.Join(usage(fmt.Errorf("--retry-unknown %s: %w", c.RetryUnknown, err)), file.Close())
	}
	f := &formerRows{Reader: reader, file: file}
	if f.fill(); len(f.ahead) > 0 && !slices.ContainsFunc(f.ahead, formerRow.hasResult) {
		return nil, errors.Join(usage(fmt.Errorf("--retry-unknown %s: it has no results: name an output of rcpt bulk", c.RetryUnknown)), file.Close())
	}
	return f, nil
}

func (r formerRow) hasResult() bool {
	return slices.ContainsFunc(r.results, func(result *engine.Result) bool { return result != nil })
}

// resultsFor returns what is settled about the addresses of a row, nil for each that is not; nil: nothing is.
func (f *formerRows) resultsFor(row tabular.Row) []*engine.Result {
	if f == nil || row.Err != nil {
		return nil
	}
	f.fill()
	at := slices.IndexFunc(f.ahead, func(former formerRow) bool { return slices.EqualFunc(former.addresses, row.Addresses, sameCell) })
	if at < 0 {
		return nil
	}
	found := slices.Clone(f.ahead[at].results)
	f.ahead = slices.Delete(f.ahead, 0, at+1)
	for i, r := range found {
		if r != nil && !isSettled(r) {
			found[i] = nil
		} else if r != nil {
			f.taken++
		}
	}
	return found
}

// sameCell also knows a cell that was kept from being a formula.
func sameCell(former, now string) bool { return former == now || former == "'"+now }

// isSettled says whether asking again would not be worth it. Texts that hold no single address are looked at again.
func isSettled(r *engine.Result) bool {
	switch r.Verdict {
	case engine.Deliverable, engine.Undeliverable, engine.AcceptAll:
		return r.Success
	}
	return false
}

// fill reads ahead. An earlier output that cannot be read to its end is as good as one that ends there.
func (f *formerRows) fill() {
	for len(f.ahead) < lookAhead && !f.ended {
		row, err := f.Next()
		if err != nil {
			f.ended = true
			return
		}
		f.ahead = append(f.ahead, formerRow{row.Addresses, f.FormerResults(row.Raw)})
	}
}

func (f *formerRows) close() {
	if f != nil {
		_ = f.file.Close()
	}
}

// known is a result in the place of an address, and of that address.
func known(r *engine.Result, cell string) string {
	result := *r
	result.Email = address.Clean(cell).Address
	if parsed, err := address.Parse(result.Email); err == nil {
		result.User, result.Domain = parsed.Local, parsed.Domain
	}
	text, err := json.Marshal(result)
	if err != nil {
		return toVerify(cell)
	}
	return knownMark + string(text)
}

// knownResult reads what known wrote.
func knownResult(row string) (result engine.Result, found bool) {
	text, is := strings.CutPrefix(row, knownMark)
	return result, is && json.Unmarshal([]byte(text), &result) == nil
}
