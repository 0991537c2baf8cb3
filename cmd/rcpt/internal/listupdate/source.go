package listupdate

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

	"github.com/rcpt/rcpt/internal/sys/wholefile"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/lists/signed"
)

// BundleName is the file in the data folder with a later edition of the lists.
const BundleName = "lists.bundle"

// File is a file with the user's own entries of a list.
type File struct {
	Kind lists.Kind
	Path string
}

// FileError is an error about a [File], which the user can correct.
type FileError struct{ error }

// Unwrap returns what is wrong with the file.
func (e FileError) Unwrap() error { return e.error }

// Source is an edition of the lists and the files with the user's entries.
type Source struct {
	files  []File
	bundle string // where a later edition than the embedded one may lie; empty: nowhere
	logger *slog.Logger

	edition Edition      // the one in use
	lists   *lists.Lists // as they were read last
	digest  string       // of the edition and the files, as they were read last
	stamps  stamps       // of the files when they were read last
	pipes   map[string][]byte
}

// Edition is an edition of the lists and the file that it comes from, which is
// empty for the embedded one.
type Edition struct {
	*lists.Bundle
	File string
}

// Open reads the lists. Without a folder it uses the embedded edition.
func Open(folder string, files []File, logger *slog.Logger) (*Source, error) {
	s := &Source{files: files, logger: logger, pipes: map[string][]byte{}}
	if folder != "" {
		s.bundle = filepath.Join(folder, BundleName)
	}
	return s, s.load()
}

// Lists returns the lists of the last read.
func (s *Source) Lists() *lists.Lists { return s.lists }

// Digest identifies the edition and the files of the last read.
func (s *Source) Digest() string { return s.digest }

// Edition returns the edition in use.
func (s *Source) Edition() Edition { return s.edition }

// Bundle returns the name of the file of a later edition, or "" without a
// folder.
func (s *Source) Bundle() string { return s.bundle }

// load reads the files. After an error the lists are unchanged.
func (s *Source) load() error {
	s.stamps = s.look()
	if err := s.loadEdition(); err != nil {
		return err
	}
	contents, err := s.contents()
	if err != nil {
		return FileError{err}
	}
	var additions []lists.Addition
	for i, file := range s.files {
		additions = append(additions,
			lists.Addition{Kind: file.Kind, Name: file.Path, From: bytes.NewReader(contents[i])})
	}
	known, err := s.edition.New(additions...)
	if err != nil {
		return FileError{fmt.Errorf("--list: %w", err)}
	}
	s.lists, s.digest = known, s.digestOf(contents)
	return nil
}

// digestOf identifies the contents of the lists.
func (s *Source) digestOf(contents [][]byte) string {
	digest := sha256.New()
	fmt.Fprintln(digest, s.edition.SHA256())
	for i, file := range s.files {
		fmt.Fprintln(digest, file.Kind, len(contents[i]))
		digest.Write(contents[i])
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// loadEdition uses the edition in the data folder, or the embedded one if that
// is later. An edition that cannot be used changes nothing.
func (s *Source) loadEdition() error {
	embedded, err := lists.Embedded()
	if err != nil {
		return err
	}
	if s.edition.Bundle == nil {
		s.edition = Edition{Bundle: embedded}
	}
	if s.bundle == "" {
		return nil
	}
	found, err := readBundle(s.bundle)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.edition = Edition{Bundle: embedded}
	case err != nil:
		s.logger.Warn("this edition of the lists cannot be used", "file", s.bundle, "error", err, "used_instead",
			s.edition.Date())
	case found.Date() < embedded.Date():
		s.edition = Edition{Bundle: embedded}
		s.logger.Info("the embedded lists are later than those in the data folder", "file", s.bundle, "date",
			found.Date(), "embedded", embedded.Date())
	default:
		s.edition = Edition{Bundle: found, File: s.bundle}
	}
	return nil
}

func readBundle(path string) (*lists.Bundle, error) {
	data, err := wholefile.ReadUpTo(signed.MaxBundle, path)
	if err != nil {
		return nil, err
	}
	return lists.ReadBundle(data)
}

// contents returns the contents of the user's files.
func (s *Source) contents() ([][]byte, error) {
	var contents [][]byte
	for _, file := range s.files {
		data, err := s.read(file.Path)
		if err != nil {
			return nil, fmt.Errorf("--list %s=%s: %w", file.Kind, file.Path, err)
		}
		contents = append(contents, data)
	}
	return contents, nil
}

// read reads a file. A pipe, as from <(command) in a shell, can be read only
// once, so its contents are kept.
func (s *Source) read(path string) ([]byte, error) {
	if data, ok := s.pipes[path]; ok {
		return data, nil
	}
	data, err := wholefile.Read(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		s.pipes[path] = data
	}
	return data, nil
}
