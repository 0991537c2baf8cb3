package main

import (
	"fmt"
	"strings"
	"testing"
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

// TestPackages checks that the folders that are listed exist.
func TestPackages(t *testing.T) {
	for line := range strings.Lines(packages) {
		if _, err := checkEntry("../..", line, t.Output()); err != nil {
			t.Error(err)
		}
	}
	if _, err := checkEntry("../..", "store code", t.Output()); err == nil {
		t.Error("an unknown mark is accepted")
	}
	if _, err := checkEntry("../..", "nowhere", t.Output()); err == nil {
		t.Error("a folder that does not exist is accepted")
	}
}
