package file

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/list"
)

// smallDisk is an outputFile on a disk with little room.
type smallDisk struct {
	bytes.Buffer
	room int
}

func (d *smallDisk) Write(p []byte) (int, error) {
	fits := min(len(p), d.room-d.Len())
	d.Buffer.Write(p[:fits])
	if fits < len(p) {
		return fits, syscall.ENOSPC
	}
	return fits, nil
}

func (d *smallDisk) Truncate(size int64) error {
	d.Buffer.Truncate(int(size))
	return nil
}

func (d *smallDisk) Sync() error  { return nil }
func (d *smallDisk) Close() error { return nil }

// TestFullDisk: rows that were written stay, a part of a row is removed, and
// the error stays.
func TestFullDisk(t *testing.T) {
	rows, err := list.NewReader(strings.NewReader(""), list.Options{Format: list.Lines})
	check(t, err)
	writer, err := list.NewWriter(rows, list.Output{Format: list.JSONLines})
	check(t, err)
	row := string(writer.Append(nil, "", rcpt.Result{}))

	disk := &smallDisk{room: len(row)*5/2 + 1}
	out := &Output{OutputOptions: OutputOptions{Writer: writer}, groups: map[bulk.Group]int64{}, files: []*rowFile{{name: "out.jsonl", file: disk, regular: true}}}
	for range 2 {
		check(t, out.Write(t.Context(), bulk.Item{Row: []byte{}}, rcpt.Result{}))
	}
	check(t, out.Flush(t.Context()))
	check(t, out.Write(t.Context(), bulk.Item{Row: []byte{}}, rcpt.Result{}))
	if err := out.Flush(t.Context()); !errors.Is(err, syscall.ENOSPC) || err.Error() != "cannot write out.jsonl: no space left on device" {
		t.Errorf("error %v", err)
	}
	disk.room *= 2
	if err := out.Write(t.Context(), bulk.Item{Row: []byte{}}, rcpt.Result{}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a later row: error %v", err)
	}
	if rows, err := out.Close(); !slices.Equal(rows, []int64{2}) || !errors.Is(err, syscall.ENOSPC) || disk.String() != row+row {
		t.Errorf("%d rows, error %v, file %q", rows, err, disk)
	}
}
