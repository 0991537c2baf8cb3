package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"
)

// generator makes the texts for review and the embedded lists out of the pinned
// packages and the files in hand.
type generator struct {
	dir     string // of this command: pins.json, hand, vendored and review
	data    string // folder of the embedded lists and of their licences
	from    downloader
	accept  bool // of lists whatever their size
	freenom bool // keep disposable domains under Freenom's top-level domains
	report  io.Writer
	now     time.Time // to tell how old the editions are
}

// downloader fetches the archive of a package.
type downloader interface {
	download(ctx context.Context, p pkg) ([]byte, error)
}

func (g *generator) run(ctx context.Context) error {
	in, err := g.read(ctx)
	if err != nil {
		return err
	}
	texts := in.texts()
	old, err := readTexts(g.path("review"))
	if err != nil {
		return err
	}
	if !g.accept {
		if err := checkSizes(old, texts); err != nil {
			return err
		}
	}
	draft, err := newDraft(texts, in.hand)
	if err != nil {
		return err
	}
	if err := g.write(in, texts, draft); err != nil {
		return err
	}
	reportChanges(g.report, old, texts)
	reportHead(g.report, draft.Head)
	reportAges(g.report, in.pins.Packages, g.now)
	return nil
}

// read gathers pins, hand files and what the packages hold.
func (g *generator) read(ctx context.Context) (*inputs, error) {
	pins, err := readPins(g.path("pins.json"))
	if err != nil {
		return nil, err
	}
	hand, err := readHand(g.path("hand"))
	if err != nil {
		return nil, err
	}
	in := newInputs(pins, hand)
	in.freenom = g.freenom
	for i, p := range pins.Packages {
		files, err := g.open(ctx, p)
		if err == nil {
			err = in.addPackage(p, letter(i), files)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
	}
	return in, nil
}

// open returns the files of a package by their path in it.
func (g *generator) open(ctx context.Context, p pkg) (map[string][]byte, error) {
	if p.Vendored != "" {
		return readFolder(g.path("vendored", p.Name))
	}
	archive, err := g.from.download(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := checkIntegrity(archive, p.Integrity); err != nil {
		return nil, err
	}
	files, err := readArchive(archive)
	if err != nil {
		return nil, err
	}
	return files, checkLicense(files["package.json"], p.License)
}

func (g *generator) path(parts ...string) string {
	return filepath.Join(append([]string{g.dir}, parts...)...)
}
