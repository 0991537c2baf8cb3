package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestSecurityPageNamesFiles: the page that says where what is tested must not send people to files that are gone.
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
