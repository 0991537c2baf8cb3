package list

import (
	"bytes"
	"regexp"
	"strings"
)

// zipMagic begins a ZIP archive, which a spreadsheet is.
const zipMagic = "PK\x03\x04"

// magicSize is how many octets [mistaken] needs.
const magicSize = 512

// otherFormats are the signatures of formats that are given by mistake, and
// what to do instead. Letters that a text may have too, at its beginning or
// later, count only where a NUL is near.
var otherFormats = []struct {
	magic, name, instead string
	at                   int // octets before the signature
}{
	{"PK\x05\x06", "an empty ZIP archive", "choose another file", 0},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old spreadsheet (.xls) or one with a password",
		"save it as .xlsx without a password, or as CSV", 0},
	{"\x09\x08\x10\x00", "an old spreadsheet (.xls)", "save it as .xlsx, or as CSV", 0},
	{"\x1f\x8b", "compressed twice", "unpack it first", 0},
	{"BZh", "compressed with bzip2", "write bunzip2 -c FILE | rcpt bulk -", 0},
	{"\xfd7zXZ\x00", "compressed with xz", "write xz -dc FILE | rcpt bulk -", 0},
	{"\x28\xb5\x2f\xfd", "compressed twice", "unpack it first", 0},
	{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first", 0},
	{"Rar!\x1a\x07", "a RAR archive", "unpack it first", 0},
	{"ustar", "a tar archive", "unpack it first", 257},
	{"%PDF-", "a PDF document", "export its table as CSV", 0},
	{"%!PS", "a PostScript document", "export its table as CSV", 0},
	{"SQLite f", "an SQLite data base", "export a table as CSV", 0},
	{"\x00\x01\x00\x00Standard ", "an Access data base", "export a table as CSV", 0},
	{"!BDN", "a mailbox of Outlook (.pst)", "export the contacts as CSV", 0},
	{"PGDMP", "a dump of PostgreSQL", `write the table as CSV: \copy TABLE to list.csv csv header`, 0},
	{"PAR1", "a Parquet file", "write it as CSV", 0},
	{"\x89PNG", "a picture (PNG)", noText, 0},
	{"\xff\xd8\xff", "a picture (JPEG)", noText, 0},
	{"GIF8", "a picture (GIF)", noText, 0},
	{"WEBP", "a picture (WebP)", noText, 8},
	{"II*\x00", "a picture (TIFF)", noText, 0},
	{"MM\x00*", "a picture (TIFF)", noText, 0},
	{"BM", "a picture (BMP)", noText, 0},
	{"ftypheic", "a picture (HEIC)", noText, 4},
	{"ftypmif1", "a picture (HEIC)", noText, 4},
	{"ftypavif", "a picture (AVIF)", noText, 4},
	{"ftyp", "a film", noText, 4},
	{"MZ", "a program", "choose another file", 0},
	{"\x7fELF", "a program", "choose another file", 0},
	{"bplist00", "a property list of Apple", "export the list as CSV", 0},
}

// noText is what to do with a picture.
const noText = "type the list, or export it as CSV"

// mistaken returns an error for a format that is given by mistake.
func mistaken(octets []byte) error {
	binary := bytes.IndexByte(octets[:min(len(octets), magicSize)], 0) >= 0
	for _, other := range otherFormats {
		sure := binary || other.at == 0 && (len(other.magic) > len("MZ") || other.magic[0] < ' ')
		if sure && bytes.HasPrefix(octets[min(len(octets), other.at):], []byte(other.magic)) {
			return formatError("it is %s: %s", other.name, other.instead)
		}
	}
	return nil
}

// otherTexts are texts that are given by mistake, by how they begin, and what
// to do instead.
var otherTexts = []struct {
	begins        *regexp.Regexp
	name, instead string
}{
	{regexp.MustCompile(`^\{\\rtf`), "a text document (.rtf)", "save its table as CSV"},
	{regexp.MustCompile(`^(?i:BEGIN:VCALENDAR)\b`), "a calendar (.ics)", "export the list as CSV"},
	{regexp.MustCompile(`^<\?xml\b[^>]*>\s*(<!--.*?-->\s*)*<office:document\b`),
		"an OpenDocument spreadsheet (.fods)", asOther},
	{regexp.MustCompile(`^<(\?xml\b|[A-Za-z][\w.:-]*(\s[^<>@]*)?>\s*<[A-Za-z])`),
		"an XML document", "save the list as CSV"},
	{regexp.MustCompile(`^From \S+ +\S.*\d\d:\d\d`), "a mailbox (mbox)", addressBook},
	{regexp.MustCompile(`^--\s+(MySQL|MariaDB|phpMyAdmin|PostgreSQL)\b`), "an SQL dump", "export the table as CSV"},
}

// asOther is what to do with another spreadsheet.
const asOther = "save the list as .xlsx or CSV"

// addressBook is what to do with mail.
const addressBook = "export the address book as CSV"

// mistakenText returns an error for a text that is given by mistake.
func mistakenText(text []byte) error {
	text = bytes.TrimLeft(text, byteOrderMark+" \t\r\n")
	for _, other := range otherTexts {
		if other.begins.Match(text) {
			return formatError("it is %s: %s", other.name, other.instead)
		}
	}
	switch {
	case isMail(string(text)) && webArchive.Match(text):
		return formatError("it is a web page in one file (.mht): %s", asOther)
	case isMail(string(text)):
		return formatError("it is a mail: %s", addressBook)
	case isSQL(string(text)):
		return formatError("it is an SQL dump: export the table as CSV")
	}
	return nil
}

// sqlStatement matches the first statement of a dump.
var sqlStatement = regexp.MustCompile(`^(?i:(INSERT|REPLACE)\s+INTO|(CREATE|DROP|LOCK)\s+(TABLE|DATABASE)|` +
	`SET\s+(NAMES|SQL_MODE|statement_timeout)|USE\s+\S+;|(BEGIN|START)\s+TRANSACTION;|PRAGMA\s+foreign_keys|` +
	`COPY\s+\S+\s+\(.*\)\s+FROM)`)

// isSQL reports whether the first line that is no comment is a statement.
func isSQL(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "--") && !strings.HasPrefix(line, "/*") && line[0] != '#' {
			return sqlStatement.MatchString(line)
		}
	}
	return false
}

// webArchive matches the header of a page that Excel or a browser saved.
var webArchive = regexp.MustCompile(`(?im)^(X-Document-Type|Snapshot-Content-Location|From: *<?Saved by)`)

// mailFields are fields of the header of a mail that no list begins with.
var mailFields = []string{"received", "return-path", "delivered-to", "message-id", "date", "subject", "mime-version",
	"content-type", "dkim-signature", "x-mozilla-status"}

// isMail reports whether a text begins with the header of a mail (RFC 5322
// section 2.2): two fields or more, of which one is no list of addresses.
func isMail(text string) bool {
	fields, known := 0, false
	for line := range strings.Lines(text) {
		name, _, found := strings.Cut(line, ":")
		switch {
		case line[0] == ' ' || line[0] == '\t':
			continue
		case !found || strings.ContainsAny(name, " \t,;\"@|"):
			return known && fields > 1
		}
		fields++
		for _, field := range mailFields {
			known = known || strings.EqualFold(name, field)
		}
	}
	return known && fields > 1
}
