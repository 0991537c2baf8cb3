package list

import (
	"bufio"
	"errors"
	"io"
	"slices"
)

// Text is a list that is neither compressed nor a spreadsheet: see [PlainText].
type Text struct {
	io.Reader
	Sheet   bool // it was a spreadsheet, and is CSV with commas now
	Packed  bool // it was compressed
	closers []io.Closer
}

// PlainText returns the text of a list: unpacked, and as CSV where it is a
// spreadsheet. Close it.
func PlainText(r io.Reader, o Options) (*Text, error) {
	t := &Text{}
	plain, packing, closer, err := unpacked(bufio.NewReaderSize(r, sampleSize))
	if closer != nil {
		t.closers = append(t.closers, closer)
	}
	t.Packed = packing != Plain
	if err == nil {
		if head, _ := plain.Peek(len(zipMagic)); string(head) == zipMagic {
			var sheet *sheetText
			if sheet, err = openSheet(plain, o); err == nil {
				t.Sheet, t.Reader = true, sheet
				t.closers = append(t.closers, sheet)
			}
		} else {
			t.Reader = plain
		}
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Close frees what unpacking takes.
func (t *Text) Close() (err error) {
	for _, closer := range slices.Backward(t.closers) {
		err = errors.Join(err, closer.Close())
	}
	t.closers = nil
	return err
}
