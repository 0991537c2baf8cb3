package list

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
)

const byteOrderMark = "\ufeff"

// marks are the byte order marks. That of UTF-16 begins that of UTF-32.
var marks = []struct {
	Encoding
	mark string
}{
	{UTF32LE, "\xff\xfe\x00\x00"}, {UTF32BE, "\x00\x00\xfe\xff"},
	{UTF8, byteOrderMark}, {UTF16LE, "\xff\xfe"}, {UTF16BE, "\xfe\xff"},
}

// markOf returns the encoding that the byte order mark of a text names.
func markOf(octets []byte) (e Encoding, marked bool) {
	for _, row := range marks {
		if bytes.HasPrefix(octets, []byte(row.mark)) {
			return row.Encoding, true
		}
	}
	return UTF8, false
}

// findEncoding finds the encoding of a text. Its mark is surer than what the
// caller says, as a media type may.
func (d *Description) findEncoding(octets []byte, whole bool, o Options) (err error) {
	d.Encoding, d.Marked = markOf(octets)
	switch {
	case d.Marked:
		d.EncodingWhy = Marked
	case o.SheetText:
	case o.Encoding != "":
		d.EncodingWhy = Given
		d.Encoding, err = CharsetNamed(o.Encoding)
	default:
		var wide bool
		if d.Encoding, wide = wideOf(octets); wide {
			d.EncodingWhy, d.likely = Guessed, []Encoding{d.Encoding}
			return nil
		}
		if end := bytes.LastIndexAny(octets, "\r\n"); !whole {
			octets = octets[:end+1]
		}
		d.guessEncoding(octets)
	}
	return err
}

// wideOf returns the encoding of a text that has its letters in octets of
// ASCII: of ISO-2022-JP, in which escapes introduce them (RFC 1468), or of
// UTF-16 without a byte order mark, in which ASCII stands beside NULs.
func wideOf(octets []byte) (e Encoding, found bool) {
	if bytes.Contains(octets, []byte("\x1b$B")) || bytes.Contains(octets, []byte("\x1b$@")) {
		return "ISO-2022-JP", true
	}
	var nuls [2]int // at even and odd places
	for i, c := range octets {
		if c == 0 {
			nuls[i%2]++
		}
	}
	for i, e := range []Encoding{UTF16BE, UTF16LE} {
		if nuls[i] > max(fewNULs, len(octets)/manyNULs) && nuls[i] > nuls[1-i]*manyNULs {
			return e, true
		}
	}
	return UTF8, false
}

// manyNULs: a text has at most one NUL for so many octets. fewNULs prove
// nothing.
const (
	manyNULs = 10
	fewNULs  = 3
)

// checkNULs fails for a text with many NULs, of which some fill up a block or
// come from a damaged disk.
func checkNULs(text []byte) error {
	if body := bytes.TrimRight(text, "\x00"); len(body) > 0 {
		text = body
	}
	if at := bytes.IndexByte(text, 0); bytes.Count(text, []byte{0}) > len(text)/manyNULs {
		line := linesOf(append(slices.Clone(text[:at]), '\n'))
		return formatError("line %d: it has many NUL octets, so it is no text: save the list as CSV UTF-8", line)
	}
	return nil
}

// reader decodes a text where that comes before its rows, and leaves out its
// byte order marks: programs that put files together leave several.
func (d *Description) reader(r *bufio.Reader) (*bufio.Reader, error) {
	if d.isDecoded() {
		r = bufio.NewReaderSize(d.Encoding.encoding().NewDecoder().Reader(r), sampleSize)
	}
	for {
		mark, err := r.Peek(len(byteOrderMark))
		if string(mark) != byteOrderMark {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			if d.RowsQuoted {
				r = withoutRowQuotes(r)
			}
			return r, err
		}
		if _, err := r.Discard(len(mark)); err != nil {
			return nil, err
		}
	}
}

// textOf decodes the beginning of a text. A character that is cut off is left
// out.
func (d *Description) textOf(octets []byte, whole bool) []byte {
	if d.isDecoded() && !whole {
		octets = octets[:len(octets)&^3]
	}
	r, err := d.reader(bufio.NewReader(bytes.NewReader(octets)))
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(r) // the decoders replace what is wrong
	return text
}

// sampleOf returns the octets of a list that [Describe] needs, and whether the
// list has no more. An error behind them comes when the list is read.
func sampleOf(r *bufio.Reader) (octets []byte, whole bool, err error) {
	octets, err = r.Peek(sampleSize)
	if e, _ := markOf(octets); e != UTF8 && err == nil {
		octets, err = r.Peek(2 * sampleSize) // two octets or more for each character
	}
	if whole = errors.Is(err, io.EOF); whole || len(octets) > 0 {
		err = nil
	}
	return octets, whole, err
}
