package main

import (
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/rcpt/rcpt"
)

func folders(t *testing.T) []*folder {
	t.Helper()
	all, err := surface(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("%d packages", len(all))
	}
	return all
}

// TestStability checks that STABILITY.md names each package that can be
// imported once, in the table that the mark in its doc says.
func TestStability(t *testing.T) {
	tables, err := readTables(root)
	if err != nil {
		t.Fatal(err)
	}
	named := slices.Concat(tables[stable], tables[experimental])
	for _, f := range folders(t) {
		tier, other := stable, experimental
		if f.experimental {
			tier, other = experimental, stable
		}
		if !slices.Contains(tables[tier], f.path) || slices.Contains(tables[other], f.path) {
			t.Errorf("%s is %s by its doc; STABILITY.md has it elsewhere or nowhere", f.path, tier)
		}
		named = slices.DeleteFunc(named, func(path string) bool { return path == f.path })
	}
	if len(named) > 0 {
		t.Errorf("STABILITY.md names packages that nobody can import: %v", named)
	}
}

// TestNothingIsOpen checks that each name that can be imported has a tier, by
// the tables of STABILITY.md and the marks.
func TestNothingIsOpen(t *testing.T) {
	tables, err := readTables(root)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, f := range folders(t) {
		for _, n := range f.names {
			count[tables.tier(f, n)]++
		}
	}
	if count[open] > 0 || count[stable] < 100 || count[experimental] < 100 {
		t.Errorf("%v", count)
	}
}

// TestInterfaces checks that STABILITY.md names the stable interfaces, since
// programs implement them, and no others.
func TestInterfaces(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "STABILITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(data), "- **Methods of interfaces that you implement** (")
	list, _, found := strings.Cut(after, ")")
	if !found {
		t.Fatal("STABILITY.md has no list of interfaces")
	}
	named := strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune("`, \n", r) })
	var want []string
	for _, f := range folders(t) {
		for _, n := range f.names {
			if n.isInterface && !n.experimental {
				want = append(want, f.name+"."+n.text)
			}
		}
	}
	slices.Sort(named)
	slices.Sort(want)
	if !slices.Equal(named, want) {
		t.Errorf("STABILITY.md names %v, the interfaces are %v", named, want)
	}
}

// TestShownTypes checks that what can be imported has no types in it that
// cannot, and what is stable none that may change.
func TestShownTypes(t *testing.T) {
	all := folders(t)
	for _, f := range all {
		for _, n := range f.names {
			for _, of := range f.shownBy(n) {
				i := slices.IndexFunc(all, func(g *folder) bool { return g.path == of.path })
				if i < 0 {
					t.Errorf("%s.%s shows %s of %s, which cannot be imported", f.path, n.text, of.name, of.path)
					continue
				}
				if other := all[i].find(of.name); !n.experimental && other != nil && other.experimental {
					t.Errorf("%s.%s shows %s of %s, which is experimental", f.path, n.text, of.name, of.path)
				}
			}
		}
	}
}

type typeOf struct{ path, name string }

// shownBy returns the types of this module that a declaration has in it.
func (f *folder) shownBy(n name) (found []typeOf) {
	var look func(ast.Node)
	look = func(shown ast.Node) {
		ast.Inspect(shown, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				look(n.Type) // and not at its name
				return false
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok {
					if path, ours := strings.CutPrefix(f.imports[x.Name]+"/", module+"/"); ours {
						path = strings.TrimSuffix(path, "/")
						if path == "" {
							path = "."
						}
						found = append(found, typeOf{path, n.Sel.Name})
					}
				}
				return false
			case *ast.Ident:
				if n.IsExported() {
					found = append(found, typeOf{f.path, n.Name})
				}
			}
			return true
		})
	}
	for _, shown := range n.shows {
		if shown != nil {
			look(shown)
		}
	}
	return found
}
