package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestCheck(t *testing.T) {
	wide := func(prefix string, columns int) string {
		return prefix + strings.Repeat("x", columns-width(prefix))
	}
	for _, tt := range []struct {
		name, line string
		test, bad  bool
	}{
		{"a comment of 80 columns", wide("// a ", 80), false, false},
		{"a comment of 81 columns", wide("// a ", 81), false, true},
		{"an indented comment, by its tabs", wide("\t\t// a ", 81), false, true},
		{"an indented comment of 80 columns", wide("\t\t// a ", 80), false, false},
		{"characters count and not bytes", "// ä " + strings.Repeat("ä", 75), false, false},
		{"a comment in a test", wide("// a ", 81), true, true},
		{"one long word, such as an address", wide("// https://", 200), false, false},
		{"a directive", wide("//go:generate a ", 200), false, false},
		{"the output of an example", "// Output:\n" + wide("// a ", 81), true, false},
		{"after the output of an example", "// Output:\n// a\n}\n" + wide("// a ", 81), true, true},
		{"code of 120 columns", wide("\ta := ", 120), false, false},
		{"code of 121 columns", wide("\ta := ", 121), false, true},
		{"a field with a tag", wide("\ta b `help:\"", 200) + "\"`", false, false},
		{"a raw string that is not a tag", wide("\ta := `", 200) + "`", false, true},
		{"code in a test", wide("\ta := ", 200), true, false},
		{"a comment behind code is code", wide("\ta := b // c ", 120), false, false},
	} {
		if problems := check(strings.NewReader("package a\n"+tt.line+"\n"), tt.test); (len(problems) > 0) != tt.bad {
			t.Errorf("%s: %v", tt.name, problems)
		} else if tt.bad && !strings.HasPrefix(problems[0], fmt.Sprintf("%d: ", 2+strings.Count(tt.line, "\n"))) {
			t.Errorf("%s: %v is about another line", tt.name, problems)
		}
	}
}

// TestTree checks that the files of a tree are found, and no others.
func TestTree(t *testing.T) {
	comment := &fstest.MapFile{Data: []byte("// a " + strings.Repeat("x", maxComment) + "\n")}
	code := &fstest.MapFile{Data: []byte("var a" + strings.Repeat("x", maxCode) + "\n")}
	tree := fstest.MapFS{
		"a.go": comment, "b/c/d.go": code, "b/c/d_test.go": code, "internal/service/store/e.go": code, "internal/service/store/f.go": comment,
		"b/g.txt": comment, "b/testdata/h.go": comment, ".i/j.go": comment,
	}
	var report strings.Builder
	bad, err := checkTree(tree, &report)
	want := "a.go:1: a comment of 85 columns\nb/c/d.go:1: code of 125 columns\ninternal/service/store/f.go:1: a comment of 85 columns\n"
	if bad != 3 || err != nil || report.String() != want {
		t.Errorf("%d, %v: %s", bad, err, report.String())
	}
}

// TestWideFolders checks that the folders of wide.txt exist.
func TestWideFolders(t *testing.T) {
	for line := range strings.Lines(wideText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if files, _ := filepath.Glob(filepath.Join("../..", strings.TrimSpace(line), "*.go")); len(files) == 0 {
			t.Errorf("%q has no Go files", line)
		}
	}
}
