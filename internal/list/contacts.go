package list

import (
	"bufio"
	"encoding/base64"
	"io"
	"mime/quotedprintable"
	"regexp"
	"strings"

	"github.com/rcpt/rcpt/internal/list/xlsx"
)

// The address books: vCard 2.1, 3.0 (RFC 2426) and 4.0 (RFC 6350), and LDIF
// (RFC 2849). Each address of a contact has a row, since it has a result of its
// own; a contact without one has a row too.
var (
	vCards = table{begins: func(_, text []byte) bool { return cardBegins.Match(text) },
		open: textTables{names: singleTable, rows: vCardRows}.open}
	directories = table{begins: func(_, text []byte) bool { return entryBegins.Match(text) },
		open: textTables{names: singleTable, rows: ldifRows}.open}
)

var (
	cardBegins = regexp.MustCompile(`^(?i:BEGIN:VCARD)\s*[\r\n]`)
	// Comments and empty lines, the version, and the name of an entry.
	entryBegins = regexp.MustCompile(`^(?:#.*\n(?: .*\n)*|\s*\n)*(?i:version:\s*[0-9]+\s*\n)?` +
		`(?:#.*\n(?: .*\n)*|\s*\n)*(?i:dn:(?::\s*[A-Za-z0-9+/]+|\s*[A-Za-z0-9.]+\s*=))`)
)

// contact is an entry of an address book.
type contact struct {
	name, parts, organization string // parts: the given name and that of the family
	addresses                 []string
	has                       map[string]bool // those that are among them
}

// contactNames are the names of the columns.
var contactNames = []string{"name", lineColumn, "organization"}

// contacts makes rows of contacts.
type contacts struct {
	lines   *contentLines
	read    func(line contentLine, c *contact) (ends bool)
	present contact
	rows    [][]string // not returned yet
	number  int
	err     error
}

func (c *contacts) next() (xlsx.Row, error) {
	for len(c.rows) == 0 {
		if c.err != nil {
			return xlsx.Row{}, c.err
		}
		line, err := c.lines.next()
		if c.err = err; err != nil || c.read(line, &c.present) {
			c.end()
		}
	}
	var cells []xlsx.Cell
	for _, text := range c.rows[0] {
		cells = append(cells, xlsx.Cell{Text: text})
	}
	c.rows = c.rows[1:]
	c.number++
	return xlsx.Row{Number: c.number, Cells: cells}, nil
}

// end makes rows of the present contact.
func (c *contacts) end() {
	p := c.present
	c.present = contact{}
	name := p.name
	for _, other := range []string{p.parts, p.organization} {
		if name == "" {
			name = strings.TrimSpace(other)
		}
	}
	if len(p.addresses) == 0 && name != "" {
		p.addresses = []string{""}
	}
	for _, address := range p.addresses {
		c.rows = append(c.rows, []string{name, address, p.organization})
	}
}

// add adds an address, once.
func (c *contact) add(address string) {
	if address = strings.TrimSpace(address); address == "" || c.has[address] {
		return
	}
	if c.has == nil {
		c.has = map[string]bool{}
	}
	c.has[address] = true
	c.addresses = append(c.addresses, address)
}

func vCardRows(text *bufio.Reader, _ int) func() (xlsx.Row, error) {
	c := &contacts{lines: newContentLines(text, true), read: readCard, rows: [][]string{contactNames}}
	return c.next
}

// readCard reads a line of a vCard.
func readCard(line contentLine, c *contact) (ends bool) {
	value := line.value
	switch line.name {
	case "BEGIN", "END":
		return true
	case "FN":
		c.name = unescaped(value)
	case "N":
		parts := append(strings.Split(value, ";"), "")
		c.parts = unescaped(parts[1] + " " + parts[0])
	case "ORG":
		organization, _, _ := strings.Cut(value, ";")
		c.organization = unescaped(organization)
	case "EMAIL":
		c.add(unescaped(value))
	}
	return false
}

var escapes = strings.NewReplacer(`\\`, `\`, `\,`, ",", `\;`, ";", `\:`, ":", `\n`, " ", `\N`, " ")

// unescaped is a text of a vCard (RFC 6350 section 3.4).
func unescaped(text string) string {
	return strings.TrimSpace(escapes.Replace(text))
}

func ldifRows(text *bufio.Reader, _ int) func() (xlsx.Row, error) {
	c := &contacts{lines: newContentLines(text, false), read: readEntry, rows: [][]string{contactNames}}
	return c.next
}

// readEntry reads a line of LDIF. The attributes are those of RFC 4519, RFC
// 2798, and of Thunderbird.
func readEntry(line contentLine, c *contact) (ends bool) {
	switch line.name {
	case "":
		return true
	case "CN":
		c.name = line.value
	case "DISPLAYNAME":
		if c.name == "" {
			c.name = line.value
		}
	case "GIVENNAME":
		c.parts = line.value + " " + c.parts
	case "SN":
		c.parts += line.value
	case "O":
		c.organization = line.value
	case "MAIL", "RFC822MAILBOX", "EMAIL", "EMAILADDRESS", "MOZILLASECONDEMAIL", "MAILALTERNATEADDRESS":
		c.add(strings.TrimPrefix(line.value, "mailto:"))
	}
	return false
}

// contentLine is a line of an address book, decoded.
type contentLine struct {
	name  string // in upper case, without group and options; "": an empty line of LDIF
	value string
}

// contentLines reads the lines of an address book, of which each may be folded
// into several.
type contentLines struct {
	rows  rowReader
	cards bool // vCard; else LDIF
	ahead string
	err   error // that came instead
	held  bool  // ahead and err come next
}

func newContentLines(text *bufio.Reader, cards bool) *contentLines {
	return &contentLines{rows: rowReader{text: text}, cards: cards}
}

// maxKept is how much of a line is kept: a picture of a contact may be long.
const maxKept = 64 << 10

// next returns the next line.
func (l *contentLines) next() (contentLine, error) {
	for {
		line, err := l.physical()
		if err != nil {
			return contentLine{}, err
		}
		if line == "" && !l.cards {
			return contentLine{}, nil
		}
		line = l.unfolded(line)
		head, value, found := cutHead(line)
		if found && !strings.HasPrefix(head, "#") {
			return l.decoded(head, value), nil
		}
	}
}

// physical returns the next line of the text, without its end.
func (l *contentLines) physical() (string, error) {
	if l.held {
		l.held = false
		return l.ahead, l.err
	}
	row, err := l.rows.next()
	line, _ := cutLineEnd(row)
	return line, err
}

// unfolded adds the lines that continue a line. In vCard 2.1, an "=" at the end
// of quoted-printable does so, too.
func (l *contentLines) unfolded(line string) string {
	head, _, _ := cutHead(line)
	soft := l.cards && isQuotedPrintable(head)
	for {
		next, err := l.physical()
		folded := strings.HasPrefix(next, " ") || strings.HasPrefix(next, "\t")
		switch cut, found := strings.CutSuffix(line, "="); {
		case err == nil && soft && found:
			line = join(cut, next)
		case err == nil && folded:
			line = join(line, next[1:])
		default:
			l.ahead, l.err, l.held = next, err, true
			return line
		}
	}
}

func join(line, next string) string { return line + next[:min(len(next), max(0, maxKept-len(line)))] }

// cutHead cuts a line at the first colon outside quotes.
func cutHead(line string) (head, value string, found bool) {
	quoted := false
	for i := range len(line) {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ':' && !quoted:
			return line[:i], line[i+1:], true
		}
	}
	return line, "", false
}

func isQuotedPrintable(head string) bool {
	return strings.Contains(strings.ToUpper(head), "QUOTED-PRINTABLE")
}

// decoded decodes a line.
func (l *contentLines) decoded(head, value string) contentLine {
	name, _, _ := strings.Cut(head, ";")
	if l.cards {
		name = name[strings.LastIndexByte(name, '.')+1:]
	}
	line := contentLine{name: strings.ToUpper(strings.TrimSpace(name))}
	isBase64, text := false, utf8OrWindows
	if l.cards {
		isBase64, text = cardOptions(head)
	} else if base, found := strings.CutPrefix(value, ":"); found {
		value, isBase64 = base, true
	}
	value = strings.TrimSpace(value)
	if isBase64 {
		if octets, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(value, " ", "")); err == nil {
			value = string(octets)
		}
	}
	if l.cards && isQuotedPrintable(head) {
		octets, _ := io.ReadAll(quotedprintable.NewReader(strings.NewReader(value)))
		value = string(octets)
	}
	line.value = text.toUTF8(value)
	return line
}

// cardOptions reads what the parameters of a line of a vCard say of its value.
func cardOptions(head string) (isBase64 bool, text cellText) {
	text = utf8OrWindows
	for _, option := range strings.Split(head, ";")[1:] {
		name, value, _ := strings.Cut(strings.ToUpper(option), "=")
		switch {
		case name == "BASE64", name == "ENCODING" && (value == "B" || value == "BASE64"):
			isBase64 = true
		case name == "CHARSET":
			if named, err := CharsetNamed(strings.Trim(value, `" `)); err == nil && named != UTF8 {
				text = cellText{named.encoding(), false}
			}
		}
	}
	return isBase64, text
}
