package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// inputs is everything that the lists are made of.
type inputs struct {
	pins pins
	hand handFiles
	raw  map[string]entries // as the packages have them, by what their files hold
}

// entries maps a name to the letters of the sources that have it.
type entries map[string]string

func (e entries) add(name, letter string) {
	if !strings.Contains(e[name], letter) {
		e[name] += letter
	}
}

// addPackage takes the data files of a package, and its licence into the folder of licences.
func (in *inputs) addPackage(p pkg, letter string, archive []byte, licenses string) error {
	if err := checkIntegrity(archive, p.Integrity); err != nil {
		return err
	}
	files, err := readArchive(archive)
	if err != nil {
		return err
	}
	if err := checkLicense(files["package.json"], p.License); err != nil {
		return err
	}
	for _, f := range p.Files {
		if err := in.addFile(f, letter, files); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return writeLicense(licenses, p, files)
}

func (in *inputs) addFile(f pkgFile, letter string, files map[string][]byte) error {
	text, ok := files[f.Path]
	read := formats[f.Format]
	if !ok || read == nil {
		return fmt.Errorf("no such file, or no format %q", f.Format)
	}
	names, err := read(string(text))
	if err != nil {
		return err
	}
	if in.raw[f.Holds] == nil {
		in.raw[f.Holds] = make(entries)
	}
	for _, name := range names {
		in.raw[f.Holds].add(name, letter)
	}
	return nil
}

func writeLicense(dir string, p pkg, files map[string][]byte) error {
	text, ok := files[p.LicenseFile]
	if !ok {
		return fmt.Errorf("no licence text at %s", p.LicenseFile)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, p.Name+".txt"), text, 0o644)
}
