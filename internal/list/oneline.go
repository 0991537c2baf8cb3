package list

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"
)

// isOneLine reports whether a text is one line of several addresses, as mail
// programs copy the field "To".
func (b *beginning) isOneLine() bool {
	if !b.whole || len(b.Options.Columns) > 0 || b.HeaderRow > 0 || !utf8.Valid(b.text) {
		return false
	}
	return len(b.rows(0)) == 1 && len(addressesOf(string(b.text))) > 1
}

// addressesOf returns the addresses of a line with their names; nil: it has
// other parts.
func addressesOf(line string) []string {
	if words := strings.Fields(line); allAddresses(words) {
		return words
	}
	var found []string
	from := 0
	for at, r := range line + ";" {
		if r != ';' && r != ',' { // which may be in a name, too
			continue
		}
		if part := strings.TrimSpace(line[from:at]); looksLikeAddress(part) {
			found = append(found, part)
			from = at + 1
		}
	}
	if from < len(line) && strings.Trim(line[from:], " ;,\r\n") != "" || !allAddresses(found) {
		return nil
	}
	return found
}

func allAddresses(parts []string) bool {
	for _, part := range parts {
		if kind, _ := held(part); kind != Address || !looksLikeAddress(part) {
			return false
		}
	}
	return len(parts) > 0
}

// convert puts the addresses of one line into lines of their own.
func (lineKind) convert(text *bufio.Reader, d *Description) io.Reader {
	if !d.OneLine {
		return text
	}
	line, _ := io.ReadAll(text) // [Describe] has seen all of it
	return strings.NewReader(strings.Join(addressesOf(string(line)), "\n") + "\n")
}
