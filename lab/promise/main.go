// Command promise counts what programs can import: what is stable and what is
// experimental. The marks in the source are the truth: a paragraph
// "Experimental: ..." in the doc of a package or of a declaration. Its tests
// hold STABILITY.md and .ci/apidiff to them, and see that the links of go doc
// lead somewhere.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	root := flag.String("root", "..", "folder of the module")
	list := flag.Bool("list", false, "print each name with its tier")
	packages := flag.Bool("packages", false, "print the stable packages")
	old := flag.String("old", "", "folder of an older version: read what apidiff says about -package from "+
		"standard input, print what is about stable names, and exit with 3 if some of it is incompatible")
	of := flag.String("package", "", "package of -old")
	flag.Parse()
	incompatible := false
	folders, err := surface(*root)
	switch {
	case err != nil:
	case *old != "":
		incompatible, err = compare(folders, *old, *of)
	case *packages:
		for _, f := range folders {
			if !f.experimental {
				fmt.Println(f.path)
			}
		}
	default:
		err = report(*root, folders, *list)
	}
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "promise:", err)
		os.Exit(1)
	case incompatible:
		os.Exit(3)
	}
}

// compare is [stableChanges] for a package of two versions.
func compare(folders []*folder, old, of string) (incompatible bool, err error) {
	before, err := surface(old)
	if err != nil {
		return false, err
	}
	return stableChanges(os.Stdin, os.Stdout, packageOf(before, of), packageOf(folders, of))
}

// packageOf returns a package; an empty one if there is none.
func packageOf(folders []*folder, path string) *folder {
	for _, f := range folders {
		if f.path == path {
			return f
		}
	}
	return &folder{}
}

// The tiers of names. What is neither marked nor in a package that STABILITY.md
// names as stable is open.
const (
	stable       = "stable"
	experimental = "experimental"
	open         = "open"
)

// report prints how many names each package has of each tier, or the names.
func report(root string, folders []*folder, list bool) error {
	tables, err := readTables(root)
	if err != nil {
		return err
	}
	sum := map[string]int{}
	for _, f := range folders {
		count := map[string]int{}
		for _, n := range f.names {
			tier := tables.tier(f, n)
			count[tier]++
			sum[tier]++
			if list {
				fmt.Println(tier, f.path, n.text)
			}
		}
		if !list {
			printCounts(f.path, count)
		}
	}
	if !list {
		printCounts("sum", sum)
	}
	return nil
}

func printCounts(what string, count map[string]int) {
	fmt.Printf("%-22s %4d stable %4d experimental %4d open\n", what, count[stable], count[experimental], count[open])
}

// tables are the packages that STABILITY.md names, by tier.
type tables map[string][]string

var (
	section = regexp.MustCompile(`(?ms)^## (Stable|Promised|Experimental) packages\n(.*?)(^## |\z)`)
	row     = regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|")
)

func readTables(root string) (tables, error) {
	data, err := os.ReadFile(filepath.Join(root, "STABILITY.md"))
	if err != nil {
		return nil, err
	}
	t := tables{}
	text := string(data)
	for {
		found := section.FindStringSubmatchIndex(text)
		if found == nil {
			return t, nil
		}
		tier := stable
		if strings.HasPrefix(text[found[2]:], "Experimental") {
			tier = experimental
		}
		for _, cells := range row.FindAllStringSubmatch(text[found[4]:found[5]], -1) {
			folder := cells[1]
			if folder == "rcpt" {
				folder = "."
			}
			t[tier] = append(t[tier], folder)
		}
		text = text[found[5]:]
	}
}

func (t tables) tier(f *folder, n name) string {
	switch {
	case n.experimental:
		return experimental
	case slices.Contains(t[stable], f.path):
		return stable
	}
	return open
}
