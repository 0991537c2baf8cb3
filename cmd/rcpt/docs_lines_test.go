package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
)

// ourLine finds rcpt in a line of a shell: at its beginning, after variables,
// behind a pipe or &&, or run by sudo or in a container.
var ourLine = regexp.MustCompile(`(?:^|[|&] )(?:\$ )?(?:[A-Z_]+=\S* )*(?:sudo |docker exec \S+ |kubectl exec \S+ -- )?(?:/|bin/|\./bin/)?rcpt (.*)$`)

// TestLinesOfPagesParse: every command line of rcpt in a block of README.md and
// docs/ names commands and flags that exist, with values that they take.
// TestBlocksRun runs those that need neither root nor the internet.
func TestLinesOfPagesParse(t *testing.T) {
	blocks := blocksOfPages(t)
	t.Chdir(t.TempDir())
	check(t, os.WriteFile("rcpt.yaml", nil, 0o600)) // which lines name
	tried := 0
	for _, b := range blocks {
		if b.language != "sh" && b.language != "console" {
			continue
		}
		for _, line := range strings.Split(strings.ReplaceAll(b.text, "\\\n", " "), "\n") {
			found := ourLine.FindStringSubmatch(line)
			if found == nil || b.language == "console" && !strings.HasPrefix(line, "$ ") {
				continue
			}
			tried++
			arguments, _, _ := strings.Cut(found[1], " #")
			parser, err := newParser(t.Context(), &commandLine{}, terminal{})
			check(t, err)
			if _, err := parser.Parse(typed(arguments)); err != nil && !printsAndEnds(arguments) {
				t.Errorf("%s:%d: %s: %v", b.page, b.line, line, err)
			}
		}
	}
	if tried < 30 {
		t.Errorf("%d command lines were found", tried)
	}
}

// printsAndEnds reports whether a line has a flag that ends the parsing.
func printsAndEnds(line string) bool { return strings.Contains(line, "--version") }

// TestSettingsOfPages: the configuration files that the pages show are valid.
// The lists and rules that they name are not there.
func TestSettingsOfPages(t *testing.T) {
	parser, err := newParser(t.Context(), &commandLine{}, terminal{})
	check(t, err)
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "commands.md"))
	check(t, err)
	tried := 0
	for _, block := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```").FindAllSubmatch(page, -1) {
		if strings.HasPrefix(string(block[1]), "rules:\n") {
			continue // rules for replies
		}
		tried++
		_, faults := settings.Check("page", block[1], parser.Model)
		for _, err := range faults {
			if !strings.Contains(err.Error(), "no such file") {
				t.Errorf("%s\n%v", block[1], err)
			}
		}
	}
	if tried == 0 {
		t.Error("no configuration file was found")
	}
}
