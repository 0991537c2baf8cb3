package jobs

import (
	"bufio"
	"context"
	"encoding/csv"
	"io"

	"github.com/rcpt/rcpt/internal/tabular"
)

// AddressesFormat is that of a list from [Manager.ReceiveAddresses].
var AddressesFormat = Format{Format: tabular.CSV, Delimiter: ',', Column: "email"}

// ReceiveAddresses is [Manager.Receive] for addresses that read passes to add.
func (m *Manager) ReceiveAddresses(ctx context.Context, read func(add func(email string) error) error) (*Spool, error) {
	from, to := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		buffer := bufio.NewWriterSize(to, 64<<10)
		cells := csv.NewWriter(buffer)
		failed := cells.Write([]string{AddressesFormat.Column})
		if failed == nil {
			failed = read(func(email string) error {
				if email == "" { // package csv would write an empty line, which is no row
					cells.Flush()
					_, err := buffer.WriteString("\"\"\n")
					return err
				}
				return cells.Write([]string{email})
			})
		}
		cells.Flush()
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
