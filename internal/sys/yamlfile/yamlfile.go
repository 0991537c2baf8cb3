// Package yamlfile reads the YAML of files and settings: strictly, and within
// limits, so that no file of a few kilobytes takes gigabytes. Its errors name
// the line and what is wrong there, in one line.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

const (
	// maxSize is three times the embedded rules. What is read of a file takes
	// less than a thousand times its size.
	maxSize = 256 << 10
	// maxDepth is how many mappings and sequences may be within each other, in
	// block style and again in flow style. Configuration and rules need five.
	maxDepth = 20
)

// options are those of every file.
var options = yaml.Options(yaml.WithKnownFields(), yaml.WithPlugin(loaderlimits.New(
	loaderlimits.DepthFunc(func(depth int, _ *yaml.DepthContext) error {
		if depth > maxDepth {
			return fmt.Errorf("more than %d mappings and sequences within each other", maxDepth)
		}
		return nil
	}),
	loaderlimits.AliasFunc(func(aliases, _ int) error {
		if aliases > 0 {
			return errors.New("anchors (&name) and aliases (*name) are not supported: write the value itself")
		}
		return nil
	}),
)))

// Load reads the one document of a file into a value. Fields that a struct does
// not have, keys that stand twice, and aliases are errors. A file without a
// document leaves the value as it is.
func Load(data []byte, into any) error {
	file, err := Parse(data)
	if err != nil || file == nil {
		return err
	}
	return Decode(file, into)
}

// Parse reads the one document of a file, or nil if it has none. Only [Decode]
// finds keys that stand twice, and aliases.
func Parse(data []byte) (*yaml.Node, error) {
	if len(data) > maxSize {
		return nil, fmt.Errorf("the file is longer than %d KiB", maxSize>>10)
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data), options)
	if err != nil {
		return nil, err
	}
	var file, another yaml.Node
	if err := loader.Load(&file); err != nil {
		return nil, withoutEnd(inOneLine(data, err))
	}
	if err := loader.Load(&another); err != nil {
		return file.Content[0], withoutEnd(inOneLine(data, err))
	}
	return nil, fmt.Errorf("line %d: another document begins: write everything in one", another.Line)
}

// Decode reads a part of a file into a value.
func Decode(part *yaml.Node, into any) error {
	return inOneLine(nil, part.Load(into, options))
}

// Flow writes a part of a file in one line. The part loses its comments.
func Flow(part *yaml.Node) (string, error) {
	clearComments(part)
	part.Style = yaml.FlowStyle
	text, err := yaml.Dump(part, yaml.WithLineWidth(-1), yaml.WithQuotePreference(yaml.QuoteDouble))
	return strings.TrimSpace(string(text)), err
}

func clearComments(part *yaml.Node) {
	part.HeadComment, part.LineComment, part.FootComment = "", "", ""
	for _, below := range part.Content {
		clearComments(below)
	}
}

// withoutEnd returns nil for the end of the documents.
func withoutEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// inOneLine says where a file is wrong, and how, for the first mistake.
func inOneLine(data []byte, err error) error {
	var wrong *yaml.LoadError
	if !errors.As(err, &wrong) {
		return err
	}
	what := wrong.Message
	if field, _, found := strings.Cut(what, " not found in type "); found {
		what = fmt.Sprintf("unknown field %q", strings.TrimPrefix(field, "field "))
	}
	if wrong.Stage == yaml.ParserStage && wrong.ContextMsg != "" {
		what = wrong.ContextMsg + ": " + what
	}
	line := wrong.Mark.Line
	if line == 0 { // the octets are not text
		line = 1 + bytes.Count(data[:min(wrong.Mark.Index, len(data))], []byte("\n"))
	}
	return fmt.Errorf("line %d: %s", line, what)
}
