package list

import (
	"compress/gzip"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Packer takes the rows of a [Writer], whole, and writes a file of them. Close
// ends the file, and does not close what it is written to.
type Packer interface {
	io.WriteCloser
	// Flush writes all rows so far in such a way that they can be read, even
	// if nothing follows; a spreadsheet can only be read when it is whole.
	Flush() error
}

// Pack begins a file of rows with the Writer's head.
func (w *Writer) Pack(to io.Writer, packing Packing) (Packer, error) {
	return w.output.pack(to, w.Head(), packing)
}

// packText begins a file of text.
func packText(to io.Writer, head []byte, packing Packing) (Packer, error) {
	var p Packer = plainPacker{to}
	switch packing {
	case Gzip:
		p = gzip.NewWriter(to)
	case Zstd:
		encoder, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
		if err != nil {
			return nil, err
		}
		p = encoder
	}
	_, err := p.Write(head)
	return p, err
}

type plainPacker struct{ io.Writer }

func (plainPacker) Flush() error { return nil }
func (plainPacker) Close() error { return nil }
