// Package smallyaml checks YAML files before they are parsed. The parser takes
// gigabytes for some files of a few kilobytes: deep nesting, and aliases of
// aliases.
package smallyaml

import (
	"fmt"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

const (
	// maxSize is three times the embedded rules.
	maxSize = 256 << 10
	// maxTokens is eight times as many as they have.
	maxTokens = 48_000
	// maxDepth is how many mappings and sequences may be within each other.
	// Configuration and rules need five.
	maxDepth = 20
)

// Check returns an error for a file that is too long, nested too deeply, or
// uses anchors and aliases; and for a second document, which the parser would
// ignore. The error names the line.
func Check(data []byte) error {
	if len(data) > maxSize {
		return fmt.Errorf("the file is longer than %d KiB", maxSize>>10)
	}
	var n nesting
	var first document
	for i, t := range lexer.Tokenize(string(data)) {
		switch line := t.Position.Line; {
		case first.ends(t.Type):
			return fmt.Errorf("line %d: another document begins: write everything in one", line)
		case t.Type == token.AliasType || t.Type == token.AnchorType:
			return fmt.Errorf(
				"line %d: anchors (&name) and aliases (*name) are not supported: write the value itself", line)
		case n.depth(t) > maxDepth:
			return fmt.Errorf("line %d: more than %d mappings and sequences within each other", line, maxDepth)
		case i == maxTokens:
			return fmt.Errorf("line %d: the file has more than %d words and signs", line, maxTokens)
		}
	}
	return nil
}

// document follows the first document of a file.
type document struct {
	started, ended bool
}

// ends reports whether a token belongs to another document.
func (d *document) ends(t token.Type) bool {
	switch {
	case t == token.CommentType || t == token.DirectiveType && !d.started:
		return false
	case d.ended || d.started && t == token.DocumentHeaderType:
		return true
	}
	d.started, d.ended = true, t == token.DocumentEndType
	return false
}

// nesting follows the structure of a file: in flow style by brackets, in block
// style by columns, because each level begins further to the right than the one
// around it.
type nesting struct {
	brackets int
	columns  []int
}

// depth returns how deep a token is.
func (n *nesting) depth(t *token.Token) int {
	switch t.Type {
	case token.SequenceStartType, token.MappingStartType:
		n.brackets++
	case token.SequenceEndType, token.MappingEndType:
		n.brackets--
	case token.SequenceEntryType, token.MappingKeyType:
		n.block(t.Position.Column)
	case token.MappingValueType:
		if t.Prev != nil {
			n.block(t.Prev.Position.Column)
		}
	}
	return n.brackets + len(n.columns)
}

// block enters a level of block style that begins at a column.
func (n *nesting) block(column int) {
	if n.brackets > 0 {
		return
	}
	for len(n.columns) > 0 && n.columns[len(n.columns)-1] >= column {
		n.columns = n.columns[:len(n.columns)-1]
	}
	n.columns = append(n.columns, column)
}
