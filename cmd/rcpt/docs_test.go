package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPagesShowWhatIsPrinted: the output of commands without a network is what
// the pages show.
func TestPagesShowWhatIsPrinted(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh to read the command lines")
	}
	root := filepath.Join("..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	check(t, err)
	block := regexp.MustCompile("(?ms)^```(?:console)?\n(\\$ .*?)^```")
	tried := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		check(t, err)
		for _, shown := range block.FindAllStringSubmatch(string(text), -1) {
			for _, run := range strings.Split("\n"+shown[1], "\n$ ")[1:] {
				line, want, _ := strings.Cut(run, "\n")
				if !strings.HasPrefix(line, "rcpt explain ") && !strings.HasPrefix(line, "rcpt lists check ") {
					continue
				}
				tried++
				got, err := exec.CommandContext(t.Context(), "sh", "-c", line).Output()
				check(t, err)
				if strings.TrimSpace(string(got)) != strings.TrimSpace(want) {
					t.Errorf("%s shows %s otherwise. It prints\n%s", page, line, got)
				}
			}
		}
	}
	if tried < 4 {
		t.Errorf("%d command lines were found", tried)
	}
}

// TestSecurityPageNamesFiles: the tests that the security page names exist.
func TestSecurityPageNamesFiles(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "security.md"))
	check(t, err)
	named := regexp.MustCompile("`([a-z/]+/[a-z_]+\\.go)`").FindAllSubmatch(page, -1)
	if len(named) == 0 {
		t.Error("no file is named")
	}
	for _, name := range named {
		if _, err := os.Stat(filepath.Join(root, string(name[1]))); err != nil {
			t.Error(err)
		}
	}
}
