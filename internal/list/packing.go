package list

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/rcpt/rcpt/internal/list/xlsx"
)

// Packing is how a list is compressed.
type Packing string

// The packings.
const (
	Plain Packing = ""
	Gzip  Packing = "gzip" // RFC 1952
	Zstd  Packing = "zstd" // RFC 8878
	Zip   Packing = "ZIP"  // an archive: a workbook, or one with a list in it; it is not written
)

// packings are the packings, the octets with which they begin, and the
// extensions and media types of their files.
var packings = []packingRow{
	{Gzip, ".gz", "application/gzip", "\x1f\x8b"}, {Zstd, ".zst", "application/zstd", "\x28\xb5\x2f\xfd"},
}

type packingRow struct {
	packing                     Packing
	extension, mediaType, magic string
}

// wrapped tells by its first octets what a list has to be unpacked from, or
// what table it is.
func wrapped(octets []byte, whole bool, o Options) (Packing, *table) {
	for _, p := range packings {
		if !o.unpacked && bytes.HasPrefix(octets, []byte(p.magic)) {
			return p.packing, nil
		}
	}
	if bytes.HasPrefix(octets, []byte(zipMagic)) {
		return Zip, nil
	}
	return Plain, tableOf(octets, whole, o)
}

// PackingOf returns the packing for the extension of a file's name, and the
// name without it.
func PackingOf(path string) (packing Packing, inner string) {
	extension := filepath.Ext(path)
	for _, p := range packings {
		if strings.EqualFold(extension, p.extension) {
			return p.packing, strings.TrimSuffix(path, extension)
		}
	}
	return Plain, path
}

// maxWindow is how far back zstd may refer, and so about what it takes in
// memory. The program of that name accepts no more either, unless told to.
const maxWindow = 128 << 20

func unpack(r *bufio.Reader, packing Packing) (*bufio.Reader, io.Closer, error) {
	in := &guarded{from: r, packing: packing}
	counted := octetCounter{r, &in.taken}
	var closer io.Closer
	if packing == Gzip {
		unzip, err := gzip.NewReader(counted)
		if err != nil {
			return nil, nil, damaged(packing, err)
		}
		in.from, closer = unzip, unzip
	} else {
		decoder, err := zstd.NewReader(counted, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, damaged(packing, err)
		}
		in.from, closer = decoder, decoder.IOReadCloser()
	}
	return newText(in), closer, nil
}

// ErrExpands reports what unpacks to more than a list could be.
var ErrExpands = xlsx.ErrExpands

// Gunzip returns what a body that is compressed by gzip unpacks to: no more
// than a file that is compressed may.
func Gunzip(r io.Reader) (io.Reader, error) {
	text, _, err := unpack(newText(r), Gzip)
	if err != nil {
		return nil, err
	}
	return text, nil
}

// damaged is an error of unpacking.
func damaged(packing Packing, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("its %s data is cut off: %w", packing, err)
	}
	return fmt.Errorf("cannot unpack it from %s: %w", packing, err)
}

// guarded is a text that is unpacked. It ends with an error where a small file
// becomes an endless one.
type guarded struct {
	from        io.Reader
	packing     Packing
	taken, made int64 // octets before and after
}

func (g *guarded) Read(p []byte) (int, error) {
	n, err := g.from.Read(p)
	g.made += int64(n)
	switch {
	case xlsx.TooLarge(g.made, g.taken):
		return n, xlsx.ErrExpands
	case err != nil && !errors.Is(err, io.EOF):
		return n, damaged(g.packing, err)
	}
	return n, err
}

type octetCounter struct {
	from  io.Reader
	taken *int64
}

func (c octetCounter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	*c.taken += int64(n)
	return n, err
}
