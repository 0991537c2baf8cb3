package list

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/rcpt/rcpt/engine/address"
)

// Encoding is the name of the encoding of a text.
type Encoding string

// The encodings that are recognised by their octets.
const (
	UTF8        Encoding = "UTF-8"
	UTF16LE     Encoding = "UTF-16LE"
	UTF16BE     Encoding = "UTF-16BE"
	UTF32LE     Encoding = "UTF-32LE"
	UTF32BE     Encoding = "UTF-32BE"
	windows1252 Encoding = "Windows-1252" // includes Latin-1
)

// Charset is an encoding that a list may have.
type Charset struct {
	Name     Encoding
	For      string // what is written in it
	encoding encoding.Encoding
}

// charsets are the encodings, the most frequent of a script first. ISO-8859-1,
// -9 and -11 are parts of Windows-1252, -1254 and -874, and GB 2312 and GBK are
// parts of GB18030.
var charsets = []Charset{
	{UTF8, "all languages", encoding.Nop},
	{UTF16LE, "all languages", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
	{UTF16BE, "all languages", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
	{UTF32LE, "all languages", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
	{UTF32BE, "all languages", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
	{windows1252, "Western Europe", charmap.Windows1252},
	{"Windows-1250", "Central Europe", charmap.Windows1250},
	{"Windows-1251", "Cyrillic", charmap.Windows1251},
	{"Windows-1253", "Greek", charmap.Windows1253},
	{"Windows-1254", "Turkish", charmap.Windows1254},
	{"Windows-1255", "Hebrew", charmap.Windows1255},
	{"Windows-1256", "Arabic", charmap.Windows1256},
	{"Windows-1257", "Baltic", charmap.Windows1257},
	{"Windows-1258", "Vietnamese", charmap.Windows1258},
	{"Windows-874", "Thai", charmap.Windows874},
	{"Shift_JIS", "Japanese", japanese.ShiftJIS},
	{"EUC-JP", "Japanese", japanese.EUCJP},
	{"ISO-2022-JP", "Japanese", japanese.ISO2022JP},
	{"GB18030", "Chinese", simplifiedchinese.GB18030},
	{"Big5", "Chinese, traditional", traditionalchinese.Big5},
	{"EUC-KR", "Korean", korean.EUCKR},
	{"KOI8-R", "Russian", charmap.KOI8R},
	{"KOI8-U", "Ukrainian", charmap.KOI8U},
	{"macintosh", "Western Europe, old Macs", charmap.Macintosh},
	{"x-mac-cyrillic", "Cyrillic, old Macs", charmap.MacintoshCyrillic},
	{"IBM437", "DOS", charmap.CodePage437},
	{"IBM850", "Western Europe, DOS", charmap.CodePage850},
	{"IBM852", "Central Europe, DOS", charmap.CodePage852},
	{"IBM855", "Cyrillic, DOS", charmap.CodePage855},
	{"IBM858", "Western Europe, DOS", charmap.CodePage858},
	{"IBM860", "Portuguese, DOS", charmap.CodePage860},
	{"IBM862", "Hebrew, DOS", charmap.CodePage862},
	{"IBM863", "French of Canada, DOS", charmap.CodePage863},
	{"IBM865", "Norwegian and Danish, DOS", charmap.CodePage865},
	{"IBM866", "Cyrillic, DOS", charmap.CodePage866},
	{"ISO-8859-2", "Central Europe", charmap.ISO8859_2},
	{"ISO-8859-3", "Southern Europe", charmap.ISO8859_3},
	{"ISO-8859-4", "Northern Europe", charmap.ISO8859_4},
	{"ISO-8859-5", "Cyrillic", charmap.ISO8859_5},
	{"ISO-8859-6", "Arabic", charmap.ISO8859_6},
	{"ISO-8859-7", "Greek", charmap.ISO8859_7},
	{"ISO-8859-8", "Hebrew", charmap.ISO8859_8},
	{"ISO-8859-10", "Northern Europe", charmap.ISO8859_10},
	{"ISO-8859-13", "Baltic", charmap.ISO8859_13},
	{"ISO-8859-14", "Celtic", charmap.ISO8859_14},
	{"ISO-8859-15", "Western Europe", charmap.ISO8859_15},
	{"ISO-8859-16", "South-Eastern Europe", charmap.ISO8859_16},
}

// Charsets returns the encodings that a list may have.
func Charsets() []Charset { return charsets }

// otherNames are names of encodings that no registry has, as Python, iconv and
// Windows call them, in the form of [plainName].
var otherNames = map[string]Encoding{
	"utf16": UTF16LE, "utf32": UTF32LE, "ansi": windows1252, "latin1": windows1252, "macroman": "macintosh",
	"maccyrillic": "x-mac-cyrillic", "cp932": "Shift_JIS", "cp936": "GB18030", "cp949": "EUC-KR", "uhc": "EUC-KR",
	"latin7": "ISO-8859-13", "latin8": "ISO-8859-14", "latin9": "ISO-8859-15", "latin10": "ISO-8859-16",
	"cp65001": UTF8, "cp1200": UTF16LE, "cp1201": UTF16BE, "cp10000": "macintosh", "cp20866": "KOI8-R",
	"cp950": "Big5", "big5hkscs": "Big5", "eucjp": "EUC-JP", "euckr": "EUC-KR", "sjis": "Shift_JIS",
}

// CharsetNamed finds an encoding by one of its names: that of [Charsets], of
// the Encoding Standard, of IANA, of Python, or the number of a code page.
func CharsetNamed(name string) (Encoding, error) {
	plain := plainName(name)
	for _, prefix := range []string{"", "windows", "ibm", "cp"} {
		for _, c := range charsets {
			if plainName(string(c.Name)) == prefix+strings.TrimPrefix(plain, "cp") {
				return c.Name, nil
			}
		}
		if other, found := otherNames[prefix+plain]; found {
			return other, nil
		}
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		e, err = ianaindex.IANA.Encoding(name)
	}
	switch {
	case e == simplifiedchinese.GBK:
		e = simplifiedchinese.GB18030
	case e == charmap.ISO8859_1:
		e = charmap.Windows1252
	}
	for _, c := range charsets {
		if err == nil && c.encoding == e {
			return c.Name, nil
		}
	}
	return "", choiceError(encodingChoice, "the encoding %q is not known: use one of %s", name, knownCharsets())
}

// knownCharsets lists the names of encodings for an error.
func knownCharsets() string {
	var names []string
	for _, c := range charsets {
		names = append(names, fmt.Sprintf("%s (%s)", c.Name, c.For))
	}
	return strings.Join(names, ", ")
}

// encoding returns what decodes a text.
func (e Encoding) encoding() encoding.Encoding {
	for _, c := range charsets {
		if c.Name == e {
			return c.encoding
		}
	}
	return encoding.Nop
}

// asciiOctets are all octets of ASCII but for the line ends.
var asciiOctets = func() string {
	var all []byte
	for c := byte(0); c < utf8.RuneSelf; c++ {
		all = append(all, c)
	}
	return string(all)
}()

// isWide reports whether octets of ASCII mean something else in a text. Such a
// text is decoded before it is split into rows. Rows of others keep their
// octets, in which delimiters, quotes and line ends are those of ASCII.
func (e Encoding) isWide() bool {
	text, err := e.encoding().NewDecoder().String(asciiOctets)
	return err != nil || text != asciiOctets
}

// isDecoded reports whether a text is decoded before it is split into rows. So
// is JSON, and what has a delimiter that can be the second octet of a letter.
func (d *Description) isDecoded() bool {
	_, oneOctet := d.Encoding.encoding().(*charmap.Charmap)
	switch {
	case d.Encoding == UTF8 || d.Mixed:
		return false
	case d.Encoding.isWide() || d.Format == JSON:
		return true
	}
	return !oneOctet && d.Delimiter >= minTrail
}

// Written returns the encoding of the rows in a CSV output: that of the list
// where they keep their octets.
func (d *Description) Written() Encoding {
	if d.isDecoded() || d.Format != CSV {
		return UTF8
	}
	return d.Encoding
}

// minTrail is the least octet of ASCII that is part of a letter in Shift_JIS,
// Big5 and GB18030, but for digits.
const minTrail = 0x40

// cellText decodes what rows of a text hold.
type cellText struct {
	encoding encoding.Encoding
	mixed    bool // what is UTF-8 is UTF-8, and only the rest has the encoding
}

// utf8OrWindows reads text of which all that is known is that it should be
// UTF-8.
var utf8OrWindows = cellText{charmap.Windows1252, true}

// cellText returns what decodes rows whose octets were kept. Hardly a row of an
// encoding of one octet per letter is UTF-8 by chance, and behind the first
// rows others may be, on purpose.
func (d *Description) cellText() cellText {
	if d.Encoding == UTF8 || d.isDecoded() {
		return utf8OrWindows
	}
	_, oneOctet := d.Encoding.encoding().(*charmap.Charmap)
	return cellText{d.Encoding.encoding(), d.Mixed || oneOctet && d.EncodingWhy == Guessed}
}

// isForeign reports whether a row or a cell is not UTF-8.
func (c cellText) isForeign(octets string) bool {
	if c.mixed {
		return !utf8.ValidString(octets)
	}
	return !isASCII(octets)
}

// toUTF8 decodes a row or a cell.
func (c cellText) toUTF8(octets string) string {
	if !c.isForeign(octets) {
		return octets
	}
	decoded, err := c.encoding.NewDecoder().String(octets)
	if err != nil {
		return strings.ToValidUTF8(octets, "\uFFFD")
	}
	return decoded
}

// fitted is a cell for a row whose octets were kept: it has the encoding of the
// row. Where that lacks a letter, the domain of an address is written in ASCII
// (RFC 5891), and other text with question marks; a local part with them would
// be another address.
func (c cellText) fitted(cell, row string) string {
	if isASCII(cell) || c.mixed && !c.isForeign(row) {
		return cell
	}
	if octets, err := c.encoding.NewEncoder().String(cell); err == nil {
		return octets
	}
	parsed, err := address.Read(cell)
	switch {
	case err != nil:
		return ascii(cell)
	case isASCII(parsed.Mailbox()):
		return parsed.Mailbox()
	}
	return ""
}

// ascii replaces the characters of a cell that are not ASCII.
func ascii(cell string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '?'
		}
		return r
	}, cell)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
