package file

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/lists"
)

// lookAhead is how many rows of an earlier output are searched for the next row
// of the list: rows may have been removed from the list since.
const lookAhead = 1000

// Earlier is the output of an earlier run, from which settled results are
// taken. It is read along with the list and not kept in memory. Its rows are in
// the order of the list; rows may be missing on either side, and the addresses
// of such rows are verified.
type Earlier struct {
	reader *list.Reader
	file   *os.File
	ahead  []earlierRow
	ended  bool
	taken  int64 // results

	known *lists.Lists // of flags; nil: the embedded ones
	index *resultIndex // nil: rows are in the order of the list
}

type earlierRow struct {
	addresses []string
	results   []*rcpt.Result
}

// OpenEarlier opens the output of an earlier run over the same list. The error
// is a [*Error].
func OpenEarlier(name string, columns []string) (*Earlier, error) {
	e, err := openEarlier(name, columns)
	if err == nil && e.reader.OfService() {
		return nil, errors.Join(errorOf(name, fmt.Errorf("the results are those of %s: take them with --since",
			e.reader.Earlier())), e.file.Close())
	}
	return e, err
}

func openEarlier(name string, columns []string) (*Earlier, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, errorOf(name, err)
	}
	reader, err := list.NewReader(file, readOptions(name, columns))
	if err != nil {
		return nil, errors.Join(errorOf(name, err), file.Close())
	}
	e := &Earlier{reader: reader, file: file}
	if e.fill(); len(e.ahead) > 0 && reader.Earlier() == "" {
		return nil, errors.Join(errorOf(name, errNoResults), file.Close())
	}
	return e, nil
}

var errNoResults = errors.New("the file has no results: name an output of rcpt bulk, " +
	"or the results of a service that rcpt knows")

// resultsFor returns the settled results of a row's addresses: nil for each
// address without one, or nil for none at all.
func (e *Earlier) resultsFor(row list.Row) []*rcpt.Result {
	switch {
	case e == nil || row.Err != nil:
		return nil
	case e.index != nil:
		return e.indexedFor(row)
	}
	e.fill()
	at := slices.IndexFunc(e.ahead, func(earlier earlierRow) bool {
		return slices.EqualFunc(earlier.addresses, row.Addresses, sameCell)
	})
	if at < 0 {
		return nil
	}
	found := slices.Clone(e.ahead[at].results)
	e.ahead = slices.Delete(e.ahead, 0, at+1)
	for i, r := range found {
		if r != nil && !list.Settled(r) {
			found[i] = nil
		} else if r != nil {
			e.taken++
		}
	}
	return found
}

// sameCell compares two cells. An output has an apostrophe before a cell that a
// spreadsheet would take for a formula.
func sameCell(earlier, now string) bool { return earlier == now || earlier == "'"+now }

// fill reads ahead. An earlier output that cannot be read to its end counts as
// one that ends there.
func (e *Earlier) fill() {
	for len(e.ahead) < lookAhead && !e.ended {
		row, err := e.reader.Next()
		if err != nil {
			e.ended = true
			return
		}
		e.ahead = append(e.ahead, earlierRow{row.Addresses, e.reader.EarlierResults(row.Raw)})
	}
}

// Close closes the file. A nil Earlier has none.
func (e *Earlier) Close() {
	if e != nil {
		_ = e.reader.Close()
		_ = e.file.Close()
	}
}
