package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// pins says which packages the lists are made of.
type pins struct {
	Date     string `json:"date"` // when the pins were looked at last
	Packages []pkg  `json:"packages"`
}

// pkg is one npm package in one version.
type pkg struct {
	Name        string    `json:"name"`
	Version     string    `json:"version"`
	Integrity   string    `json:"integrity"` // "sha512-" and base64, as npm writes it
	License     string    `json:"license"`
	LicenseFile string    `json:"license_file"`
	Files       []pkgFile `json:"files"`
}

// pkgFile is a data file in a package.
type pkgFile struct {
	Path   string `json:"path"`
	Format string `json:"format"` // a key of formats
	Holds  string `json:"holds"`  // disposable, free, not-free or role
}

func (p pkg) String() string { return p.Name + " " + p.Version }

// licences that let their data be part of this program under terms no stricter than its own.
var licences = []string{"MIT", "ISC", "CC0-1.0"}

func readPins(path string) (pins, error) {
	var p pins
	text, err := os.ReadFile(path)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("%s: %w", path, err)
	}
	for _, pkg := range p.Packages {
		if !slices.Contains(licences, pkg.License) {
			return p, fmt.Errorf("%s: %s is under %s, which is not among %v", path, pkg, pkg.License, licences)
		}
	}
	return p, nil
}

// letter marks the entries of the package at index i of the pins.
func letter(i int) string { return string(rune('a' + i)) }

// handLetter marks entries from the hand files. There are fewer packages than letters before it.
const handLetter = "r"
