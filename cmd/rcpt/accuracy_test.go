package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAccuracy: the README has the table that rcpt accuracy prints, and behind
// that each file of a folder gets a row, with what is wrong counted as wrong.
func TestAccuracy(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	check(t, os.WriteFile(filepath.Join(folder, "ours.jsonl"), []byte(`{"phase":"rcpt","reply":"550 5.1.1 User unknown","verdict":["undeliverable"]}
{"phase":"rcpt","reply":["550-5.1.1 User","550 5.1.1 unknown"],"verdict":["unknown","deliverable"]}
{"phase":"banner","reply":"554 go away","verdict":["undeliverable"],"host":"acme.example"}

{"address":"a@acme.example","expect":"valid"}
{"generator":[{"repeat":["a",99]},"@acme.example"],"expect":"valid"}
{"address":"a..b@acme.example","expect":"invalid"}
{"address":"a.@acme.example","expect":"unsure"}
`), 0o600))
	out, err := exec.CommandContext(t.Context(), "rcpt", "accuracy", folder).Output()
	check(t, err)
	const row = "| ours.jsonl | 6 | 50.0 % | 66.7 % | 2 | 0 |\n"
	table, found := strings.CutSuffix(string(out), row)
	if !found {
		t.Errorf("the last row is not %s:\n%s", row, out)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	check(t, err)
	if want := "<!-- rcpt accuracy prints this table -->\n" + table + "<!-- end -->\n"; !strings.Contains(string(page), want) {
		t.Errorf("run make accuracy: the README does not have\n%s", table)
	}
	check(t, os.WriteFile(filepath.Join(folder, "wrong.jsonl"), []byte("{}\n{\"reply\":7}\n"), 0o600))
	for args, want := range map[string]string{folder: "wrong.jsonl: line 2", t.TempDir(): "has no .jsonl files", filepath.Join(folder, "none"): "no such file"} {
		out, err := exec.CommandContext(t.Context(), "rcpt", "accuracy", args).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want %q in\n%s", args, err, want, out)
		}
	}
}
