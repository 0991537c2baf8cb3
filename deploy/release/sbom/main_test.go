package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestDocument writes the bill of this test, which is linked with nothing but
// the standard library.
func TestDocument(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sbom.json")
	if err := run([]string{binary, path}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if d.Format != "CycloneDX" || d.Metadata.Component.Name != "github.com/rcpt/rcpt" {
		t.Errorf("%s", text)
	}
	std := slices.IndexFunc(d.Components, func(c component) bool { return c.Name == "std" })
	if std < 0 || !slices.Contains(d.Dependencies[0].On, d.Components[std].PURL) {
		t.Errorf("the standard library is missing: %s", text)
	}
	if err := run([]string{path, path}); err == nil {
		t.Error("a file that is no binary has no error")
	}
}
