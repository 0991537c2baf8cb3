package promise

import (
	_ "embed"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
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

//go:embed promised.txt
var promisedText string

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

// TestPromisedPackages checks that the packages of the list exist and are those
// that STABILITY.md names.
func TestPromisedPackages(t *testing.T) {
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
		if pkg, err := build.ImportDir(filepath.Join(root, folder), 0); err != nil || pkg.Name == "main" {
			t.Errorf("promised.txt: %s cannot be imported: %v", folder, err)
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

// shownType is a type of a package of this module.
type shownType struct{ folder, name string }

// TestPromiseIsWhole checks that the API of the promised packages, and of the
// types that are promised by themselves, has types of promised packages and
// such types only, besides those of other modules; that the latter are all
// needed; and that STABILITY.md names them.
func TestPromiseIsWhole(t *testing.T) {
	stability, err := os.ReadFile(filepath.Join(root, "STABILITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	whole, needed := promised(), map[shownType]bool{}
	for _, p := range promises() {
		if p.open {
			continue
		}
		for _, of := range mentioned(t, p.folder, p.types) {
			if !slices.Contains(whole, of.folder) {
				needed[of] = true
			}
		}
	}
	for _, p := range promises() {
		for _, name := range p.types {
			of := shownType{p.folder, name}
			if !needed[of] {
				t.Errorf("promised.txt: nothing that is promised shows %v", of)
			}
			delete(needed, of)
			if text := "`" + path.Base(p.folder) + "." + name + "`"; !strings.Contains(string(stability), text) {
				t.Errorf("STABILITY.md does not name %s", text)
			}
		}
	}
	for of := range needed {
		t.Errorf("promised.txt: something that is promised shows %v", of)
	}
}

// mentioned returns the types of this module that stand in exported
// declarations of a package, or in those of some of its types. Of the package's
// own types, it returns none in the first case.
func mentioned(t *testing.T, folder string, types []string) (found []shownType) {
	names, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range mentionedIn(file, types) {
			switch other, ours := strings.CutPrefix(of.folder, module+"/"); {
			case ours:
				found = append(found, shownType{other, of.name})
			case of.folder == "" && len(types) > 0:
				found = append(found, shownType{folder, of.name})
			}
		}
	}
	return found
}

// mentionedIn is mentioned for a file. The folder of a type is the path by
// which it is imported.
func mentionedIn(file *ast.File, types []string) (found []shownType) {
	imports := map[string]string{} // by the name in this file
	for _, spec := range file.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = path
	}
	var look func(n ast.Node)
	look = func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				look(n.Type) // and not at its name
				return false
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok {
					found = append(found, shownType{imports[x.Name], n.Sel.Name})
				}
				return false
			case *ast.Ident:
				if n.IsExported() {
					found = append(found, shownType{"", n.Name})
				}
			}
			return true
		})
	}
	wanted := func(name string) bool {
		return ast.IsExported(name) && (len(types) == 0 || slices.Contains(types, name))
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil && len(types) == 0 || d.Recv != nil && wanted(typeName(d.Recv.List[0].Type))) {
				look(d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok && wanted(s.Name.Name) {
					look(exportedPart(s.Type))
				}
			}
		}
	}
	return found
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

// exported is the number of exported names.
func exported(names []*ast.Ident) (n int) {
	for _, name := range names {
		if name.IsExported() {
			n++
		}
	}
	return n
}

// typeName is the name of a type without pointers, packages and type
// parameters; empty if it has none.
func typeName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.SelectorExpr:
		return t.Sel.Name
	case *ast.IndexExpr:
		return typeName(t.X)
	case *ast.IndexListExpr:
		return typeName(t.X)
	}
	return ""
}
