package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
)

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

// TestProgramsOfPagesCompile: the Go programs that the pages show compile. What
// is no command is one package with the others of its page. A program that
// needs another module is left out.
func TestProgramsOfPagesCompile(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	check(t, err)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	check(t, err)
	block := regexp.MustCompile("(?ms)^```go\n(package .*?)^```")
	overlay := map[string]string{} // files that are not there, and what they contain
	dirs := map[string]bool{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		check(t, err)
		for _, program := range block.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(program[1], "github.com/AfterShip/") {
				continue
			}
			name := "program" + strconv.Itoa(len(overlay)) + ".go"
			dir := strings.TrimSuffix(filepath.Base(page), ".md") + "-page"
			if strings.HasPrefix(program[1], "package main\n") {
				dir += strings.TrimSuffix(name, ".go")
			}
			file := filepath.Join(t.TempDir(), name)
			check(t, os.WriteFile(file, []byte(program[1]), 0o600))
			overlay[filepath.Join(root, dir, name)] = file
			dirs["./"+dir] = true
		}
	}
	if len(dirs) == 0 {
		t.Fatal("no program was found")
	}
	files, err := json.Marshal(map[string]any{"Replace": overlay})
	check(t, err)
	config := filepath.Join(t.TempDir(), "overlay.json")
	check(t, os.WriteFile(config, files, 0o600))
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"build", "-overlay", config}, slices.Collect(maps.Keys(dirs))...)...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestFlagsAreInOneDocument: commands.md describes each flag, and no other
// document has a table of flags. Flags that are no more than a section of the
// file in one line have no row.
func TestFlagsAreInOneDocument(t *testing.T) {
	parser, err := newParser(t.Context(), &commandLine{}, terminal{})
	check(t, err)
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	check(t, err)
	for _, page := range append(pages, filepath.Join("..", "..", "README.md")) {
		text, err := os.ReadFile(page)
		check(t, err)
		rows := regexp.MustCompile("(?m)^\\| `--.*$").FindAllString(string(text), -1)
		if filepath.Base(page) != "commands.md" {
			if rows != nil {
				t.Errorf("%s describes flags: %q", page, rows)
			}
			continue
		}
		for _, flag := range settings.FlagsOf(parser.Model.Node) {
			name := regexp.MustCompile("--" + flag.Name + `\b[^-]`)
			if !flag.Hidden && flag.Name != "help" && !name.Match(text) {
				t.Errorf("--%s is not described", flag.Name)
			} else if flag.Hidden && name.MatchString(strings.Join(rows, "\n")) {
				t.Errorf("--%s is hidden, and has a row", flag.Name)
			}
		}
	}
}
