package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// inputs is everything that the lists are made of.
type inputs struct {
	pins     pins
	hand     hand
	freenom  bool
	raw      map[string]entries // as the packages have them, by what their files hold
	licenses map[string][]byte  // texts by name of the package
}

func newInputs(p pins, h hand) *inputs {
	return &inputs{pins: p, hand: h, raw: make(map[string]entries), licenses: make(map[string][]byte)}
}

// entries maps a name to what the sources say of it.
type entries map[string]entry

type entry struct {
	letters string // of the sources
	group   string // of the first source that has one
}

func (e entries) add(name, letters, group string) {
	had := e[name]
	for _, l := range letters {
		if !strings.ContainsRune(had.letters, l) {
			had.letters += string(l)
		}
	}
	if had.group == "" {
		had.group = group
	}
	e[name] = had
}

func (e entries) has(name string) bool {
	_, ok := e[name]
	return ok
}

func (e entries) names() set {
	s := make(set, len(e))
	for name := range e {
		s[name] = true
	}
	return s
}

// addPackage takes the data files of a package, and its licence.
func (in *inputs) addPackage(p pkg, letter string, files map[string][]byte) error {
	for _, f := range p.Files {
		if err := in.addFile(f, letter, files); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return in.addLicense(p, files)
}

func (in *inputs) addFile(f pkgFile, letter string, files map[string][]byte) error {
	text, ok := files[f.Path]
	read := formats[f.Format]
	if !ok || read == nil {
		return fmt.Errorf("no such file, or no format %q", f.Format)
	}
	list, err := read(string(text), f)
	if err != nil {
		return err
	}
	if in.raw[f.Holds] == nil {
		in.raw[f.Holds] = make(entries)
	}
	for _, i := range list {
		in.raw[f.Holds].add(i.name, letter, i.group)
	}
	return nil
}

func (in *inputs) addLicense(p pkg, files map[string][]byte) error {
	var texts [][]byte
	for _, path := range p.LicenseFiles {
		text, ok := files[path]
		if !ok {
			return fmt.Errorf("no licence text at %s", path)
		}
		texts = append(texts, text)
	}
	text := bytes.Join(texts, []byte("\n"))
	if had, ok := in.licenses[p.Name]; ok && !bytes.Equal(had, text) {
		return errors.New("licence text is not that of the other version")
	}
	in.licenses[p.Name] = text
	return nil
}
