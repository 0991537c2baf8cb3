package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMutations holds each kind of change, and that there are no others.
func TestMutations(t *testing.T) {
	for _, test := range []struct {
		body string
		want []string
	}{
		{"if a < b { return true }", []string{
			"if (a < b) && false { return true }", "if (a < b) || true { return true }", "if a <= b { return true }",
			"if a < b { return false }",
		}},
		{"c := a && !b", []string{"c := a || !b", "c := a && b"}},
		{"f(); x = 1; y++; z := 1", []string{
			"{}; x = 1; y++; z := 1", "f(); {}; y++; z := 1", "f(); x = 1; {}; z := 1",
			"f(); x = 2; y++; z := 1", "f(); x = 1; y++; z := 2",
		}},
		{"switch { case a.b: f() }", []string{"switch { case (a.b) && false: f() }", "switch { case a.b: {} }"}},
		{"for { continue }", []string{"for { break }"}},
		{"for { continue out }", nil},
		{"z := max(a, 200)", []string{"z := min(a, 200)", "z := max(a, 400)"}},
		{`z := "a"`, nil},
	} {
		found, err := mutate("x.go", []byte("package x\nfunc x() bool {"+test.body+"}"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range found {
			text := strings.TrimPrefix(string(m.mutated()), "package x\nfunc x() bool {")
			got = append(got, strings.TrimSuffix(text, "}"))
			if m.line != 2 {
				t.Errorf("%v is in line %d", m, m.line)
			}
		}
		slices.Sort(got)
		slices.Sort(test.want)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s:\n%s\nwant\n%s", test.body, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
	}
}

// TestTable counts who has noticed what.
func TestTable(t *testing.T) {
	counts := table{}
	for _, judge := range []string{"tables", "tables", "sums", "simulation", "suite", nobody, nobody, nobody} {
		counts.add("p", verdict{judge: judge})
	}
	const want = "| `p` | 8 | 2 | 1 | 1 | 1 | 3 |\n"
	if got := counts.String(); !strings.HasSuffix(got, want) {
		t.Errorf("no line %q in\n%s", want, got)
	}
}

// TestSubjects sees that there is something to change in each package.
func TestSubjects(t *testing.T) {
	t.Chdir("..")
	for _, folder := range subjects {
		if all, err := mutations([]string{folder}); err != nil || len(all) < 100 {
			t.Errorf("%s: %d mutations, %v", folder, len(all), err)
		}
	}
}

// TestFailures sees which tests are said to fail: those of a program that
// prints what a test prints.
func TestFailures(t *testing.T) {
	t.Chdir("..")
	for _, test := range []struct {
		program string
		want    []string
	}{
		{"exit 0", nil},
		{"echo '--- FAIL: TestA (0.00s)'; echo '    --- FAIL: TestA/b'; echo '--- FAIL: TestC'; exit 1", []string{"TestA", "TestC"}},
		{"exit 2", []string{"no end"}},
	} {
		binary := filepath.Join(t.TempDir(), "test")
		if err := os.WriteFile(binary, []byte("#!/bin/sh\n"+test.program+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if got := failures(binary, "lab", ""); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q", test.program, got)
		}
	}
}
