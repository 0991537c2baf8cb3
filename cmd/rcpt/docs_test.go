package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
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

// TestProgramsOfPagesCompile: the Go programs that the pages show compile. One
// that needs another module is left out.
func TestProgramsOfPagesCompile(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	check(t, err)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	check(t, err)
	block := regexp.MustCompile("(?ms)^```go\n(package .*?)^```")
	overlay := map[string]string{} // files that are not there, and what they contain
	var dirs []string
	for _, page := range pages {
		text, err := os.ReadFile(page)
		check(t, err)
		for _, program := range block.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(program[1], "github.com/AfterShip/") {
				continue
			}
			dir := "page" + strconv.Itoa(len(dirs))
			file := filepath.Join(t.TempDir(), "program.go")
			check(t, os.WriteFile(file, []byte(program[1]), 0o600))
			overlay[filepath.Join(root, dir, "program.go")] = file
			dirs = append(dirs, "./"+dir)
		}
	}
	if len(dirs) == 0 {
		t.Fatal("no program was found")
	}
	files, err := json.Marshal(map[string]any{"Replace": overlay})
	check(t, err)
	config := filepath.Join(t.TempDir(), "overlay.json")
	check(t, os.WriteFile(config, files, 0o600))
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"build", "-overlay", config}, dirs...)...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
