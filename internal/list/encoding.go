package list

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// sampleSize is how much of a list is read to find its format: some hundred
// rows.
const sampleSize = 64 << 10

const byteOrderMark = "\ufeff"

// text is a list in an encoding in which delimiters, quotes and line ends are
// ASCII octets: UTF-8, or an encoding of one octet per character.
type text struct {
	*bufio.Reader
	marked bool   // it began with a byte order mark
	sample []byte // its beginning
	whole  bool   // the sample is the whole list
}

// openText finds the encoding and the line ends of a list.
func openText(raw *bufio.Reader) (*text, error) {
	decoded, marked, err := decode(raw)
	if err != nil {
		return nil, err
	}
	sample, whole, err := peekText(decoded)
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(sample, 0) >= 0 {
		return nil, formatError("it has NUL octets, so it is not text in UTF-8 or Windows-1252; " +
			"UTF-16 needs a byte order mark")
	}
	if bytes.IndexByte(sample, '\n') < 0 && bytes.IndexByte(sample, '\r') >= 0 {
		decoded = bufio.NewReaderSize(lineFeeds{decoded}, sampleSize)
		if sample, whole, err = peekText(decoded); err != nil {
			return nil, err
		}
	}
	return &text{Reader: decoded, marked: marked, sample: bytes.Clone(sample), whole: whole}, nil
}

// peek returns the beginning of r, and whether r has no more.
func peek(r *bufio.Reader) (sample []byte, whole bool, err error) {
	sample, err = r.Peek(sampleSize)
	if errors.Is(err, io.EOF) {
		return sample, true, nil
	}
	return sample, false, err
}

// peekText is peek, but an error behind the beginning comes when r is read.
func peekText(r *bufio.Reader) (sample []byte, whole bool, err error) {
	if sample, whole, err = peek(r); len(sample) > 0 {
		err = nil
	}
	return sample, whole, err
}

// zipMagic begins a ZIP archive, which a spreadsheet is.
const zipMagic = "PK\x03\x04"

// magicSize is the length of the longest signature of otherFormats.
const magicSize = 8

// otherFormats are the signatures of formats that are given by mistake, and
// what to do instead.
var otherFormats = []struct{ magic, name, instead string }{
	{"PK\x05\x06", "an empty ZIP archive", "choose another file"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old spreadsheet (.xls) or one with a password",
		"save it as .xlsx without a password, or as CSV"},
	{"\x1f\x8b", "compressed twice", "unpack it first"},
	{"BZh", "compressed with bzip2", "write bunzip2 -c FILE | rcpt bulk -"},
	{"\xfd7zXZ\x00", "compressed with xz", "write xz -dc FILE | rcpt bulk -"},
	{"\x28\xb5\x2f\xfd", "compressed twice", "unpack it first"},
	{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"},
	{"Rar!\x1a\x07", "a RAR archive", "unpack it first"},
	{"%PDF-", "a PDF document", "export its table as CSV"},
	{"SQLite f", "an SQLite data base", "export a table as CSV"},
}

// decode removes a byte order mark and decodes UTF-16. Other encodings are
// decoded row by row: see [toUTF8].
func decode(r *bufio.Reader) (decoded *bufio.Reader, marked bool, err error) {
	head, err := r.Peek(magicSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	begins := func(octets string) bool { return strings.HasPrefix(string(head), octets) }
	utf16 := func(order unicode.Endianness) *bufio.Reader {
		return bufio.NewReaderSize(unicode.UTF16(order, unicode.ExpectBOM).NewDecoder().Reader(r), sampleSize)
	}
	switch {
	case begins(byteOrderMark):
		_, err := r.Discard(len(byteOrderMark))
		return r, true, err
	case begins("\xff\xfe"):
		return utf16(unicode.LittleEndian), true, nil
	case begins("\xfe\xff"):
		return utf16(unicode.BigEndian), true, nil
	}
	for _, other := range otherFormats {
		if begins(other.magic) {
			return nil, false, formatError("it is %s: %s", other.name, other.instead)
		}
	}
	return r, false, nil
}

// lineFeeds turns the line ends of old Macs, single carriage returns, into line
// feeds.
type lineFeeds struct{ below io.Reader }

func (l lineFeeds) Read(p []byte) (int, error) {
	n, err := l.below.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// toUTF8 decodes a row or a cell that is not UTF-8 as Windows-1252, which
// includes Latin-1.
func toUTF8(row string) string {
	if utf8.ValidString(row) {
		return row
	}
	decoded, err := charmap.Windows1252.NewDecoder().String(row)
	if err != nil {
		return strings.ToValidUTF8(row, "\uFFFD")
	}
	return decoded
}
