package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/rcpt/rcpt/lists"
)

// bundleName is the file in the data folder with a later edition of the lists.
const bundleName = "lists.bundle"

// listFlags say where lists come from, beside the embedded ones.
type listFlags struct {
	List []listFile `placeholder:"KIND=FILE" help:"Add a file to a list: disposable, free, role, spamtrap or allow; repeatable."`
	dataFlag
}

// open reads the lists for the first time.
func (f listFlags) open(logger *slog.Logger) (*listSource, error) {
	source := newListSource(f, logger)
	return source, source.load()
}

// listSource is an edition of the lists and the files with the user's entries.
type listSource struct {
	files  []listFile
	bundle string // where a later edition than the embedded one may lie; empty: nowhere
	logger *slog.Logger

	edition edition      // the one in use
	lists   *lists.Lists // as they were read last
	digest  string       // of the edition and the files, as they were read last
	stamps  stamps       // of the files when they were read last
	pipes   map[string][]byte
}

// edition is an edition of the lists and the file that it comes from, which is empty for the embedded one.
type edition struct {
	*lists.Bundle
	file string
}

func newListSource(f listFlags, logger *slog.Logger) *listSource {
	source := &listSource{files: f.List, logger: logger, pipes: map[string][]byte{}}
	if folder := f.folder(); folder != "" {
		source.bundle = filepath.Join(folder, bundleName)
	}
	return source
}

// load reads the files. After an error the lists are those from before.
func (s *listSource) load() error {
	s.stamps = s.look()
	if err := s.loadEdition(); err != nil {
		return err
	}
	contents, err := s.contents()
	if err != nil {
		return usage(err)
	}
	var additions []lists.Addition
	for i, file := range s.files {
		additions = append(additions, lists.Addition{Kind: file.kind, Name: file.path, From: bytes.NewReader(contents[i])})
	}
	known, err := s.edition.New(additions...)
	if err != nil {
		return usage(fmt.Errorf("--list: %w", err))
	}
	s.lists, s.digest = known, s.digestOf(contents)
	return nil
}

// digestOf names the lists by their content.
func (s *listSource) digestOf(contents [][]byte) string {
	digest := sha256.New()
	fmt.Fprintln(digest, s.edition.SHA256())
	for i, file := range s.files {
		fmt.Fprintln(digest, file.kind, len(contents[i]))
		digest.Write(contents[i])
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// loadEdition takes the edition in the data folder, or the embedded one if that is later. One that cannot be used changes nothing.
func (s *listSource) loadEdition() error {
	embedded, err := lists.Embedded()
	if err != nil {
		return err
	}
	if s.edition.Bundle == nil {
		s.edition = edition{Bundle: embedded}
	}
	if s.bundle == "" {
		return nil
	}
	found, err := readBundle(s.bundle)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.edition = edition{Bundle: embedded}
	case err != nil:
		s.logger.Warn("this edition of the lists cannot be used", "file", s.bundle, "error", err, "used_instead", s.edition.Date())
	case found.Date() < embedded.Date():
		s.edition = edition{Bundle: embedded}
		s.logger.Info("the embedded lists are later than those in the data folder", "file", s.bundle, "date", found.Date(), "embedded", embedded.Date())
	default:
		s.edition = edition{Bundle: found, file: s.bundle}
	}
	return nil
}

func readBundle(path string) (*lists.Bundle, error) {
	data, err := readFileUpTo(maxBundle, path)
	if err != nil {
		return nil, err
	}
	return lists.ReadBundle(data)
}

// contents are those of the user's files.
func (s *listSource) contents() ([][]byte, error) {
	var contents [][]byte
	for _, file := range s.files {
		data, err := s.read(file.path)
		if err != nil {
			return nil, fmt.Errorf("--list %s=%s: %w", file.kind, file.path, err)
		}
		contents = append(contents, data)
	}
	return contents, nil
}

// read reads a file. A pipe, as a shell makes for <(command), can be read only once, so that its content is kept.
func (s *listSource) read(path string) ([]byte, error) {
	if data, ok := s.pipes[path]; ok {
		return data, nil
	}
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		s.pipes[path] = data
	}
	return data, nil
}
