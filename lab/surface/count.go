package main

import (
	"go/ast"
	"go/token"
	"slices"
)

// file adds what a file exports; with types, these alone, with their methods
// and constants.
func (c *count) file(file *ast.File, types ...string) {
	wanted := func(name string) bool { return len(types) == 0 || slices.Contains(types, name) }
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if len(types) == 0 || d.Recv != nil && wanted(typeName(d.Recv.List[0].Type)) {
				c.function(d)
			}
		case *ast.GenDecl:
			var of string // the type of the constants, which may stand on the first alone
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					of = s.Name.Name
				case *ast.ValueSpec:
					if s.Type != nil || len(s.Values) > 0 {
						of = typeName(s.Type)
					}
				}
				if wanted(of) {
					c.spec(d.Tok, spec)
				}
			}
		}
	}
}

// function adds a function, or a method of an exported type.
func (c *count) function(f *ast.FuncDecl) {
	switch {
	case !f.Name.IsExported():
	case f.Recv == nil:
		c.Funcs++
	case ast.IsExported(typeName(f.Recv.List[0].Type)):
		c.Methods++
	}
}

func (c *count) spec(kind token.Token, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		if kind == token.CONST {
			c.Consts += exported(s.Names)
		} else {
			c.Vars += exported(s.Names)
		}
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return
		}
		c.Types++
		switch t := s.Type.(type) {
		case *ast.StructType:
			c.Fields += members(t.Fields)
		case *ast.InterfaceType:
			c.Methods += members(t.Methods)
		}
	}
}

// members is the number of exported fields or methods in a type, embedded ones
// included.
func members(list *ast.FieldList) (n int) {
	for _, field := range list.List {
		if len(field.Names) == 0 && ast.IsExported(typeName(field.Type)) {
			n++
		}
		n += exported(field.Names)
	}
	return n
}

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
