package licences

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryModuleIsThere checks that the text has every module that the command
// is linked with on this system, every embedded list and rcpt itself. If it
// fails, run make licences.
func TestEveryModuleIsThere(t *testing.T) {
	owners := map[string]bool{}
	for _, part := range strings.Split(Text, strings.Repeat("=", 80))[1:] {
		for line := range strings.Lines(part) {
			owners[strings.TrimSpace(line)] = true
		}
	}
	want := []string{"Go and its standard library"}
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "github.com/rcpt/rcpt/cmd/rcpt").Output()
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, strings.Fields(string(out))...)
	lists, err := filepath.Glob("../../../../lists/data/LICENSES/*.txt")
	if err != nil || len(lists) == 0 {
		t.Fatal(err, lists)
	}
	for _, file := range lists {
		want = append(want, "list: "+strings.TrimSuffix(filepath.Base(file), ".txt"))
	}
	for _, owner := range want {
		if !owners[owner] {
			t.Errorf("the licence of %s is missing: run make licences", owner)
		}
	}
}

// TestTexts checks that the texts are whole.
func TestTexts(t *testing.T) {
	for _, text := range []string{
		"Permission is hereby granted, free of charge", "Redistributions in binary form must reproduce", "END OF TERMS AND CONDITIONS", "The rcpt authors",
	} {
		if !strings.Contains(Text, text) {
			t.Errorf("%q is missing", text)
		}
	}
}
