package jobs

import (
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/rcpt/rcpt/internal/list"
)

// Look is the beginning of a list, for people who decide what is read.
type Look struct {
	Names   []string   // of all columns
	Chosen  int        // the column that is read, from 0; -1: it is not clear which
	Choices bool       // another column can be chosen, by its number from 1
	Rows    [][]string // the first rows
}

// lookColumns is how many columns are tried where none is clear.
const lookColumns = 50

// Look reads the beginning of a list. Where it is not clear which column has
// the addresses, Chosen is -1. The error is a *[ListError].
func (m *Manager) Look(s *Spool, f Format, count int) (Look, error) {
	look, err := m.lookAt(s, f, count)
	if err == nil || len(f.Columns) > 0 {
		return look, err
	}
	for number := 1; number <= lookColumns; number++ {
		f.Columns = []string{strconv.Itoa(number)}
		if look, tryErr := m.lookAt(s, f, count); tryErr == nil && look.Choices {
			look.Chosen = -1
			return look, nil
		}
	}
	return look, err
}

func (m *Manager) lookAt(s *Spool, f Format, count int) (l Look, err error) {
	reader, err := list.NewReader(s.Reader(), s.format(f).options())
	if err != nil {
		return l, &ListError{err}
	}
	defer reader.Close()
	l.Names, l.Choices = reader.Names(), reader.Numbered()
	if read := reader.ReadNames(); len(read) > 0 {
		l.Chosen = slices.Index(l.Names, read[0])
	}
	for len(l.Rows) < count {
		row, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return l, &ListError{err}
		}
		l.Rows = append(l.Rows, reader.Cells(row.Raw))
	}
	return l, nil
}

// MaxOctets is how large a list may be.
func (m *Manager) MaxOctets() int64 { return m.config.Limits.Octets }
