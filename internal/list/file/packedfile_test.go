package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/list"
)

// packedRows are rows that compress badly.
func packedRows(t *testing.T, format list.Format) (w *list.Writer, rows [][]byte) {
	t.Helper()
	in, err := list.NewReader(strings.NewReader("email\n"), list.Options{Format: list.CSV})
	check(t, err)
	w, err = list.NewWriter(in, list.Output{Format: format})
	check(t, err)
	for i := range 2000 {
		email := fmt.Sprintf("%x@%d.example", i*i*2654435761, i)
		rows = append(rows, w.Append(nil, email, rcpt.Result{Email: email, Verdict: rcpt.VerdictUnknown}))
	}
	return w, rows
}

// TestPackedFullDisk: after a disk was full, the file has the rows that were
// written whole.
func TestPackedFullDisk(t *testing.T) {
	for _, packing := range []list.Packing{list.Gzip, list.Zstd} {
		w, rows := packedRows(t, list.CSV)
		disk := &smallDisk{room: 20_000}
		packed, err := newPackedFile(disk, w, packing)
		check(t, err)
		f := &rowFile{name: "out", file: packed, regular: true}
		for i, row := range rows {
			if err = f.add(row); err == nil && i%100 == 99 {
				err = f.flush()
			}
			if err != nil {
				break
			}
		}
		if !errors.Is(err, syscall.ENOSPC) || !errors.Is(f.close(), syscall.ENOSPC) {
			t.Fatalf("%s: %v", packing, err)
		}
		in, err := list.NewReader(bytes.NewReader(disk.Bytes()), list.Options{})
		check(t, err)
		count := int64(0)
		for ; err == nil; count++ {
			_, err = in.Next()
		}
		if count-1 != f.kept || f.kept < 100 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %d rows, kept %d, %v", packing, count-1, f.kept, err)
		}
	}
}

// TestPackedClosed: a file that is closed is whole.
func TestPackedClosed(t *testing.T) {
	for _, c := range []struct {
		format  list.Format
		packing list.Packing
	}{{list.CSV, list.Gzip}, {list.CSV, list.Zstd}, {list.XLSX, list.Plain}} {
		w, rows := packedRows(t, c.format)
		disk := &smallDisk{room: 1 << 30}
		packed, err := newPackedFile(disk, w, c.packing)
		check(t, err)
		f := &rowFile{name: "out", file: packed, regular: true}
		for _, row := range rows {
			check(t, f.add(row))
		}
		check(t, f.close())
		in, err := list.NewReader(bytes.NewReader(disk.Bytes()), list.Options{})
		check(t, err)
		count := 0
		for ; err == nil; count++ {
			_, err = in.Next()
		}
		if count-1 != len(rows) || !errors.Is(err, io.EOF) {
			t.Errorf("%s %s: %d rows, %v", c.format, c.packing, count-1, err)
		}
	}
}
