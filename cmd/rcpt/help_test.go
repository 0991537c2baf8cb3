package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/manual"
)

// TestExamples: each command without subcommands has examples, and rcpt can
// parse them.
func TestExamples(t *testing.T) {
	parser, err := newParser(t.Context(), &commandLine{}, terminal{})
	check(t, err)
	eachLeaf(parser.Model.Node, func(node *kong.Node) {
		if path := manual.Path(node); !node.Hidden && len(examples[path]) == 0 {
			t.Errorf("rcpt %s has no example", path)
		}
	})
	for path, all := range examples {
		for _, example := range all {
			line := strings.NewReplacer("source <(", " ", ")", "", "docker exec rcpt", "", "sudo ", "").Replace(example.Line)
			_, line, found := strings.Cut(" "+line, " rcpt "+path)
			if !found {
				t.Errorf("%q is no example of %q", example.Line, path)
				continue
			}
			args := append(strings.Fields(path), typed(line)...)
			parser, err := newParser(t.Context(), &commandLine{}, terminal{})
			check(t, err)
			if _, err := parser.Parse(args); err != nil {
				t.Errorf("%s: %v", example.Line, err)
			}
		}
	}
}

// typed splits a simple command line as a shell does.
func typed(line string) []string {
	var words []string
	for i, part := range strings.FieldsFunc(line, func(r rune) bool { return r == '\'' || r == '"' }) {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		for _, word := range strings.Fields(part) {
			if strings.ContainsAny(word, "<>|") {
				return words
			}
			words = append(words, word)
		}
	}
	return words
}

func eachLeaf(node *kong.Node, do func(*kong.Node)) {
	if len(node.Children) == 0 {
		do(node)
	}
	for _, child := range node.Children {
		eachLeaf(child, do)
	}
}

// TestChapters: the chapters name each command once.
func TestChapters(t *testing.T) {
	parser, err := newParser(t.Context(), &commandLine{}, terminal{})
	check(t, err)
	listed := map[string]int{}
	for _, chapter := range chapters {
		for _, name := range chapter.Commands {
			listed[name]++
		}
	}
	for _, command := range parser.Model.Children {
		if want := 1; !command.Hidden && listed[command.Name] != want {
			t.Errorf("%s is listed %d times", command.Name, listed[command.Name])
		}
		delete(listed, command.Name)
	}
	if len(listed) > 0 {
		t.Errorf("listed, but no commands: %v", listed)
	}
}
