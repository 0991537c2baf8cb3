package list

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/rcpt/rcpt/internal/list/xlsx"
)

// jsonTables reads arrays that are rows, one after the other or in an array, as
// the export API of Mailchimp writes them.
var jsonTables = table{begins: func(_, text []byte) bool { return beginsRows.Match(text) },
	open: textTables{names: singleTable, rows: jsonRows}.open}

// beginsRows matches an array whose first element is an array with a value, and
// an array in one line before another one.
var beginsRows = regexp.MustCompile(`^\[\s*\[\s*["\dtfn\]-]|^\["[^\r\n]*\]\s*[\r\n]\s*\["`)

func jsonRows(text *bufio.Reader, _ int) func() (xlsx.Row, error) {
	limit := &allowance{below: text}
	r := &jsonTable{limit: limit, decoder: json.NewDecoder(limit)}
	r.decoder.UseNumber()
	begin, _ := text.Peek(declaredWithin)
	r.inArray = bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(begin), []byte("["))), []byte("["))
	return r.next
}

type jsonTable struct {
	limit   *allowance
	decoder *json.Decoder
	inArray bool
	number  int
}

// next returns the next row.
func (t *jsonTable) next() (xlsx.Row, error) {
	t.limit.left = 2 * MaxRow // the decoder reads ahead
	if t.inArray && t.number == 0 {
		if _, err := t.decoder.Token(); err != nil {
			return xlsx.Row{}, err
		}
	}
	if t.inArray && !t.decoder.More() {
		if _, err := t.decoder.Token(); err != nil {
			return xlsx.Row{}, t.failed(err)
		}
		t.inArray = false // another value is a row of its own
	}
	var values []any
	err := t.decoder.Decode(&values)
	if t.number++; errors.Is(err, io.EOF) && !t.inArray {
		return xlsx.Row{}, io.EOF
	}
	if err != nil {
		return xlsx.Row{}, t.failed(err)
	}
	row := xlsx.Row{Number: t.number}
	for i, value := range values[:min(len(values), MaxColumns)] {
		if cell := cellOfJSON(value); cell.Text != "" {
			row.Set(i+1, cell)
		}
	}
	return row, nil
}

func (t *jsonTable) failed(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("row %d is no JSON array: %w", t.number, err)
}

func cellOfJSON(value any) xlsx.Cell {
	switch value := value.(type) {
	case nil:
		return xlsx.Cell{}
	case string:
		return xlsx.Cell{Text: value}
	case json.Number:
		return xlsx.Cell{Kind: xlsx.KindOf(value.String()), Text: value.String()}
	case bool:
		return xlsx.CellOf("Boolean", map[bool]string{true: "1"}[value])
	}
	return xlsx.Cell{Text: string(marshal(value))}
}
