package list

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

const byteOrderMark = "\ufeff"

// Encoding is the encoding of a text.
type Encoding string

// The encodings.
const (
	UTF8    Encoding = "UTF-8" // rows that are not UTF-8 are read as Windows-1252: see toUTF8
	UTF16LE Encoding = "UTF-16LE"
	UTF16BE Encoding = "UTF-16BE"
)

// encodings are the encodings with the octets of their byte order marks. The
// text of one without a decoder is taken as it is.
var encodings = []struct {
	Encoding
	mark    string
	decoder encoding.Encoding
}{
	{UTF8, byteOrderMark, nil},
	{UTF16LE, "\xff\xfe", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
	{UTF16BE, "\xfe\xff", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
}

// encodingOf returns the encoding of a text, and whether its mark says so.
func encodingOf(octets []byte) (e Encoding, marked bool) {
	for _, row := range encodings {
		if bytes.HasPrefix(octets, []byte(row.mark)) {
			return row.Encoding, true
		}
	}
	return UTF8, false
}

// reader decodes a text, whose mark is left out.
func (e Encoding) reader(r *bufio.Reader, marked bool) (*bufio.Reader, error) {
	for _, row := range encodings {
		if row.Encoding != e {
			continue
		}
		if marked {
			if _, err := r.Discard(len(row.mark)); err != nil {
				return nil, err
			}
		}
		if row.decoder != nil {
			r = bufio.NewReaderSize(row.decoder.NewDecoder().Reader(r), sampleSize)
		}
	}
	return r, nil
}

// textOf decodes the beginning of a text. A character that is cut off is left
// out.
func (e Encoding) textOf(octets []byte, marked, whole bool) []byte {
	if e != UTF8 && !whole {
		octets = octets[:len(octets)&^1]
	}
	r, err := e.reader(bufio.NewReader(bytes.NewReader(octets)), marked)
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
	if e, _ := encodingOf(octets); e != UTF8 && err == nil {
		octets, err = r.Peek(2 * sampleSize) // two octets or more for each character
	}
	if whole = errors.Is(err, io.EOF); whole || len(octets) > 0 {
		err = nil
	}
	return octets, whole, err
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

// refused returns an error for a format that is given by mistake.
func refused(octets []byte) error {
	for _, other := range otherFormats {
		if bytes.HasPrefix(octets, []byte(other.magic)) {
			return formatError("it is %s: %s", other.name, other.instead)
		}
	}
	return nil
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
