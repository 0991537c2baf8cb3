package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pageBlock is a block of code in a page.
type pageBlock struct {
	page, language, text string
	line                 int
	notRun               string // why its commands are not run; empty: they are
}

// testsOfLanguages names the test of each language that a block may have.
var testsOfLanguages = map[string]string{
	"sh":      "TestBlocksRun",
	"console": "TestBlocksRun, and what is printed",
	"yaml":    "TestSettingsOfPages",
	"go":      "TestProgramsOfPagesCompile; engine's and client's examples",
	"python":  "webhook.TestReceiversOfTheDocs, TestSignUpOfTheDocs",
	"js":      "webhook.TestReceiversOfTheDocs",
	"ts":      "TestSignUpOfTheDocs",
	"php":     "TestSignUpOfTheDocs",
	"json":    "TestLanguagesOfBlocks",
	"http":    "none: a request",
	"text":    "none: a synopsis, a picture or a log",
}

var (
	fencedBlock = regexp.MustCompile("(?ms)^(?:<!-- not run: ([^\n]+) -->\n)?^```([^\n]*)\n(.*?)^```$")
	anyNote     = regexp.MustCompile(`<!-- not run`)
)

// blocksOfPages returns the blocks of README.md and docs/. The comment
//
//	<!-- not run: WHY -->
//
// in the line above a block says that its commands cannot be run by a test.
func blocksOfPages(t *testing.T) (all []pageBlock) {
	t.Helper()
	root := filepath.Join("..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	check(t, err)
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		content, err := os.ReadFile(page)
		check(t, err)
		text, notes := string(content), 0
		for _, at := range fencedBlock.FindAllStringSubmatchIndex(text, -1) {
			b := pageBlock{page: filepath.Base(page), language: text[at[4]:at[5]], text: text[at[6]:at[7]]}
			b.line = 1 + strings.Count(text[:at[4]], "\n")
			if at[2] >= 0 {
				b.notRun = text[at[2]:at[3]]
				notes++
			}
			all = append(all, b)
		}
		if marks := strings.Count(text, "```\n"); marks < notes || len(anyNote.FindAllString(text, -1)) != notes {
			t.Errorf("%s: a note is not in the line above a block", page)
		}
	}
	if len(all) < 50 {
		t.Fatalf("%d blocks were found", len(all))
	}
	return all
}

// TestLanguagesOfBlocks: each block has a language that is tested, those of a
// console begin with a prompt, and only commands are left out.
func TestLanguagesOfBlocks(t *testing.T) {
	for _, b := range blocksOfPages(t) {
		prompt := strings.HasPrefix(b.text, "$ ")
		switch {
		case testsOfLanguages[b.language] == "":
			t.Errorf("%s:%d: name the language of the block: sh, console, text or another", b.page, b.line)
		case prompt != (b.language == "console"):
			t.Errorf("%s:%d: a block is a console if, and only if, it begins with a prompt", b.page, b.line)
		case b.notRun != "" && b.language != "console" && b.language != "sh":
			t.Errorf("%s:%d: %s is not run anyway", b.page, b.line, b.language)
		case b.language == "json" && !json.Valid([]byte(b.text)):
			t.Errorf("%s:%d: this is no JSON", b.page, b.line)
		}
	}
}
