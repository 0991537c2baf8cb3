package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/rcpt/rcpt/lists"
)

// maxBundle bounds an edition in bytes: the embedded one has 3.4 MB, and one of twenty times as much is not ours.
const maxBundle = 64 << 20

// onlyForUser is the mode of a data folder that we make, in which private things may come to lie.
const onlyForUser = 0o700

// oldSuffix ends the name of the file with the edition from before.
const oldSuffix = ".old"

// listsUpdateCommand is "rcpt lists update".
type listsUpdateCommand struct {
	dataFlag
	From   bundlePlace `env:"-" required:"" placeholder:"URL|FILE" help:"Where the edition is: a file, or an address that begins with https://."`
	SHA256 sha256Sum   `env:"-" name:"sha256" placeholder:"HEX" help:"SHA-256 that the edition must have, as sha256sum prints it for the file, or rcpt lists info for the edition."`
	Force  bool        `env:"-" help:"Take an edition, too, that is older than the one in use, or whose lists have quite other sizes."`
}

// Run puts an edition into the data folder if it looks right beside the one in use.
func (c *listsUpdateCommand) Run(ctx context.Context, std terminal, logs *logFlags) error {
	source := newListSource(listFlags{dataFlag: c.dataFlag}, logs.logger(std.err, slog.LevelInfo))
	if source.bundle == "" {
		return usage(errors.New("this user has no data folder: name one with --data DIR"))
	}
	if err := source.load(); err != nil {
		return err
	}
	data, err := c.read(ctx, newFetcher(http.DefaultTransport, maxBundle))
	if err != nil {
		return fmt.Errorf("--from %s: %w", c.From, err)
	}
	next, err := openEdition(data, string(c.SHA256))
	if err != nil {
		return fmt.Errorf("--from %s: %w", c.From, err)
	}
	step, err := stepFrom(source.edition.Bundle, next)
	if err != nil {
		return err
	}
	if step.isNone() {
		_, err := fmt.Fprintf(std.out, "The edition of %s is in use already.\n", next.Date())
		return err
	}
	if err := step.check(c.Force); err != nil {
		return fmt.Errorf("--from %s: %w", c.From, err)
	}
	if err := install(data, source.bundle, source.edition.file); err != nil {
		return fmt.Errorf("the edition cannot be stored, and the one from before stays in use: %w", err)
	}
	return step.write(std.out, source.bundle)
}

// read reads the file, or downloads it.
func (c *listsUpdateCommand) read(ctx context.Context, web fetcher) ([]byte, error) {
	if c.From.url == nil {
		data, err := readFileUpTo(web.limit, c.From.file)
		if err != nil {
			return nil, usage(err)
		}
		return data, nil
	}
	if err := checkAddress(c.From.url, c.SHA256 != ""); err != nil {
		return nil, usage(err)
	}
	return web.fetch(ctx, c.From.url)
}

// openEdition reads an edition. It must have the given SHA-256, if any: that of the file, or the one that it bears.
func openEdition(data []byte, sum string) (*lists.Bundle, error) {
	found, err := lists.ReadBundle(data)
	switch {
	case err != nil && isWebPage(data):
		return nil, errors.New("this is a web page: look for the address of the file itself")
	case err != nil:
		return nil, fmt.Errorf("this is no sound edition of the lists, get it anew: %w", err)
	}
	ofFile := sha256.Sum256(data)
	if got := hex.EncodeToString(ofFile[:]); sum != "" && sum != got && sum != found.SHA256() {
		return nil, fmt.Errorf("this is not the file that --sha256 means: its SHA-256 is %s", got)
	}
	return found, nil
}

func isWebPage(data []byte) bool {
	return strings.HasPrefix(http.DetectContentType(data), "text/html")
}

// install writes the edition, and before that a copy of the one in use, where that is a file.
func install(data []byte, path, used string) error {
	if err := os.MkdirAll(filepath.Dir(path), onlyForUser); err != nil {
		return err
	}
	if used != "" {
		old, err := readFileUpTo(maxBundle, used)
		if err != nil {
			return fmt.Errorf("%s: %w", used, err)
		}
		if err := replaceFile(path+oldSuffix, old); err != nil {
			return err
		}
	}
	return replaceFile(path, data)
}
