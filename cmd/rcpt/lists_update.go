package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate"
	"github.com/rcpt/rcpt/internal/wholefile"
)

// listsUpdateCommand is "rcpt lists update".
type listsUpdateCommand struct {
	dataFlag
	From   bundlePlace `env:"-" required:"" placeholder:"URL|FILE" help:"Where the edition is: a file, or a URL that begins with https://."`
	SHA256 sha256Sum   `env:"-" name:"sha256" placeholder:"HEX" help:"Expected SHA-256 of the edition, as printed by sha256sum for the file or by rcpt lists info for the edition."`
	Force  bool        `env:"-" help:"Accept an edition that is older than the present one, or differs from it greatly in size."`
}

// Run installs an edition in the data folder, if it passes the checks against
// the present one.
func (c *listsUpdateCommand) Run(ctx context.Context, std terminal, logs *logFlags) error {
	folder := c.folder()
	if folder == "" {
		return usage(errors.New("this user has no data folder: name one with --data DIR"))
	}
	source, err := listupdate.Open(folder, nil, logs.logger(std.err, slog.LevelInfo))
	if err != nil {
		return err
	}
	data, err := c.read(ctx, listupdate.NewFetcher(http.DefaultTransport, listupdate.MaxBundle))
	if err != nil {
		return fmt.Errorf("--from %s: %w", c.From, err)
	}
	next, err := listupdate.Read(data, string(c.SHA256))
	if err != nil {
		return fmt.Errorf("--from %s: %w", c.From, err)
	}
	step, err := listupdate.StepFrom(source.Edition().Bundle, next)
	if err != nil {
		return err
	}
	if step.IsNone() {
		_, err := fmt.Fprintf(std.out, "The edition of %s is already in use.\n", next.Date())
		return err
	}
	if err := step.Check(c.Force); err != nil {
		return fmt.Errorf("--from %s: %w", c.From, err)
	}
	if err := listupdate.Install(data, source.Bundle(), source.Edition().File); err != nil {
		return fmt.Errorf("cannot store the edition, and the present one stays in use: %w", err)
	}
	return step.Write(std.out, source.Bundle())
}

// read reads the file, or downloads it.
func (c *listsUpdateCommand) read(ctx context.Context, web listupdate.Fetcher) ([]byte, error) {
	if c.From.url == nil {
		data, err := wholefile.ReadUpTo(listupdate.MaxBundle, c.From.file)
		if err != nil {
			return nil, usage(err)
		}
		return data, nil
	}
	if err := listupdate.CheckAddress(c.From.url, c.SHA256 != ""); err != nil {
		return nil, usage(err)
	}
	return web.Fetch(ctx, c.From.url)
}
