package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate"
	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/sys/wholefile"
	"github.com/rcpt/rcpt/lists/signed"
)

// listsUpdateCommand is "rcpt lists update".
type listsUpdateCommand struct {
	settings.DataFlag
	From    bundlePlace  `env:"-" placeholder:"URL|FILE" help:"Install this edition instead of that of the feed, without a signature: a file, or a URL that begins with https://."`
	SHA256  sha256Sum    `env:"-" name:"sha256" placeholder:"HEX" help:"Expected SHA-256 of the edition, as printed by sha256sum for the file or by rcpt lists info for the edition."`
	Force   bool         `env:"-" help:"Accept an edition that is older than the present one, or differs from it greatly in size."`
	Feed    bundlePlace  `placeholder:"URL|FILE" help:"Where the newest edition is, with its signature beside it (.minisig). Default: the latest release."`
	FeedKey []signed.Key `placeholder:"KEY" help:"Public key of minisign that signs the editions of the feed; repeatable. Default: the key of the releases."`
}

// sha256Sum is a digest in hexadecimal digits.
type sha256Sum string

func (s *sha256Sum) UnmarshalText(text []byte) error {
	if sum, err := hex.DecodeString(string(text)); err != nil || len(sum) != sha256.Size {
		return fmt.Errorf("%q is not a SHA-256: write its %d hexadecimal digits", text, 2*sha256.Size)
	}
	*s = sha256Sum(strings.ToLower(string(text)))
	return nil
}

// bundlePlace is where an edition is.
type bundlePlace struct {
	url  *url.URL // nil: a file
	file string
}

func (p *bundlePlace) UnmarshalText(text []byte) error {
	if !strings.Contains(string(text), "://") {
		*p = bundlePlace{file: string(text)}
		return nil
	}
	address, err := url.Parse(string(text))
	if err != nil || address.Host == "" {
		return errors.New("this is not a URL: write https://HOST/PATH, or the name of a file")
	}
	*p = bundlePlace{url: address}
	return nil
}

func (p bundlePlace) String() string {
	if p.url != nil {
		return p.url.Redacted()
	}
	return p.file
}

// Run installs an edition in the data folder, if it passes the checks against
// the present one.
func (c *listsUpdateCommand) Run(ctx context.Context, std terminal, logs *settings.LogFlags) error {
	folder := c.Folder()
	if folder == "" {
		return usage(errors.New("this user has no data folder: name one with --data DIR"))
	}
	source, err := listupdate.Open(folder, nil, logs.Logger(std.err, slog.LevelInfo))
	if err != nil {
		return err
	}
	place, data, err := c.edition(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	next, err := listupdate.Read(data, string(c.SHA256))
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
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
		return fmt.Errorf("%s: %w", place, err)
	}
	if err := listupdate.Install(data, source.Bundle(), source.Edition().File); err != nil {
		return fmt.Errorf("cannot store the edition, and the present one stays in use: %w", err)
	}
	return step.Write(std.out, source.Bundle())
}

// edition returns the edition of --from or else of the feed, and which of them
// it is, for errors.
func (c *listsUpdateCommand) edition(ctx context.Context) (place string, data []byte, err error) {
	if c.From != (bundlePlace{}) {
		data, err = c.From.read(ctx, signed.MaxBundle, c.SHA256 != "")
		return "--from " + c.From.String(), data, err
	}
	feed := c.Feed
	if feed == (bundlePlace{}) {
		if err := feed.UnmarshalText([]byte(signed.Feed)); err != nil {
			return "", nil, err
		}
	}
	place = "--feed " + feed.String()
	keys := c.FeedKey
	if len(keys) == 0 {
		if keys, err = signed.ReleaseKeys(); err != nil {
			return place, nil, err
		}
	}
	if len(keys) == 0 {
		return place, nil, usage(errNoFeedKey)
	}
	if data, err = feed.read(ctx, signed.MaxBundle, false); err != nil {
		return place, nil, err
	}
	signature, err := feed.beside(signed.Suffix).read(ctx, signed.MaxSignature, false)
	if err != nil {
		return place + signed.Suffix, nil, err
	}
	return place, data, signed.Check(data, signature, keys...)
}

var errNoFeedKey = errors.New("this build has no key to check the signature with: name one with --feed-key, " +
	"or an edition that you trust with --from")

// read reads the file, or downloads it.
func (p bundlePlace) read(ctx context.Context, limit int64, contentKnown bool) ([]byte, error) {
	if p.url == nil {
		data, err := wholefile.ReadUpTo(limit, p.file)
		if err != nil {
			return nil, usage(err)
		}
		return data, nil
	}
	if err := listupdate.CheckAddress(p.url, contentKnown); err != nil {
		return nil, usage(err)
	}
	return listupdate.NewFetcher(http.DefaultTransport, limit).Fetch(ctx, p.url)
}

// beside returns the place whose name has a suffix.
func (p bundlePlace) beside(suffix string) bundlePlace {
	if p.url == nil {
		return bundlePlace{file: p.file + suffix}
	}
	other := *p.url
	other.Path += suffix
	other.RawPath = ""
	return bundlePlace{url: &other}
}
