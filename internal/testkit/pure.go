package testkit

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Pure holds the package of the test to plain values: its files import nothing
// but what is allowed, read no clock, and begin no goroutine.
func Pure(t *testing.T, allowed ...string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range impure(name, text, allowed) {
			t.Error(fault)
		}
	}
}

// impure says what a file has that a value has not.
func impure(name string, text []byte, allowed []string) (faults []string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return []string{err.Error()}
	}
	for _, spec := range file.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); !slices.Contains(allowed, path) {
			faults = append(faults, name+" imports "+path)
		}
	}
	for _, word := range []string{
		"time.Now", "time.After", "time.Sleep", "time.Since", "time.Until", "time.NewT", "time.Tick",
		"go func", "chan ",
	} {
		if strings.Contains(string(text), word) {
			faults = append(faults, name+" says "+word)
		}
	}
	return faults
}
