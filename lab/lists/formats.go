package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// item is what a file of a package says of a name.
type item struct{ name, group string }

// formats reads the items out of a data file, by the word in the pins.
var formats = map[string]func(text string, f pkgFile) ([]item, error){
	"json":       readJSON,
	"lines":      readLines,
	"js":         readScript,
	"fakefilter": readFakefilter,
	"freemail":   readFreemail,
}

func readJSON(text string, _ pkgFile) ([]item, error) {
	var list []string
	err := json.Unmarshal([]byte(text), &list)
	return items(list), err
}

func readLines(text string, _ pkgFile) ([]item, error) { return items(strings.Fields(text)), nil }

// readFakefilter reads the second version of fakefilter's form: the names under
// which each domain was seen to be handed out, and by whom. Names are not
// always the domain: a service may have been seen to use a customer's
// sub-domain only.
func readFakefilter(text string, _ pkgFile) ([]item, error) {
	var file struct {
		Version int
		Domains map[string]struct {
			Providers []string
			Hosts     map[string]struct{}
		}
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		return nil, err
	}
	if file.Version != 2 {
		return nil, fmt.Errorf("version %d of fakefilter's format, not 2", file.Version)
	}
	var list []item
	for _, d := range file.Domains {
		group := ""
		if len(d.Providers) == 1 && d.Providers[0] != "static" { // static: added by hand, of no known service
			group = d.Providers[0]
		}
		for name := range d.Hosts {
			list = append(list, item{name, group})
		}
	}
	slices.SortFunc(list, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.group, b.group))
	})
	return list, nil
}

// readFreemail reads rules of SpamAssassin: "freemail_domains" and names, in
// which "*" stands for any part of a label and "?" for a letter.
func readFreemail(text string, _ pkgFile) ([]item, error) {
	var list []string
	for line := range strings.Lines(text) {
		rule, _, _ := strings.Cut(line, "#")
		words := strings.Fields(rule)
		if len(words) > 0 && words[0] == "freemail_domains" {
			list = append(list, words[1:]...)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("the rules have no freemail_domains")
	}
	return items(list), nil
}

func items(names []string) []item {
	list := make([]item, len(names))
	for i, name := range names {
		list[i].name = name
	}
	return list
}
