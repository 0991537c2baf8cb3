package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"
)

// pins says which packages the lists are made of.
type pins struct {
	Date     string `json:"date"` // when the pins were looked at last
	Packages []pkg  `json:"packages"`
}

// pkg is a package in one version.
type pkg struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Published is the day on which the registry has had the version, as "npm
	// view NAME time" shows it: it may be older. A vendored package has none.
	Published string `json:"published,omitempty"`
	// Integrity is that of the archive: "sha512-" and base64, as npm writes it,
	// or "sha256:" and hexadecimal where it is vendored.
	Integrity string `json:"integrity"`
	// Vendored is when the files in vendored were taken out of the archive;
	// empty if npm has it.
	Vendored     string    `json:"vendored,omitempty"`
	License      string    `json:"license"`
	LicenseFiles []string  `json:"license_files"`
	Tier         string    `json:"tier"`               // curated: each entry was looked at; bulk: collected by machines
	Observer     bool      `json:"observer,omitempty"` // its domains were seen to be handed out, not collected
	Files        []pkgFile `json:"files"`
}

// pkgFile is a data file in a package.
type pkgFile struct {
	Path   string   `json:"path"`
	Format string   `json:"format"`           // a key of formats
	Arrays []string `json:"arrays,omitempty"` // the variables to read, in a script
	Holds  string   `json:"holds"`
}

// What a file of a package may hold.
const (
	holdsDisposable = "disposable"
	holdsFree       = "free"
	holdsNotFree    = "not-free"   // throw-away domains that are not worth a disposable entry, but no free ones either
	holdsMixed      = "mixed"      // free and disposable domains in one; those that nobody has as free are disposable
	holdsMixedFree  = "mixed-free" // the free ones of a mixed file
	holdsRole       = "role"
)

// Tiers of sources, and of entries: an entry is curated if one of its sources
// is.
const (
	tierCurated = "curated"
	tierBulk    = "bulk"
)

func (p pkg) String() string { return p.Name + " " + p.Version }

// day is that of the edition: what its source changed since is missing.
func (p pkg) day() string { return cmp.Or(p.Published, p.Vendored) }

// licences that let their data be part of this program.
var licences = []string{"MIT", "ISC", "CC0-1.0", "BSD-3-Clause", "Apache-2.0"}

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
		if err := pkg.check(); err != nil {
			return p, fmt.Errorf("%s: %s %w", path, pkg, err)
		}
	}
	return p, nil
}

func (p pkg) check() error {
	if !slices.Contains(licences, p.License) {
		return fmt.Errorf("is under %s, which is not among %v", p.License, licences)
	}
	if p.Tier != tierCurated && p.Tier != tierBulk {
		return fmt.Errorf("has the tier %q, not %s or %s", p.Tier, tierCurated, tierBulk)
	}
	if _, err := time.Parse(time.DateOnly, p.day()); err != nil {
		return fmt.Errorf("has no day on which it was published: %w", err)
	}
	known := []string{holdsDisposable, holdsFree, holdsNotFree, holdsMixed, holdsMixedFree, holdsRole}
	for _, f := range p.Files {
		if !slices.Contains(known, f.Holds) {
			return fmt.Errorf("holds %q, not one of %v", f.Holds, known)
		}
	}
	return nil
}

// letter marks the entries of the package at index i of the pins.
func letter(i int) string { return string(rune('a' + i)) }

// observers are the letters of packages whose domains were seen to be handed
// out.
func (p pins) observers() string {
	letters := ""
	for i, pkg := range p.Packages {
		if pkg.Observer {
			letters += letter(i)
		}
	}
	return letters
}

// Entries from the hand files. There are fewer packages than letters before
// theirs; the licence is that of this program.
const (
	handLetter  = "r"
	handSource  = "rcpt"
	handLicense = "MIT"
)
