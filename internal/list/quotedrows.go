package list

import (
	"bufio"
	"strings"

	"golang.org/x/text/encoding"
)

// areRowsQuoted reports whether each row of a text is quoted as a whole, as a
// spreadsheet writes it that takes another delimiter for that of the list:
// "name,email". Such a row is one cell, which is no address and has cells in
// it.
func areRowsQuoted(text []byte, whole bool) bool {
	rows := firstRows(text, whole, delimiters[0], cellText{encoding.Nop, true})
	quoted := 0
	for i, row := range rows {
		inner, is := withoutQuotes(row)
		if is && strings.ContainsAny(inner, delimiters) && !looksLikeAddress(inner) {
			quoted++
		} else if i == 0 {
			return false
		}
	}
	return quoted > 1 && quoted*10 >= len(rows)*9
}

// withoutQuotes returns the contents of a row that is one cell in quotes.
func withoutQuotes(body string) (inner string, quoted bool) {
	if !strings.HasPrefix(body, `"`) {
		return body, false
	}
	if fields, damaged := split(body, delimiters[0]); damaged || len(fields) > 1 {
		return body, false
	}
	return unquote(body), true
}

// quotedRows reads a text without the quotes around each of its rows.
type quotedRows struct {
	rows rowReader
	rest string
}

// Read reads the rows.
func (q *quotedRows) Read(p []byte) (int, error) {
	if q.rest == "" {
		row, err := q.rows.next()
		if err != nil {
			return 0, err
		}
		body, end := cutLineEnd(row)
		body, _ = withoutQuotes(body)
		q.rest = body + end
	}
	n := copy(p, q.rest)
	q.rest = q.rest[n:]
	return n, nil
}

func withoutRowQuotes(text *bufio.Reader) *bufio.Reader {
	return bufio.NewReaderSize(&quotedRows{rows: newRowReader(text, delimiters[0])}, sampleSize)
}
