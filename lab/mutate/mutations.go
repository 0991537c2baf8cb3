package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mutation is one change of a file.
type mutation struct {
	file       string // below the root of the module
	line       int
	start, end int    // of what is replaced
	text       string // by this
	source     []byte // of the file
}

// mutated is the file with the change.
func (m mutation) mutated() []byte {
	return fmt.Appendf(nil, "%s%s%s", m.source[:m.start], m.text, m.source[m.end:])
}

func (m mutation) String() string {
	return fmt.Sprintf("%s:%d: %s → %s", m.file, m.line, brief(string(m.source[m.start:m.end])), brief(m.text))
}

// brief is a text on one line.
func brief(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return text
}

// order has nothing to do with where a mutation is: the first so many by their
// order are a fair sample.
func (m mutation) order() uint64 {
	return hash(fmt.Sprint(m.file, m.start, m.end, m.text, hash(string(m.source))))
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// mutations returns those of packages, by their order, but for the file that
// only counts what there is.
func mutations(packages []string) (all []mutation, err error) {
	for _, folder := range packages {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "stats.go" {
				continue
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			found, err := mutate(filepath.Join(folder, filepath.Base(path)), source)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	slices.SortFunc(all, func(a, b mutation) int { return cmp.Compare(a.order(), b.order()) })
	return all, nil
}

// mutate returns the mutations of a file. Some of them do not compile.
func mutate(file string, source []byte) (found []mutation, err error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for n := range ast.Preorder(parsed) {
		for _, c := range changes(n) {
			from, to := set.Position(c.from), set.Position(c.to)
			text := strings.ReplaceAll(c.text, "$", string(source[from.Offset:to.Offset]))
			found = append(found, mutation{file, from.Line, from.Offset, to.Offset, text, source})
		}
	}
	return found, nil
}

// change is a text in the place of another, in which $ stands for the other.
type change struct {
	from, to token.Pos
	text     string
}

func instead(n ast.Node, text string) change { return change{n.Pos(), n.End(), text} }

// changes returns what is changed of a node itself.
func changes(n ast.Node) []change {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return dropped(n.List)
	case *ast.CaseClause:
		return append(dropped(n.Body), untrue(n.List)...)
	case *ast.IfStmt:
		return []change{instead(n.Cond, "($) && false"), instead(n.Cond, "($) || true")}
	case *ast.BranchStmt:
		if n.Tok == token.CONTINUE && n.Label == nil {
			return []change{instead(n, "break")}
		}
	case *ast.ReturnStmt:
		return words(n.Results...)
	case *ast.CallExpr:
		return words(n.Fun)
	case *ast.BinaryExpr:
		if other, ok := others[n.Op.String()]; ok {
			return []change{{n.OpPos, n.OpPos + token.Pos(len(n.Op.String())), other}}
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			return []change{{n.OpPos, n.OpPos + 1, ""}}
		}
	case *ast.BasicLit:
		if number, err := strconv.Atoi(n.Value); err == nil {
			return []change{instead(n, strconv.Itoa(more(number)))}
		}
	}
	return nil
}

// dropped drops each statement that does something and declares nothing.
func dropped(list []ast.Stmt) (all []change) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				all = append(all, instead(s, "{}"))
			}
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt:
			all = append(all, instead(s, "{}"))
		}
	}
	return all
}

// untrue has the conditions of a case of a switch without a tag not hold. With
// a tag, that does not compile.
func untrue(list []ast.Expr) (all []change) {
	for _, e := range list {
		switch e.(type) {
		case *ast.BinaryExpr, *ast.UnaryExpr, *ast.CallExpr, *ast.SelectorExpr:
			all = append(all, instead(e, "($) && false"))
		}
	}
	return all
}

// others are the operators and words that stand in for each other.
var others = map[string]string{
	"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
	"+": "-", "-": "+", "*": "/", "/": "*", "true": "false", "false": "true", "min": "max", "max": "min",
}

func words(list ...ast.Expr) (all []change) {
	for _, e := range list {
		if name, ok := e.(*ast.Ident); ok && others[name.Name] != "" {
			all = append(all, instead(name, others[name.Name]))
		}
	}
	return all
}

// more is a number that is larger by one, or twice as large where one more is
// not felt.
func more(n int) int {
	if n < 10 {
		return n + 1
	}
	return 2 * n
}
