//go:build ignore

// Generate copies the table of golang.org/x/net/publicsuffix, at the version in
// go.mod, and its license. The constant of the version is left out.
package main

import (
	"bytes"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

var version = regexp.MustCompile(`(?m)^const version = "publicsuffix.*\n\n`)

func main() {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	if err != nil {
		log.Fatal(err)
	}
	module := string(bytes.TrimSpace(out))
	for from, to := range map[string]string{
		"LICENSE": "data/LICENSE", "publicsuffix/table.go": "table.go",
		"publicsuffix/data/children": "data/children", "publicsuffix/data/nodes": "data/nodes",
		"publicsuffix/data/text": "data/text",
	} {
		content, err := os.ReadFile(filepath.Join(module, from))
		if err != nil {
			log.Fatal(err)
		}
		content = version.ReplaceAll(content, nil)
		if err := os.WriteFile(to, content, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
