// Command columns checks how wide the lines of this module's Go files are: a
// comment has at most 80 columns, code at most 120. A tab counts as four.
//
// It reads the folders in packages.txt, which lists those whose comments have
// been converted; `make lint` runs it at the root of the module. Code in tests
// may be wider: a table reads better with a row on each line. So may the tags
// of struct fields, which cannot be wrapped. A folder marked "comments" is
// checked for these only.
package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

const (
	maxComment = 80
	maxCode    = 120
	tabWidth   = 4
)

//go:embed packages.txt
var packages string

func main() {
	bad := 0
	for line := range strings.Lines(packages) {
		n, err := checkEntry(".", line, os.Stderr)
		if err != nil {
			fmt.Fprintln(os.Stderr, "columns:", err)
			os.Exit(1)
		}
		bad += n
	}
	if bad > 0 {
		const text = "columns: %d lines are too wide: comments have at most %d columns, code %d\n"
		fmt.Fprintf(os.Stderr, text, bad, maxComment, maxCode)
		os.Exit(1)
	}
}

// checkEntry checks what a line of packages.txt names: it reports the lines of
// the folder's Go files that are too wide, and returns their number.
func checkEntry(root, line string, report io.Writer) (bad int, err error) {
	folder, mark, _ := strings.Cut(strings.TrimSpace(line), " ")
	if folder == "" || strings.HasPrefix(folder, "#") {
		return 0, nil
	}
	if mark != "" && mark != "comments" {
		return 0, fmt.Errorf("packages.txt: %q: the only mark is \"comments\"", line)
	}
	folder = filepath.Join(root, folder)
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return 0, err
	}
	if len(files) == 0 {
		return 0, fmt.Errorf("%s is in packages.txt and has no Go files", folder)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return bad, err
		}
		for _, problem := range check(file, mark != "" || strings.HasSuffix(name, "_test.go")) {
			fmt.Fprintf(report, "%s:%s\n", name, problem)
			bad++
		}
		if err := file.Close(); err != nil {
			return bad, err
		}
	}
	return bad, nil
}

// check returns what is too wide in a file, by line. With wideCode, code may be
// of any width.
func check(file io.Reader, wideCode bool) (problems []string) {
	lines := bufio.NewScanner(file)
	output := false // in the wanted output of an example
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		wide, trimmed := width(text), strings.TrimSpace(text)
		output = strings.HasPrefix(trimmed, "//") && (output || trimmed == "// Output:")
		switch {
		case output:
		case strings.HasPrefix(trimmed, "//"):
			if wide > maxComment && canWrap(text) {
				problems = append(problems, fmt.Sprintf("%d: a comment of %d columns", n, wide))
			}
		case wide > maxCode && !wideCode && !isTag(text):
			problems = append(problems, fmt.Sprintf("%d: code of %d columns", n, wide))
		}
	}
	return problems
}

// canWrap reports whether a comment is no directive and has more than one word.
func canWrap(comment string) bool {
	text := strings.TrimPrefix(strings.TrimSpace(comment), "//")
	return strings.HasPrefix(text, " ") && len(strings.Fields(text)) > 1
}

// isTag reports whether a line is the field of a struct with a tag, which Go
// has no way to wrap.
func isTag(line string) bool {
	return strings.HasSuffix(line, "\"`") && strings.Contains(line, " `")
}

func width(line string) int {
	return utf8.RuneCountInString(line) + (tabWidth-1)*strings.Count(line, "\t")
}
