package xlsx

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// A file may unpack to maxRatio times its size, and to freeOctets in any case.
// The XML of a long list of short cells is about 20 times as large as its file.
const (
	maxRatio   = 200
	freeOctets = 64 << 20
)

// ErrExpands reports a workbook that unpacks to more than a list could be.
var ErrExpands = fmt.Errorf("it unpacks to more than %d times its size, which no list does", maxRatio)

// TooLarge reports whether octets are too many to come from a file of a size.
func TooLarge(octets, size int64) bool { return octets > freeOctets && octets/maxRatio > size }

// errTooLong reports a part of a workbook that is larger than a row may be.
var errTooLong = fmt.Errorf("it has a text of more than %d octets", MaxRow)

// tokens reads the XML of a part. Each token is bounded, and so are all
// together.
type tokens struct {
	part    io.ReadCloser
	decoder *xml.Decoder
	left    int   // octets that may be read until the next token
	read    int64 // octets so far
	size    int64 // of the workbook
}

func newTokens(part io.ReadCloser, size int64) *tokens {
	t := &tokens{part: part, size: size}
	t.decoder = xml.NewDecoder(t)
	return t
}

// Read reads for the decoder.
func (t *tokens) Read(p []byte) (int, error) {
	if t.left <= 0 {
		return 0, errTooLong
	}
	n, err := t.part.Read(p[:min(len(p), t.left)])
	t.left -= n
	t.read += int64(n)
	if TooLarge(t.read, t.size) {
		return n, ErrExpands
	}
	return n, err
}

// next returns the next token, whose octets are valid until the token after it.
// io.EOF ends the part.
func (t *tokens) next() (xml.Token, error) {
	t.left = MaxRow
	token, err := t.decoder.RawToken()
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, ErrExpands) || errors.Is(err, errTooLong) {
		return token, err
	}
	return nil, fmt.Errorf("a part is damaged: %w", err)
}

// attribute returns an attribute of an element, without regard to its name
// space.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
