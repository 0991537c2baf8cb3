package jobs

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

// ErrDamaged means that what is stored of a list is not what was stored.
var ErrDamaged = errors.New("a stored part of the list is damaged")

// part says what a stored value is a part of. It is proven with the value, so
// that one in the wrong place is not taken for another.
type part struct {
	kind    byte
	of      string // the job, or the format of a head
	segment int64
}

// The kinds of parts.
const (
	partHead    = 'h'
	partDraft   = 'd'
	partRows    = 's'
	partBatch   = 'b'
	partResults = 'r'
)

func headOf(format string) part { return part{kind: partHead, of: format} }

// sumOctets is the CRC-32C behind a compressed value, which earlier versions
// did not write. They do not read that far.
const sumOctets = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (p part) sum(octets []byte) uint32 {
	place := appendText([]byte{p.kind}, p.of)
	place = binary.AppendVarint(place, p.segment)
	return crc32.Update(crc32.Checksum(place, castagnoli), castagnoli, octets)
}

// packers are compressors, which are large.
var packers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is a valid one
	}
	return w
}}

// pack compresses a value for the store, with its checksum.
func (p part) pack(octets []byte) []byte {
	var out bytes.Buffer
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&out)
	_, _ = w.Write(octets) // a buffer takes everything
	_ = w.Close()
	return binary.BigEndian.AppendUint32(out.Bytes(), p.sum(octets))
}

// maxUnpacked bounds a value, which should be a few megabytes.
const maxUnpacked = 64 << 20

// unpackers are decompressors, which are large, too.
var unpackers = sync.Pool{New: func() any { return flate.NewReader(nil) }}

// unpack returns a value that is proven, or that an earlier version stored
// without a proof.
func (p part) unpack(packed []byte) ([]byte, error) {
	r := unpackers.Get().(io.Reader)
	defer unpackers.Put(r)
	from := bytes.NewReader(packed)
	_ = r.(flate.Resetter).Reset(from, nil) // it never fails
	octets, err := io.ReadAll(io.LimitReader(r, maxUnpacked+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if len(octets) > maxUnpacked {
		return nil, fmt.Errorf("%w: it is too long", ErrDamaged)
	}
	switch rest := packed[len(packed)-from.Len():]; {
	case len(rest) == 0: // of an earlier version
	case len(rest) != sumOctets || binary.BigEndian.Uint32(rest) != p.sum(octets):
		return nil, fmt.Errorf("%w: its checksum is another", ErrDamaged)
	}
	return octets, nil
}

func appendText(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

// fields reads what appendText and binary.AppendUvarint wrote. After an error
// it returns zeros.
type fields struct {
	left []byte
	bad  bool
}

func (f *fields) number() uint64 {
	value, n := binary.Uvarint(f.left)
	if n <= 0 {
		f.bad, f.left = true, nil
		return 0
	}
	f.left = f.left[n:]
	return value
}

func (f *fields) octet() byte {
	if len(f.left) == 0 {
		f.bad = true
		return 0
	}
	first := f.left[0]
	f.left = f.left[1:]
	return first
}

func (f *fields) octets() []byte {
	n := f.number()
	if n > uint64(len(f.left)) {
		f.bad, f.left = true, nil
		return nil
	}
	text := f.left[:n]
	f.left = f.left[n:]
	return text
}

func (f *fields) text() string { return string(f.octets()) }

func (f *fields) more() bool { return len(f.left) > 0 && !f.bad }

func (f *fields) err() error {
	if f.bad {
		return ErrDamaged
	}
	return nil
}
