package main

import (
	"os"

	"github.com/rcpt/rcpt/lists/internal/bundle"
	"github.com/rcpt/rcpt/lists/internal/listfile"
)

// write replaces what is in dir/data and dir/review.
func (g *generator) write(in *inputs, texts []listfile.File, draft bundle.Draft) error {
	edition, err := draft.Build()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(g.path("data", "LICENSES")); err != nil {
		return err
	}
	if err := os.MkdirAll(g.path("data", "LICENSES"), 0o755); err != nil {
		return err
	}
	if err := os.MkdirAll(g.path("review"), 0o755); err != nil {
		return err
	}
	for name, text := range in.licenses {
		if err := os.WriteFile(g.path("data", "LICENSES", name+".txt"), text, 0o644); err != nil {
			return err
		}
	}
	for _, f := range texts {
		if err := os.WriteFile(g.path("review", f.Name+".txt"), []byte(f.String()), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(g.path("data", "lists.bundle"), []byte(edition), 0o644)
}
