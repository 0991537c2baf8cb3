// Package tty has what commands need to write to a terminal: whether there is
// one, how wide it is, and text from elsewhere made safe for it.
package tty

import (
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// Is reports whether a file is a terminal.
func Is(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Width returns the number of columns of a terminal, or otherwise where f is
// not a terminal or does not tell.
func Width(f *os.File, otherwise int) int {
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width
	}
	return otherwise
}

// Printable replaces control and format characters with U+FFFD. They could
// move the cursor, hide text or change its direction.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// PrintableRows is [Printable] for the rows of a list. It keeps their tabs and
// line ends.
func PrintableRows(rows string) string {
	var out strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(rows, "\ufeff")) {
		body, _ := strings.CutSuffix(line, "\n")
		body, _ = strings.CutSuffix(body, "\r")
		for i, cell := range strings.Split(strings.ToValidUTF8(body, string(utf8.RuneError)), "\t") {
			if i > 0 {
				out.WriteByte('\t')
			}
			out.WriteString(Printable(cell))
		}
		out.WriteString(line[len(body):])
	}
	return out.String()
}
