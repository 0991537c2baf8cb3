package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir := flag.String("lists", ".", "folder of package lists")
	registry := flag.String("registry", "", "npm registry instead of the configured one")
	flag.Parse()
	if err := run(ctx, *dir, npm{registry: *registry}); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// downloader fetches the archive of a package.
type downloader interface {
	download(ctx context.Context, p pkg) ([]byte, error)
}

// run reads the pins and hand files under dir/gen and writes the lists into dir/data.
func run(ctx context.Context, dir string, from downloader) error {
	pins, err := readPins(filepath.Join(dir, "gen", "pins.json"))
	if err != nil {
		return err
	}
	hand, err := readHand(filepath.Join(dir, "gen", "hand"))
	if err != nil {
		return err
	}
	in := inputs{pins: pins, hand: hand, raw: make(map[string]entries)}
	out := filepath.Join(dir, "data")
	for i, p := range pins.Packages {
		archive, err := from.download(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if err := in.addPackage(p, letter(i), archive, filepath.Join(out, "LICENSES")); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	for _, list := range in.lists() {
		if err := writeList(out, list); err != nil {
			return err
		}
		fmt.Printf("%-12s %6d\n", list.Name, list.Len())
	}
	return nil
}
