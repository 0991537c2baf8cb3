package main

import (
	"os"
	"strings"
	"unicode/utf8"
)

// shownFile is a terminal to which rows go. Cells of a list come from strangers: what could move the cursor or hide text is made visible.
type shownFile struct{ *os.File }

// Write writes whole rows.
func (f shownFile) Write(rows []byte) (int, error) {
	if _, err := f.File.WriteString(shownRows(string(rows))); err != nil {
		return 0, err
	}
	return len(rows), nil
}

// shownRows are rows as a terminal may have them: as [printable] has it, but with their tabs and line ends.
func shownRows(rows string) string {
	var out strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(rows, "\ufeff")) {
		body, _ := strings.CutSuffix(line, "\n")
		body, _ = strings.CutSuffix(body, "\r")
		for i, cell := range strings.Split(strings.ToValidUTF8(body, string(utf8.RuneError)), "\t") {
			if i > 0 {
				out.WriteByte('\t')
			}
			out.WriteString(printable(cell))
		}
		out.WriteString(line[len(body):])
	}
	return out.String()
}
