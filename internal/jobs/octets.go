package jobs

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// errDamaged reports a stored value that cannot be read.
var errDamaged = errors.New("a stored part of the list is damaged")

// packers are compressors, which are large.
var packers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is a valid one
	}
	return w
}}

// pack compresses a value for the store.
func pack(octets []byte) []byte {
	var out bytes.Buffer
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&out)
	_, _ = w.Write(octets) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// maxUnpacked bounds a value, which should be a few megabytes.
const maxUnpacked = 64 << 20

// unpackers are decompressors, which are large, too.
var unpackers = sync.Pool{New: func() any { return flate.NewReader(nil) }}

func unpack(packed []byte) ([]byte, error) {
	r := unpackers.Get().(io.Reader)
	defer unpackers.Put(r)
	_ = r.(flate.Resetter).Reset(bytes.NewReader(packed), nil) // it never fails
	octets, err := io.ReadAll(io.LimitReader(r, maxUnpacked+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if len(octets) > maxUnpacked {
		return nil, fmt.Errorf("%w: it is too long", errDamaged)
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
		return errDamaged
	}
	return nil
}
