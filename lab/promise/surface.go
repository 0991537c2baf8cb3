package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// folder is a package of the module that other modules can import.
type folder struct {
	path         string            // from the root of the module; "." for the root
	name         string            // as its files say
	imports      map[string]string // paths by the names under which its files know them
	doc          string
	experimental bool // all of it
	names        []name
}

// name is an exported identifier: a constant, variable, type or function, or,
// behind its type, a method or a field: "Config.Pace".
type name struct {
	text         string
	doc          string // what go doc shows with it
	experimental bool
	isInterface  bool
	shows        []ast.Expr // the types in its declaration
}

// closed are folders whose packages nobody can import, or should.
var closed = []string{"internal", "cmd", "lab", "testdata"}

// surface returns the packages of the module at root that can be imported.
func surface(root string) (all []*folder, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if slices.Contains(closed, entry.Name()) || strings.HasPrefix(entry.Name(), ".") && path != root {
			return filepath.SkipDir
		}
		f, err := read(path)
		if f != nil {
			if f.path, err = filepath.Rel(root, path); err == nil {
				all = append(all, f)
			}
		}
		return err
	})
	return all, err
}

// read reads a package; nil: there is none, or it is a command.
func read(path string) (*folder, error) {
	files, err := filepath.Glob(filepath.Join(path, "*.go"))
	if err != nil {
		return nil, err
	}
	var asts []*ast.File
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		asts = append(asts, parsed)
	}
	if len(asts) == 0 || asts[0].Name.Name == "main" {
		return nil, nil
	}
	f := &folder{name: asts[0].Name.Name, imports: map[string]string{}}
	for _, parsed := range asts {
		f.doc += parsed.Doc.Text()
		f.experimental = f.experimental || marked(parsed.Doc)
		for _, spec := range parsed.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			name := path[strings.LastIndex(path, "/")+1:]
			if spec.Name != nil {
				name = spec.Name.Name
			}
			f.imports[name] = path
		}
	}
	for _, parsed := range asts {
		f.addTypes(parsed)
	}
	for _, parsed := range asts {
		f.addOthers(parsed)
	}
	return f, nil
}

// mark begins the paragraph of what may change.
var mark = regexp.MustCompile(`(?m)(^|\n\n)Experimental: `)

// marked reports whether one of the comments says that what they are about may
// change.
func marked(comments ...*ast.CommentGroup) bool {
	return slices.ContainsFunc(comments, func(c *ast.CommentGroup) bool { return mark.MatchString(c.Text()) })
}

func text(comments ...*ast.CommentGroup) (all string) {
	for _, c := range comments {
		all += c.Text() + "\n"
	}
	return all
}

// find returns the name; nil: there is none.
func (f *folder) find(text string) *name {
	i := slices.IndexFunc(f.names, func(n name) bool { return n.text == text })
	if i < 0 {
		return nil
	}
	return &f.names[i]
}

// add adds a name, unless another file has it, too, for another system.
func (f *folder) add(n name) {
	if f.find(n.text) == nil {
		n.experimental = n.experimental || f.experimental
		f.names = append(f.names, n)
	}
}

// addTypes adds the exported types of a file, with their fields and the methods
// of interfaces.
func (f *folder) addTypes(file *ast.File) {
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, spec := range group.Specs {
			s := spec.(*ast.TypeSpec)
			if !s.Name.IsExported() {
				continue
			}
			n := name{
				text: s.Name.Name, doc: text(group.Doc, s.Doc, s.Comment),
				experimental: marked(group.Doc, s.Doc, s.Comment),
			}
			_, n.isInterface = s.Type.(*ast.InterfaceType)
			members := fieldsOf(s.Type)
			if members == nil {
				n.shows = []ast.Expr{s.Type}
			}
			f.add(n)
			f.addMembers(n, members)
		}
	}
}

// fieldsOf returns the fields of a struct, or the methods of an interface.
func fieldsOf(t ast.Expr) *ast.FieldList {
	switch t := t.(type) {
	case *ast.StructType:
		return t.Fields
	case *ast.InterfaceType:
		return t.Methods
	}
	return nil
}

// addMembers adds the exported members of a type.
func (f *folder) addMembers(of name, members *ast.FieldList) {
	if members == nil {
		return
	}
	for _, field := range members.List {
		names := field.Names
		if len(names) == 0 {
			names = []*ast.Ident{ast.NewIdent(typeName(field.Type))} // embedded
		}
		for _, ident := range names {
			if ident.IsExported() {
				f.add(name{
					text: of.text + "." + ident.Name, doc: text(field.Doc, field.Comment),
					experimental: of.experimental || marked(field.Doc, field.Comment), shows: []ast.Expr{field.Type},
				})
			}
		}
	}
}

// addOthers adds the exported functions, methods, constants and variables of a
// file.
func (f *folder) addOthers(file *ast.File) {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			f.addFunc(d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				s, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for _, ident := range s.Names {
					if ident.IsExported() {
						f.add(name{
							text: ident.Name, doc: text(d.Doc, s.Doc, s.Comment),
							experimental: marked(d.Doc, s.Doc, s.Comment), shows: []ast.Expr{s.Type},
						})
					}
				}
			}
		}
	}
}

func (f *folder) addFunc(d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	n := name{text: d.Name.Name, doc: text(d.Doc), experimental: marked(d.Doc), shows: []ast.Expr{d.Type}}
	if d.Recv != nil {
		of := f.find(typeName(d.Recv.List[0].Type))
		if of == nil {
			return
		}
		n.text, n.experimental = of.text+"."+n.text, n.experimental || of.experimental
	}
	f.add(n)
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
