package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	shellBlock = regexp.MustCompile("(?ms)^```(?:sh|console|)\n(.*?)^```")
	// ourLine finds rcpt in a line of a shell: at its beginning, after
	// variables, behind a pipe or &&, or run by sudo or in a container.
	ourLine = regexp.MustCompile(`(?:^|[|&] )(?:\$ )?(?:[A-Z_]+=\S* )*(?:sudo |sudo -u rcpt |docker exec \S+ |kubectl exec \S+ -- )?(?:/|bin/|\./bin/)?rcpt (.*)$`)
)

// TestLinesOfPagesParse: every command line of rcpt in a block of README.md and
// docs/ names commands and flags that exist, with values that they take.
// TestPagesShowWhatIsPrinted runs those that need no network.
func TestLinesOfPagesParse(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	check(t, err)
	t.Chdir(t.TempDir())
	check(t, os.WriteFile("rcpt.yaml", nil, 0o600)) // which lines name
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	check(t, err)
	tried := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		check(t, err)
		for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
			prompts := strings.Contains("\n"+block[1], "\n$ ")
			if !prompts && !strings.HasPrefix(block[0], "```sh") {
				continue // a synopsis, or what is printed
			}
			for _, line := range strings.Split(strings.ReplaceAll(block[1], "\\\n", " "), "\n") {
				found := ourLine.FindStringSubmatch(line)
				if found == nil || prompts && !strings.HasPrefix(line, "$ ") {
					continue
				}
				tried++
				arguments, _, _ := strings.Cut(found[1], " #")
				parser, err := newParser(t.Context(), &commandLine{}, terminal{})
				check(t, err)
				if _, err := parser.Parse(typed(arguments)); err != nil && !printsAndEnds(arguments) {
					t.Errorf("%s: %s: %v", page, line, err)
				}
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
		file, errs := readConfig("page", block[1])
		for _, err := range append(errs, file.faults(parser.Model)...) {
			if !strings.Contains(err.Error(), "no such file") {
				t.Errorf("%s\n%v", block[1], err)
			}
		}
	}
	if tried == 0 {
		t.Error("no configuration file was found")
	}
}
