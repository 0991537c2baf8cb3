package transfer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"

	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/jobs"
)

// The formats of a list from receiveAddresses: of addresses alone,
// and of objects, which have other columns, too.
var (
	addressesFormat = jobs.Format{Format: list.CSV, Delimiter: ',', Columns: []string{addressField}}
	objectsFormat   = jobs.Format{Format: list.JSONLines, Columns: []string{addressField}}
)

// addressField is the name of the addresses in them.
const addressField = "email"

// errObject reports an object among addresses of addressesFormat.
var errObject = errors.New("an object among addresses")

// receiveAddresses is [jobs.Manager.Receive] for addresses that read passes to
// add: each a string of JSON or, with objectsFormat, an object.
func receiveAddresses(
	ctx context.Context, m *jobs.Manager, format jobs.Format, read func(add func(json.RawMessage) error) error,
) (*jobs.Spool, error) {
	from, to := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		buffer := bufio.NewWriterSize(to, 64<<10)
		write := writeAddresses
		if format.Format == objectsFormat.Format {
			write = writeObjects
		}
		failed := write(buffer, read)
		if failed == nil {
			failed = buffer.Flush()
		}
		_ = to.CloseWithError(failed)
	}()
	s, err := m.Receive(ctx, from)
	_ = from.CloseWithError(io.ErrClosedPipe) // the other side ends
	<-ended
	return s, err
}

// writeAddresses writes CSV of one column.
func writeAddresses(to *bufio.Writer, read func(add func(json.RawMessage) error) error) error {
	cells := csv.NewWriter(to)
	defer cells.Flush()
	if err := cells.Write([]string{addressField}); err != nil {
		return err
	}
	return read(func(element json.RawMessage) error {
		var email string
		if json.Unmarshal(element, &email) != nil {
			return errObject
		}
		if email == "" { // package csv would write an empty line, which is no row
			cells.Flush()
			_, err := to.WriteString("\"\"\n")
			return err
		}
		return cells.Write([]string{email})
	})
}

// writeObjects writes JSON lines.
func writeObjects(to *bufio.Writer, read func(add func(json.RawMessage) error) error) error {
	var line bytes.Buffer
	return read(func(element json.RawMessage) error {
		line.Reset()
		if err := json.Compact(&line, element); err != nil {
			return err
		}
		if element[0] == '"' {
			_, _ = to.WriteString(`{"` + addressField + `":`)
			_ = line.WriteByte('}')
		}
		_ = line.WriteByte('\n')
		_, err := line.WriteTo(to)
		return err
	})
}
