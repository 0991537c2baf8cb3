package main

import (
	"os"
	"path/filepath"

	"github.com/rcpt/rcpt/internal/listdata/bundle"
	"github.com/rcpt/rcpt/lab/lists/listfile"
)

// write replaces the texts for review and what is in the folder data.
func (g *generator) write(in *inputs, texts []listfile.File, draft bundle.Draft) error {
	edition, err := draft.Build()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(g.data, "LICENSES")); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(g.data, "LICENSES"), 0o755); err != nil {
		return err
	}
	if err := os.MkdirAll(g.path("review"), 0o755); err != nil {
		return err
	}
	for name, text := range in.licenses {
		if err := os.WriteFile(filepath.Join(g.data, "LICENSES", name+".txt"), text, 0o644); err != nil {
			return err
		}
	}
	for _, f := range texts {
		if err := os.WriteFile(g.path("review", f.Name+".txt"), []byte(f.String()), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(g.data, "lists.bundle"), []byte(edition), 0o644)
}
