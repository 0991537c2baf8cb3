// Command surface counts what the packages of this module export: constants,
// variables, functions, types, methods and fields. It prints a table of the
// packages that others can import: the promised ones (promised.txt), the types
// of others that these show, and the rest. With -promised it prints what is
// promised. Run it at the root of the module.
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

//go:embed promised.txt
var promisedText string

func main() {
	names := flag.Bool("promised", false, "print what is promised: packages, one a line, or some types of one")
	flag.Parse()
	if *names {
		for _, p := range promises() {
			if !p.open {
				fmt.Println(p.folder, strings.Join(p.types, " "))
			}
		}
		return
	}
	if err := report(os.Stdout, "."); err != nil {
		fmt.Fprintln(os.Stderr, "surface:", err)
		os.Exit(1)
	}
}

// promise is a line of promised.txt.
type promise struct {
	folder string
	types  []string // none: the whole package
	open   bool     // promised packages show the types, but they may change
}

// promises are the lines of promised.txt.
func promises() (all []promise) {
	for line := range strings.Lines(promisedText) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || fields[0] == "#":
		case fields[0] == "open":
			all = append(all, promise{fields[1], fields[2:], true})
		default:
			all = append(all, promise{folder: fields[0], types: fields[1:]})
		}
	}
	return all
}

// promised returns the folders of the packages that STABILITY.md promises.
func promised() (folders []string) {
	for _, p := range promises() {
		if len(p.types) == 0 {
			folders = append(folders, p.folder)
		}
	}
	return folders
}

// report prints the table for the module at root.
func report(out io.Writer, root string) error {
	counts, err := countAll(root)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	whole := promised()
	row := func(name string, c count) {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n",
			name, c.total(), c.Consts, c.Vars, c.Funcs, c.Types, c.Methods, c.Fields)
	}
	part := func(title string, counts map[string]count, in func(folder string) bool) {
		fmt.Fprintf(table, "%s\ttotal\tconst\tvar\tfunc\ttype\tmethod\tfield\t\n", title)
		var sum count
		packages := 0
		for _, folder := range slices.Sorted(maps.Keys(counts)) {
			if in(folder) {
				row(folder, counts[folder])
				sum.add(counts[folder])
				packages++
			}
		}
		row(fmt.Sprintf("%d packages", packages), sum)
	}
	part("promised", counts, func(folder string) bool { return slices.Contains(whole, folder) })
	shown := make(map[string]count)
	for _, p := range promises() {
		if len(p.types) > 0 && !p.open {
			if shown[p.folder], _, err = countFolder(filepath.Join(root, p.folder), p.types...); err != nil {
				return err
			}
		}
	}
	part("types shown", shown, func(string) bool { return true })
	part("other", counts, func(folder string) bool { return !slices.Contains(whole, folder) })
	return table.Flush()
}

// countAll counts in all packages of the module at root that others can import.
func countAll(root string) (map[string]count, error) {
	counts := make(map[string]count)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name := d.Name()
		hidden := name == "internal" || name == "testdata" || strings.HasPrefix(name, ".")
		if path != root && (hidden || isModule(path)) {
			return filepath.SkipDir
		}
		c, ok, err := countFolder(path)
		if err != nil || !ok {
			return err
		}
		folder, err := filepath.Rel(root, path)
		counts[filepath.ToSlash(folder)] = c
		return err
	})
	return counts, err
}

// isModule reports whether a folder is a module of its own.
func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// countFolder counts in the package of a folder, in all of it or for some of
// its types; ok is false if other modules cannot import one from there.
func countFolder(folder string, types ...string) (c count, ok bool, err error) {
	context := build.Default
	context.GOOS, context.GOARCH, context.CgoEnabled = "linux", "amd64", false // the same numbers everywhere
	pkg, err := context.ImportDir(folder, 0)
	var none *build.NoGoError
	if errors.As(err, &none) {
		return c, false, nil
	}
	if err != nil {
		return c, false, fmt.Errorf("%s: %w", folder, err)
	}
	if pkg.Name == "main" {
		return c, false, nil
	}
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return c, false, err
		}
		c.file(file, types...)
	}
	return c, len(pkg.GoFiles) > 0, nil
}

// count is the number of exported identifiers of each kind.
type count struct{ Consts, Vars, Funcs, Types, Methods, Fields int }

func (c count) total() int {
	return c.Consts + c.Vars + c.Funcs + c.Types + c.Methods + c.Fields
}

func (c *count) add(d count) {
	c.Consts += d.Consts
	c.Vars += d.Vars
	c.Funcs += d.Funcs
	c.Types += d.Types
	c.Methods += d.Methods
	c.Fields += d.Fields
}
