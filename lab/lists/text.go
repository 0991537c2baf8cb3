package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/lab/lists/listfile"
)

// textLists are the lists that come out of packages.
var textLists = [...]string{listRole, listFree, listDisposable}

// texts makes them, in that order.
func (in *inputs) texts() []listfile.File {
	disposable := in.disposable()
	return []listfile.File{
		in.text(listRole, "local-parts of mailboxes that belong to a function, not to a person", in.role()),
		in.text(listFree, "domains that give mailboxes to everyone; not their sub-domains", in.free(disposable)),
		in.text(listDisposable, "domains of services that hand out mailboxes to throw away, with their sub-domains",
			disposable),
	}
}

// text makes the file for review.
func (in *inputs) text(name, about string, kept entries) listfile.File {
	f := listfile.File{Header: listfile.Header{Name: name, About: about, Date: in.pins.Date, Count: len(kept)}}
	used := ""
	for word, e := range kept {
		letters := strings.Split(e.letters, "")
		slices.Sort(letters)
		f.Entries = append(f.Entries, listfile.Entry{Name: word, Letters: strings.Join(letters, ""), Group: e.group})
		used += e.letters
	}
	listfile.Sort(f.Entries)
	for _, s := range in.sources() {
		if strings.Contains(used, s.Letter) {
			f.Sources = append(f.Sources, s)
		}
	}
	return f
}

func (in *inputs) sources() []listfile.Source {
	var all []listfile.Source
	for i, p := range in.pins.Packages {
		all = append(all, listfile.Source{
			Letter: letter(i), Name: p.String(), License: p.License, Tier: p.Tier, Day: p.day(),
		})
	}
	return append(all, listfile.Source{Letter: handLetter, Name: handSource, License: handLicense, Tier: tierCurated})
}

// readTexts reads the text files in dir, in the order of textLists. One that is
// missing is empty.
func readTexts(dir string) ([]listfile.File, error) {
	var files []listfile.File
	for _, name := range textLists {
		text, err := os.ReadFile(filepath.Join(dir, name+".txt"))
		f := listfile.File{Header: listfile.Header{Name: name}}
		if err == nil {
			f, err = listfile.Parse(string(text))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}
