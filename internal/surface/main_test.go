package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/rcpt/rcpt"
)

func TestCount(t *testing.T) {
	const source = `package p
const A, b = 1, 2
var C int
func F() {}
func f() {}
type T struct { X, y int; Embedded; *other.E; hidden }
func (T) M() {}
func (t *T) m() {}
type g[K any] struct { X int }
func (g[K]) M() {}
type G[K any] struct{}
func (*G[K]) M() {}
type I interface { M(); n(); error }
type Func func(x int)
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var c count
	c.file(file)
	want := count{Consts: 1, Vars: 1, Funcs: 1, Types: 4, Methods: 3, Fields: 3}
	if c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
}

// TestPromisedPackages checks that the packages of the list exist and are those
// that STABILITY.md names.
func TestPromisedPackages(t *testing.T) {
	counts, err := countAll(root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "STABILITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(text), "## Promised packages\n")
	part, _, _ = strings.Cut(part, "\n## ")
	var named []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|").FindAllStringSubmatch(part, -1) {
		named = append(named, row[1])
	}
	for _, folder := range promised() {
		if counts[folder].total() == 0 {
			t.Errorf("promised.txt: %s exports nothing", folder)
		}
		if folder == "." {
			folder = "rcpt"
		}
		if !slices.Contains(named, folder) {
			t.Errorf("STABILITY.md does not name %s", folder)
		}
	}
	if len(named) != len(promised()) {
		t.Errorf("STABILITY.md names %d packages, promised.txt %d", len(named), len(promised()))
	}
}

// TestPromiseIsWhole checks that the API of a promised package has types of
// promised packages only, besides those of other modules.
func TestPromiseIsWhole(t *testing.T) {
	promise := promised()
	seen := 0
	for _, folder := range promise {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range mentioned(file) {
				other, ours := strings.CutPrefix(path, module+"/")
				if !ours {
					continue
				}
				seen++
				if !slices.Contains(promise, other) {
					t.Errorf("%s: the API has a type of %s, which is not promised", name, other)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no type of another package was seen")
	}
}

// mentioned returns the packages whose types stand in exported declarations of
// a file.
func mentioned(file *ast.File) (paths []string) {
	imports := map[string]string{} // by the name in this file
	for _, spec := range file.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = path
	}
	look := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && imports[x.Name] != "" {
					paths = append(paths, imports[x.Name])
				}
			}
			return true
		})
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(typeName(d.Recv.List[0].Type))) {
				look(d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() {
					look(exportedPart(s.Type))
				}
			}
		}
	}
	return paths
}

// exportedPart returns a type without its unexported fields.
func exportedPart(t ast.Expr) ast.Expr {
	structure, ok := t.(*ast.StructType)
	if !ok {
		return t
	}
	var fields ast.FieldList
	for _, field := range structure.Fields.List {
		if len(field.Names) == 0 || exported(field.Names) > 0 {
			fields.List = append(fields.List, field)
		}
	}
	return &ast.StructType{Fields: &fields}
}
