package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/lists/internal/listfile"
)

// byHand makes a list whose entries carry their reasons.
func (in *inputs) byHand(name, about string, list []listfile.Entry) listfile.File {
	return listfile.File{
		Header: listfile.Header{Name: name, About: about, Date: in.pins.Date, License: handLicense},
		Table:  listfile.NewTable(list),
	}
}

// fromPackages makes a list whose entries carry the letters of their sources.
func (in *inputs) fromPackages(name, about string, kept entries) listfile.File {
	list := make([]listfile.Entry, 0, len(kept))
	used := make(entries)
	for name, letters := range kept {
		sorted := strings.Split(letters, "")
		slices.Sort(sorted)
		list = append(list, listfile.Entry{Name: name, Note: strings.Join(sorted, "")})
		for _, l := range sorted {
			used.add(l, l)
		}
	}
	sources, license := in.sources(used)
	return listfile.File{
		Header: listfile.Header{Name: name, About: about, Date: in.pins.Date, License: license, Sources: sources},
		Table:  listfile.NewTable(list),
	}
}

// handLicense is the licence of this program, and so of what its authors add.
const handLicense = "MIT"

// sources tells whose letters are used, and under which licences.
func (in *inputs) sources(used entries) (sources []listfile.Source, license string) {
	var terms []string
	add := func(letter, name, license string) {
		if used[letter] == "" {
			return
		}
		sources = append(sources, listfile.Source{Letter: letter, Name: name})
		if !slices.Contains(terms, license) {
			terms = append(terms, license)
		}
	}
	for i, p := range in.pins.Packages {
		add(letter(i), p.String(), p.License)
	}
	add(handLetter, "rcpt", handLicense)
	return sources, strings.Join(terms, ", ")
}

func writeList(dir string, list listfile.File) error {
	var text bytes.Buffer
	if _, err := list.WriteTo(&text); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, list.Name+".txt"), text.Bytes(), 0o644)
}
