package list

import (
	"bufio"
	"bytes"
	"errors"
	"io"
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
func (d *Description) findEncoding(octets []byte, o Options) error {
	if d.Encoding, d.Marked = markOf(octets); d.Marked {
		d.EncodingWhy = Marked
		return nil
	}
	if o.Encoding == "" || o.SheetText {
		return nil
	}
	given, err := CharsetNamed(o.Encoding)
	d.Encoding, d.EncodingWhy = given, Given
	return err
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
