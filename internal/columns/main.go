// Command columns checks how wide the lines of the Go files of a tree are: a
// comment has at most 80 columns, code at most 120. A tab counts as four.
// `make lint` runs it at the root of the module.
//
// Code in tests may be wider: a table reads better with a row on each line. So
// may the tags of struct fields, which cannot be wrapped, and the code of the
// folders in wide.txt, which was written before the check.
package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxComment = 80
	maxCode    = 120
	tabWidth   = 4
)

//go:embed wide.txt
var wideText string

func main() {
	bad, err := checkTree(os.DirFS("."), os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "columns:", err)
		os.Exit(1)
	}
	if bad > 0 {
		const text = "columns: %d lines are too wide: comments have at most %d columns, code %d\n"
		fmt.Fprintf(os.Stderr, text, bad, maxComment, maxCode)
		os.Exit(1)
	}
}

// checkTree reports the lines that are too wide in the Go files of a tree, and
// returns their number. It leaves out the folders that the go command leaves
// out.
func checkTree(tree fs.FS, report io.Writer) (bad int, err error) {
	wide := strings.Split(wideText, "\n")
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && leftOut(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		file, err := tree.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		wideCode := strings.HasSuffix(name, "_test.go") || slices.Contains(wide, path.Dir(name))
		for _, problem := range check(file, wideCode) {
			fmt.Fprintf(report, "%s:%s\n", name, problem)
			bad++
		}
		return nil
	})
	return bad, err
}

// leftOut reports whether the go command leaves out a folder.
func leftOut(folder string) bool {
	return folder[0] == '.' || folder[0] == '_' || folder == "testdata" || folder == "node_modules"
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
